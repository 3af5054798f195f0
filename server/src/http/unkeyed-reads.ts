import type { Context, Middleware } from 'koa';
import type { Reason } from '../cache/response-cache';
import { CREDENTIAL_HEADERS } from '../config/hitpass';
import type { ResolvedRoute } from '../config/resolved-config';
import { callerIdentity, type Identity } from './caller-identity';
import { exchangeOf } from './exchange';
import { noteParameters, touchedInFront } from './parameters-in-front';
import { BODY_SHAPING_HEADERS, countedHeaders } from './request-key';
import { TRACING_HEADERS } from './request-message';
import {
  ALL_HEADERS,
  leaveUnwatched,
  noteReads,
  type ReadName,
  REMOTE_ADDRESS,
  SESSION,
  unnoticed,
} from './request-reads';

/**
 * Headers about a request's body: a request with one bypasses the cache, and `Content-Length: 0` says what its absence
 * says.
 */
const OF_BODIES: readonly string[] = ['content-length', 'transfer-encoding'];

/** The function that has read it, in words; `undefined` for the handler. */
type WhoRead = (name: ReadName) => string | undefined;

/**
 * Why a response must not be stored because of what was read of its request: another caller's headers might lead to
 * another response. Reads of the application's own functions in front of the lane count as well, because the handler
 * may use what they put into `ctx.state`, for example.
 *
 * @param reads what the handler itself has read.
 * @param varied headers by which the response's variants are kept apart, so that reading them is harmless.
 */
export const unkeyedReason = (
  ctx: Context,
  reads: ReadonlySet<ReadName>,
  varied: readonly string[],
  route: ResolvedRoute,
  identity: Identity,
): Reason | undefined => {
  const { readsInFront } = exchangeOf(ctx);
  // Tracing headers are read in front for the log. Whether the response shows them is looked at later: `shownTrace`.
  const inFront = [...(readsInFront?.keys() ?? [])].filter((name) => !TRACING_HEADERS.has(name));
  const all = inFront.length === 0 ? reads : new Set([...reads, ...inFront]);
  const isOpen = (ctx.state as { auth?: unknown }).auth === undefined;
  const unkeyed = unkeyedReads(all, route, { isOpen, kind: identity.kind }).filter((name) => !varied.includes(name));
  if (unkeyed.length === 0) return undefined;
  return describeReads(unkeyed, (name) => (reads.has(name) ? undefined : readsInFront?.get(name)));
};

/**
 * What was read of a request and is not in its key, so that another caller's response might differ. If all headers were
 * listed, only `*` is returned.
 *
 * @param isOpen whether the route authenticates nobody.
 */
export const unkeyedReads = (
  reads: ReadonlySet<ReadName>,
  { keys, hitpass }: Pick<ResolvedRoute, 'keys' | 'hitpass'>,
  { isOpen, kind }: { readonly isOpen: boolean; readonly kind: Identity['kind'] },
): readonly ReadName[] => {
  const { useHeaders, ignoreHeaders, useAuth } = keys;
  if (reads.size === 0 || ignoreHeaders.includes(ALL_HEADERS)) return [];
  if (reads.has(ALL_HEADERS)) return [ALL_HEADERS];
  // Requests with credentials then bypass the cache, see `decision.ts`.
  const comesWithoutCredentials = hitpass === true || (useAuth !== false && isOpen && kind === 'public');
  const isKeyed = (name: ReadName): boolean =>
    useHeaders.includes(name) ||
    // The user's word.
    ignoreHeaders.includes(name) ||
    // In every key.
    BODY_SHAPING_HEADERS.includes(name) ||
    OF_BODIES.includes(name) ||
    // No request that is answered from the store sends them.
    (comesWithoutCredentials && CREDENTIAL_HEADERS.includes(name)) ||
    // The caller's identity, which is in the key, was read from this header: see `caller-reads.ts` for that of a role.
    (name === 'authorization' && useAuth !== false && (kind === 'user' || kind === 'token'));
  return [...reads].filter((name) => !isKeyed(name));
};

const SHOWN = 5;

/** In words, for `Cache-Status` and everything else that says why nothing was stored. */
const describeReads = (names: readonly ReadName[], whoRead: WhoRead): Reason => {
  const shown = names.slice(0, SHOWN).map((name) => ({ name, who: whoRead(name) }));
  const all = shown.map(({ name, who }) => `${describedRead(name)}${who === undefined ? '' : ` (in ${who})`}`);
  const about = shown.map(({ name, who }) => (who === undefined ? name : `${name} (${who})`));
  const [andMore, dots] = names.length > SHOWN ? [' and more', ', …'] : ['', ''];
  return {
    code: 'reads',
    detail: `reads ${all.join(', ')}${andMore} of the request, not in the key: see keys.useHeaders and keys.ignoreHeaders`,
    about: about.join(', ') + dots,
  };
};

export const describedRead = (name: ReadName): string => DESCRIBED.get(name) ?? name;

const DESCRIBED: ReadonlyMap<ReadName, string> = new Map([
  [ALL_HEADERS, 'all headers (*)'],
  [REMOTE_ADDRESS, "the caller's address (remote-address)"],
  [SESSION, 'the session'],
]);

/**
 * Notes what is read of the request until the returned function is called, which passes the reads to `use`, once.
 *
 * @param who the code that is about to run, in words.
 */
