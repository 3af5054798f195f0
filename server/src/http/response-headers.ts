import type { Context } from 'koa';
import type { ServerResponse } from 'node:http';
import type { StoredResponse } from '../cache/entry';

const asText = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value));

/** A header as it is set so far, or `''`. Koa's own way to ask copies all of them. */
export const responseHeader = ({ res }: Context, name: string): string => asText(res.getHeader(name) ?? '');

export type RouteHeaders = Pick<StoredResponse, 'headers' | 'appended' | 'compress'> & {
  /** Names, lower case, of headers that are not to be there, whoever has set them in front of the route. */
  readonly removed: readonly string[];
};

/** What the route itself has set of a header, its lines joined; `undefined` where it has set none. */
export const fieldOf = ({ headers }: Pick<RouteHeaders, 'headers'>, name: string): string | undefined => {
  const lines = headers.filter(([spelled]) => spelled.toLowerCase() === name);
  return lines.length === 0 ? undefined : lines.map(([, value]) => value).join(', ');
};

/** Told anew for each response, or of this connection only (RFC 9111, section 3.1; RFC 9110, section 7.6.1). */
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

/** What koa-compress goes by, beside the response itself. */
export type Compressing = Context & { compress?: unknown };

const linesOf = (value: number | string | string[] | undefined): string[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(String);

/** What the route has done to one header. */
interface Touch {
  /** As it was spelled last. */
  readonly spelled: string;
  /** How many of its lines a middleware in front had set. */
  readonly linesInFront: number;
  /** Whether the route has only appended to it. */
  readonly isAppended: boolean;
}

/** Tells whether Koa's `append` is under way, which reads what is there and sets all of it. */
const watchAppend = ({ response }: Context): { isAppending: boolean; readonly stop: () => void } => {
  const append = response.append.bind(response);
  const watch = {
    isAppending: false,
    stop: () => {
      if (response.append === watched) Reflect.deleteProperty(response, 'append');
    },
  };
  const watched = (field: string, value: string | string[]): void => {
    watch.isAppending = true;
    try {
      append(field, value);
    } finally {
      watch.isAppending = false;
    }
  };
  response.append = watched;
  return watch;
};

/**
 * Notes what the route does to headers from here on. What it sets counts although a middleware in front has set the very
 * same: on a later request that may be another value. So what it appends counts alone.
 *
 * @returns ends the watch.
 */
export const watchRouteHeaders = (ctx: Context): (() => RouteHeaders) => {
  const { res } = ctx;
  const { compress: wishInFront } = ctx as Compressing;
  /** By lower-case name. */
  const touched = new Map<string, Touch>();
  const varyInFront = responseHeader(ctx, 'Vary');
  const append = watchAppend(ctx);
  const stop = watchHeaders(res, (change, spelled) => {
    const name = spelled.toLowerCase();
    const { linesInFront, isAppended } = touched.get(name) ?? {
      linesInFront: linesOf(res.getHeader(name)).length,
      isAppended: name !== 'vary',
    };
    const isAppending = append.isAppending || change === 'appendHeader';
    touched.set(name, { spelled, linesInFront, isAppended: isAppended && isAppending });
  });
  return () => {
    stop();
    append.stop();
    const headers: Array<readonly [string, string]> = [];
    const removed: string[] = [];
    const appended: string[] = [];
    const ofConnection = new Set(touched.has('connection') ? fieldNames(responseHeader(ctx, 'Connection')) : []);
    for (const [name, { spelled, linesInFront, isAppended }] of touched) {
      if (NEVER_KEPT.has(name) || ofConnection.has(name)) continue;
      const lines = linesOf(res.getHeader(name));
      // Behind what stood there the route adds fields to `Vary`.
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
 * Tells of each change to a header of this response, right before it is made. `writeHead` makes its changes in the same
 * way, so that a header which somebody adds at the very last is told as well.
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
    // Over HTTP/2 older Node.js had none to append.
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
