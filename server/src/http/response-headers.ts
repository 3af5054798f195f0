import type { Context } from 'koa';
import type { ServerResponse } from 'node:http';
import type { StoredResponse } from '../cache/entry';

export const asText = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value));

/** A response header as set so far, or `''`. Koa's own getter copies all headers. */
export const responseHeader = ({ res }: Context, name: string): string => asText(res.getHeader(name) ?? '');

export type RouteHeaders = Pick<StoredResponse, 'headers' | 'appended' | 'compress'> & {
  /** Lower-case names of headers that a hit removes before it sets those above, whoever has set them in front. */
  readonly removed: readonly string[];
};

/**
 * The value that the route itself has set for a header, several lines joined; `undefined` if it has set none.
 *
 * @param name in lower case.
 */
export const fieldOf = ({ headers }: Pick<RouteHeaders, 'headers'>, name: string): string | undefined => {
  const lines = headers.filter(([spelled]) => spelled.toLowerCase() === name);
  return lines.length === 0 ? undefined : lines.map(([, value]) => value).join(', ');
};

/** `compress` tells koa-compress whether to compress the response. */
export type Compressing = Context & { compress?: unknown };

/** Field names in a list such as `Vary` or `Connection`, lower case (RFC 9110, section 5.6.1). */
export const fieldNames = (value: string): string[] =>
  value
    .split(',')
    .map((field) => field.trim().toLowerCase())
    .filter((field) => field !== '');

export type HeaderChange = 'setHeader' | 'appendHeader' | 'removeHeader';

const CHANGES: readonly HeaderChange[] = ['setHeader', 'appendHeader', 'removeHeader'];

type ChangeHeader = (name: string, ...values: unknown[]) => unknown;

/**
 * Reports each change to a header of this response, right before it is made. If any header was set before, `writeHead`
 * calls the same methods, so headers that are added at the very last are reported as well.
 *
 * @returns ends the watch.
 */
export const watchHeaders = (
  response: ServerResponse,
  changing: (change: HeaderChange, name: string, value: unknown) => void,
): (() => void) => {
  const methods = response as unknown as Partial<Record<HeaderChange, ChangeHeader>>;
  const ends = CHANGES.map((change) => {
    const original = methods[change];
    // HTTP/2 responses of older Node.js versions have no `appendHeader`.
    if (original === undefined) return undefined;
    let isWatching = true;
    const watching = function (this: ServerResponse, name: string, ...values: unknown[]): unknown {
      if (isWatching) changing(change, String(name), values[0]);
      return original.call(this, name, ...values);
    };
    methods[change] = watching;
    return () => {
      isWatching = false;
      // Other code may have wrapped it. It is assigned, because to delete it would make the response a slow object.
      if (methods[change] === watching) methods[change] = original;
    };
  });
  return () => {
    for (const end of ends) end?.();
  };
};
