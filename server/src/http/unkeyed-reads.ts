import type { Context, Middleware } from 'koa';
import type { Reason } from '../cache/response-cache';
import type { ResolvedRoute } from '../config/resolved-config';
import type { Identity } from './caller-identity';
import { exchangeOf } from './exchange';
import { noteParameters } from './query-parameters';
import { BODY_SHAPING_HEADERS } from './request-key';
import { TRACING_HEADERS } from './request-message';
import { ALL_HEADERS, noteReads, type ReadName, REMOTE_ADDRESS } from './request-reads';
import { watchSession } from './session-use';

/** Of a request without a body, which alone is answered from the store, these say nothing. */
const OF_BODIES: readonly string[] = ['content-length', 'transfer-encoding'];

const CREDENTIALS: readonly string[] = ['authorization', 'cookie'];

/** Who has read it; `undefined`: the handler. */
export type WhereRead = (name: ReadName) => string | undefined;

export type OnUnkeyedReads = (names: readonly ReadName[], where: WhereRead) => void;

/**
 * Why a response is not to be stored by what was read of its request: another caller's headers might have made another
 * answer. What the application's own functions in front of the lane have read and put into `ctx.state`, say, the handler
 * makes its answer of.
 *
 * @param reads the handler's own.
 * @param varied by which of them the answer's variants are told apart.
 */
export const unkeyedReason = (
  ctx: Context,
  reads: ReadonlySet<ReadName>,
  varied: readonly string[],
  route: ResolvedRoute,
  identity: Identity,
  onUnkeyedReads: OnUnkeyedReads,
): Reason | undefined => {
  const { readsInFront } = exchangeOf(ctx);
  const all = readsInFront === undefined ? reads : new Set([...reads, ...readsInFront.keys()]);
  const isOpen = (ctx.state as { auth?: unknown }).auth === undefined;
  const unkeyed = unkeyedReads(all, route, { isOpen, kind: identity.kind }).filter((name) => !varied.includes(name));
  if (unkeyed.length === 0) return undefined;
  const where: WhereRead = (name) => (reads.has(name) ? undefined : readsInFront?.get(name));
  onUnkeyedReads(unkeyed, where);
  return describeReads(unkeyed, where);
};

/**
 * What was read of a request that its key does not hold: another caller's answer might be another. Of listed names (`*`)
 * only that they were listed.
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
  // Requests that carry these are then never answered from the store: see hitpass.
  const comesWithoutCredentials = hitpass === true || (useAuth && isOpen && kind === 'public');
  const isKeyed = (name: ReadName): boolean =>
    useHeaders.includes(name) ||
    ignoreHeaders.includes(name) ||
    BODY_SHAPING_HEADERS.includes(name) ||
    OF_BODIES.includes(name) ||
    (comesWithoutCredentials && CREDENTIALS.includes(name)) ||
    // The identity was read from it.
    (name === 'authorization' && useAuth && (kind === 'user' || kind === 'token'));
  return [...reads].filter((name) => !isKeyed(name));
};

const SHOWN = 5;

/** For `Cache-Status` and whoever else asks why nothing was stored. */
const describeReads = (names: readonly ReadName[], where: WhereRead): Reason => ({
  code: 'reads',
  detail:
    `reads ${names
      .slice(0, SHOWN)
      .map((name) => `${describedRead(name)}${where(name) === undefined ? '' : ` (in ${where(name) ?? ''})`}`)
      .join(', ')}${names.length > SHOWN ? ' and more' : ''} of the request, ` +
    'not in the key: see keys.useHeaders and keys.ignoreHeaders',
});

export const describedRead = (name: ReadName): string =>
  name === ALL_HEADERS ? 'all headers (*)' : name === REMOTE_ADDRESS ? "the caller's address (remote-address)" : name;

/** Notes what is read from here on until what is returned is called; `use` is given that, once. */
const noting = (ctx: Context, use: (reads: Set<ReadName>) => void): (() => void) => {
  const reads = new Set<ReadName>();
  const end = noteReads(ctx, reads);
  const usedSession = watchSession(ctx);
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    end();
    // It is known by its cookie, which whoever has fetched it from a store may have read before.
    if (usedSession() !== undefined) reads.add('cookie');
    use(reads);
  };
};

const noteInFront = (ctx: Context, where: string): (() => void) => {
  const endParameters = noteParameters(ctx, where);
  return noting(ctx, (reads) => {
    endParameters();
    for (const name of reads) {
      // Middlewares read these for the log, and an answer is never made of them.
      if (TRACING_HEADERS.has(name)) continue;
      const all = (exchangeOf(ctx).readsInFront ??= new Map());
      if (!all.has(name)) all.set(name, where);
    }
  });
};

/**
 * Notes what authentication strategies read of a request: one that declines may have left it on the context.
 *
 * @returns ends it.
 */
export const beginReadsOfStrategies = (ctx: Context, onRead: (name: ReadName) => void): (() => void) =>
  noting(ctx, (reads) => {
    // Strapi's own read this and nothing else; callers are told apart by it.
    reads.delete('authorization');
    if (reads.size === 0) return;
    exchangeOf(ctx).readsOfStrategies = reads;
    reads.forEach(onRead);
  });

/**
 * What of the request an authentication strategy has read that the key does not hold, if anything: whoever sends it bypasses
 * the cache. Of a strategy that lets its callers in, all share an identity, as its name says; and admins read the content
 * API by such a one.
 */
export const unkeyedByStrategy = (
  ctx: Context,
  { keys }: Pick<ResolvedRoute, 'keys'>,
  { kind }: Identity,
): ReadName | undefined => {
  const { readsOfStrategies: reads } = exchangeOf(ctx);
  const isLetIn = kind === 'strategy' || kind === 'admin';
  if (reads === undefined || isLetIn || keys.ignoreHeaders.includes(ALL_HEADERS)) return undefined;
  const isSent = (name: ReadName): boolean =>
    name === ALL_HEADERS || name === REMOTE_ADDRESS || ctx.req.headers[name] !== undefined;
  return [...reads].find(
    (name) => isSent(name) && !keys.useHeaders.includes(name) && !keys.ignoreHeaders.includes(name),
  );
};

/** The same middleware; what it reads before it calls the next one is noted. */
export const notingReads =
  (middleware: Middleware, where: string): Middleware =>
  async (ctx, next) => {
    if (ctx.method !== 'GET') return (await middleware(ctx, next)) as unknown;
    const end = noteInFront(ctx, where);
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
 * From here to the next of the route's own policies and middlewares, or to the lane.
 *
 * @param who is about to run.
 */
export const beginReadsOfRoute = (ctx: Context, who: string): void => {
  const exchange = exchangeOf(ctx);
  exchange.headBeforeRoute ??= ctx.res.getHeaders();
  if (ctx.method !== 'GET') return;
  endReadsOfRoute(ctx);
  exchange.endReadsOfRoute = noteInFront(ctx, who);
};

/** At the lane, or when the answer is made: they may have refused the caller. */
export const endReadsOfRoute = (ctx: Context): void => exchangeOf(ctx).endReadsOfRoute?.();