const noting = (ctx: Context, who: string, use: (reads: Set<ReadName>) => void, ofStrategies = false): (() => void) => {
  const reads = new Set<ReadName>();
  const endParameters = noteParameters(ctx, who);
  const end = noteReads(ctx, reads, ofStrategies);
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    end();
    endParameters();
    if (isByCookie(ctx) && reads.delete(SESSION)) reads.add('cookie');
    use(reads);
  };
};

/**
 * Whether the session depends on its cookie alone, which may have been read before, when the session was loaded from a
 * store. With `externalKey` it depends on whatever that function of the application's looks at.
 */
const isByCookie = ({ sessionOptions }: Context & { sessionOptions?: { externalKey?: unknown } }): boolean =>
  sessionOptions?.externalKey === undefined;

const noteInFront = (ctx: Context, who: string): (() => void) => {
  const add = (reads: Iterable<ReadName>): void => {
    for (const name of reads) {
      const all = (exchangeOf(ctx).readsInFront ??= new Map<ReadName, string>());
      if (!all.has(name)) all.set(name, who);
    }
  };
  try {
    return noting(ctx, who, add);
  } catch {
    // Then it counts as a read of everything. The request goes on as it would without the plugin.
    add([ALL_HEADERS]);
    return () => undefined;
  }
};

const STRATEGY = 'an authentication strategy';

/** Whether a strategy of the application has authenticated the caller. Admins read the content API through such a one. */
const isByOthers = (kind: Identity['kind']): boolean => kind === 'strategy' || kind === 'admin';

/**
 * Notes what authentication strategies read of a request: a strategy that does not authenticate the caller may have
 * left it on the context.
 *
 * @param onRead called with each header's name, except an `authorization` that they leave as it is; not called if all
 * headers were listed.
 * @returns ends it.
 */
export const beginReadsOfStrategies = (ctx: Context, onRead: (name: ReadName) => void): (() => void) => {
  const exchange = exchangeOf(ctx);
  const credential = (): string | undefined => unnoticed(ctx.req, () => ctx.req.headers.authorization);
  const before = credential();
  return noting(
    ctx,
    STRATEGY,
    (reads) => {
      const touched = touchedInFront(ctx);
      // Other strategies must be asked each time, also those that have read parameters only.
      if (touched?.isBy(STRATEGY) === true) exchange.readsOfStrategies = reads;
      if (isByOthers(callerIdentity(ctx.state).kind)) touched?.disregard(STRATEGY);
      // Strapi's own strategies read this header for every caller, and nothing else. A request with it bypasses the cache
      // (`hitpass`), or is keyed by who it is from (`useAuth`), unless the user says that callers share entries.
      if (credential() === before) reads.delete('authorization');
      if (reads.size === 0) return;
      exchange.readsOfStrategies = reads;
      // All that the client has sent, names that it makes up included: such a request bypasses the cache.
      if (!reads.has(ALL_HEADERS)) reads.forEach(onRead);
    },
    true,
  );
};

/**
 * The first thing that an authentication strategy has read of the request and that is not in the key, if any: such a
 * request bypasses the cache. This does not apply to callers whom a strategy of the application has authenticated: they
 * share one identity, named after the strategy. Nor does it apply to admins, who read the content API through such a
 * strategy.
 */
export const unkeyedByStrategy = (
  ctx: Context,
  { keys }: Pick<ResolvedRoute, 'keys'>,
  { kind }: Identity,
): ReadName | undefined => {
  const { readsOfStrategies: reads } = exchangeOf(ctx);
  if (reads === undefined || isByOthers(kind) || keys.ignoreHeaders.includes(ALL_HEADERS)) return undefined;
  const headers = countedHeaders(ctx);
  const isSent = (name: ReadName): boolean => DESCRIBED.has(name) || headers[name] !== undefined;
  return [...reads].find(
    (name) => isSent(name) && !keys.useHeaders.includes(name) && !keys.ignoreHeaders.includes(name),
  );
};

/** A HEAD is never stored, but what was read and set in front of it is part of its key. */
const isWatched = ({ method }: Context): boolean => method === 'GET' || method === 'HEAD';

/** Wraps a middleware: what it reads before it calls `next` is noted. */
export const notingReads =
  (middleware: Middleware, who: string): Middleware =>
  async (ctx, next) => {
    if (!isWatched(ctx) && exchangeOf(ctx).endpoint === undefined) return (await middleware(ctx, next)) as unknown;
    const end = noteInFront(ctx, who);
    try {
      return (await middleware(ctx, () => {
        end();
        return next();
      })) as unknown;
    } finally {
      end();
    }
  };

/**
 * Notes what a policy or middleware of the route reads, until the next one begins or the request reaches the lane.
 *
 * @param who the function that is about to run, in words.
 */
export const beginReadsOfRoute = (ctx: Context, who: string): void => {
  if (!isWatched(ctx)) return;
  endReadsOfRoute(ctx);
  exchangeOf(ctx).endReadsOfRoute = noteInFront(ctx, who);
};

/** Called at the lane. */
export const endReadsOfRoute = (ctx: Context): void => exchangeOf(ctx).endReadsOfRoute?.();

/** Called once the response is made: the caller may have been refused before the lane. */
export const endAllReads = (ctx: Context): void => {
  endReadsOfRoute(ctx);
  leaveUnwatched(ctx);
};
