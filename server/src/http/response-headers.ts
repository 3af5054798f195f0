import type { Context } from 'koa';
import type { ServerResponse } from 'node:http';
import type { StoredResponse } from '../cache/entry';

const asText = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value));

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

/** Set anew for each response, or about one connection only (RFC 9111, section 3.1; RFC 9110, section 7.6.1). */
const NEVER_KEPT: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** `compress` tells koa-compress whether to compress the response. */
export type Compressing = Context & { compress?: unknown };

const linesOf = (value: number | string | string[] | undefined): string[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(String);

/** What the route has done to one header. */
interface Touch {
  /** The name as it was spelled last. */
  readonly spelled: string;
  /** How many of its lines a middleware in front had set. */
  readonly linesInFront: number;
  /** Whether the route has only appended to it. */
  readonly isAppended: boolean;
}

/** Reports whether Koa's `append` is running, which reads the header and sets the whole of it again. */
const watchAppend = ({ response }: Context): (() => boolean) => {
  const { append } = response;
  let isAppending = false;
  response.append = (field, value) => {
    isAppending = true;
    try {
      append.call(response, field, value);
    } finally {
      isAppending = false;
    }
  };
  return () => isAppending;
};

/**
 * Notes what the route does to response headers from now on. A header that the route sets is captured even if a
 * middleware in front has set the same value, because on a later request the middleware may set another. For the same
 * reason, if the route appends to a header, only the appended lines are captured.
 *
 * @returns ends the watch and gives what the route has done.
 */
export const watchRouteHeaders = (ctx: Context): (() => RouteHeaders) => {
  const { res } = ctx;
  const { compress: wishInFront } = ctx as Compressing;
  /** By lower-case name. */
  const touched = new Map<string, Touch>();
  const varyInFront = responseHeader(ctx, 'Vary');
  const isAppending = watchAppend(ctx);
  const stop = watchHeaders(res, (change, spelled) => {
    const name = spelled.toLowerCase();
    const { linesInFront, isAppended } = touched.get(name) ?? {
      linesInFront: linesOf(res.getHeader(name)).length,
      isAppended: name !== 'vary',
    };
    const appends = change === 'appendHeader' || isAppending();
    touched.set(name, { spelled, linesInFront, isAppended: isAppended && appends });
  });
  return () => {
    stop();
    const headers: Array<readonly [string, string]> = [];
    const removed: string[] = [];
    const appended: string[] = [];
    const ofConnection = new Set(touched.has('connection') ? fieldNames(responseHeader(ctx, 'Connection')) : []);
    for (const [name, { spelled, linesInFront, isAppended }] of touched) {
      if (NEVER_KEPT.has(name) || ofConnection.has(name)) continue;
      const lines = linesOf(res.getHeader(name));
      // If the former value of `Vary` is still at the beginning, the route has only added fields.
      const isReplaced = name === 'vary' && !asText(lines).startsWith(varyInFront);
      if (lines.length === 0 || isReplaced) removed.push(name);
      if (isAppended) appended.push(name);
      for (const line of lines.slice(isAppended ? linesInFront : 0)) headers.push([spelled, line]);
    }
    const { compress } = ctx as Compressing;
    return {
      headers,
      removed,
      ...(appended.length > 0 ? { appended } : {}),
      ...(typeof compress === 'boolean' && compress !== wishInFront ? { compress } : {}),
    };
  };
};

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
  let isWatching = true;
  for (const change of CHANGES) {
    const original = methods[change];
    // HTTP/2 responses of older Node.js versions have no `appendHeader`.
    if (original === undefined) continue;
    methods[change] = function (this: ServerResponse, name: string, ...values: unknown[]): unknown {
      if (isWatching) changing(change, String(name), values[0]);
      return original.call(this, name, ...values);
    };
  }
  return () => {
    isWatching = false;
  };
};
