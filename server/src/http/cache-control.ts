import type { Context } from 'koa';
import { milliseconds, toSeconds, type Milliseconds } from '../cache/milliseconds';
import { isOfOneCaller } from '../config/hitpass';
import type { ResolvedCacheControl, ResolvedEdge, ResolvedRoute, ResolvedStrategy } from '../config/resolved-config';
import { directivesOf } from './field-values';
import { DIRECTIVE_FIELDS } from './handlers-freshness';
import { BODY_SHAPING_HEADERS } from './request-key';

/** `Cache-Control` for responses that must not be kept by a cache that may keep others (RFC 9111, section 5.2.2.5). */
export const NOT_TO_BE_KEPT = 'no-store';

/** Replaces all directives for other caches by one value: some take another field before `Cache-Control`. */
export const directAllCaches = (ctx: Context, value: string): void => {
  for (const name of DIRECTIVE_FIELDS) ctx.remove(name);
  ctx.set('Cache-Control', value);
};

type Kept = Pick<ResolvedRoute, 'hitpass' | 'keys' | 'maxAge'>;
type Advertising = Pick<ResolvedStrategy, 'cacheControl' | 'edge'>;

/** Whether the edge may answer any caller with this route's responses, without asking the origin. */
export const isSharedByCaches = (route: Pick<Kept, 'hitpass' | 'keys'>): boolean =>
  !isOfOneCaller(route) && typeof route.hitpass !== 'function';

/**
 * How long other caches may use an entry without asking the origin; `undefined` if no time is advertised. An entry that
 * is kept for less than the route's `maxAge` (the handler has shortened it, for example) also limits the time that is
 * configured for other caches.
 *
 * @param maxAge the entry's.
 */
export const advertisedMaxAge = (
  { cacheControl, edge }: Advertising,
  route: Kept,
  maxAge: Milliseconds,
): Milliseconds | undefined => {
  const configured = (edge ?? cacheControl).maxAge;
  if (!cacheControl.enabled || configured === 'none') return undefined;
  if (edge !== null && !isSharedByCaches(route)) return undefined;
  if (configured === 'config') return maxAge;
  return maxAge < route.maxAge ? milliseconds(Math.min(configured, maxAge)) : configured;
};

/**
 * The `Cache-Control` value for an entry, or `undefined` if none is configured. `max-age` stays the same during the
 * entry's life: clients compute what remains from it and `Age` (RFC 9111, section 4.2).
 *
 * With an edge, the application relies on purges, which reach the edge alone. So `no-cache` (section 5.2.2.4) obliges
 * all other caches to ask the origin before each use.
 *
 * @param maxAge the entry's.
 */
export const cacheControlHeader = (strategy: Advertising, route: Kept, maxAge: Milliseconds): string | undefined => {
  const { cacheControl: config, edge } = strategy;
  if (!config.enabled) return undefined;
  const scope = isOfOneCaller(route) ? 'private' : config.scope;
  if (edge !== null) return `${isSharedByCaches(route) ? 'public' : scope}, no-cache`;
  const directives: string[] = [scope];
  const advertised = advertisedMaxAge(strategy, route, maxAge);
  if (advertised !== undefined) directives.push(`max-age=${toSeconds(advertised)}`);
  if (config.staleWhileRevalidate !== null) {
    directives.push(`stale-while-revalidate=${toSeconds(config.staleWhileRevalidate)}`);
  }
  return directives.join(', ');
};

/**
 * The header that lets the edge alone use a response without asking the origin. In `Cache-Control`, shared caches heed
 * `s-maxage` instead of `max-age` (RFC 9111, section 5.2.2.10); for browsers the response is stale at once, and
 * `must-revalidate` keeps them from using it (section 5.2.2.2). A targeted field takes precedence over `Cache-Control`
 * (RFC 9213, section 2.2).
 *
 * @param advertised see {@link advertisedMaxAge}.
 */
export const edgeLifetime = (
  { lifetimeHeader }: Pick<ResolvedEdge, 'lifetimeHeader'>,
  advertised: Milliseconds,
): readonly [name: string, value: string] =>
  lifetimeHeader === 'Cache-Control'
    ? [lifetimeHeader, `public, max-age=0, must-revalidate, s-maxage=${toSeconds(advertised)}`]
    : [lifetimeHeader, `max-age=${toSeconds(advertised)}`];

/**
 * The request headers to name in `Vary` on a cached route. If `Cache-Control` is sent, other caches have to know all
 * headers on which the response depends. The credential headers are among them on every route: they decide whether the
 * caller is authorised and, by default, whether the request bypasses the cache.
 */
export const variedOn = (config: ResolvedCacheControl, { useHeaders }: ResolvedRoute['keys']): readonly string[] =>
  config.enabled ? [...useHeaders, 'Authorization', 'Cookie', ...BODY_SHAPING_HEADERS] : useHeaders;

/** Whether the request asks for an answer from the origin (RFC 9111, section 5.2.1). */
export const refusesStored = (
  cacheControl: string | undefined,
  pragma: string | undefined,
): 'no-store' | 'no-cache' | undefined => {
  const directives = directivesOf(cacheControl ?? pragma ?? '');
  if (directives.some(([name]) => name === 'no-store')) return 'no-store';
  const asksAgain = directives.some(
    ([name, argument]) => name === 'no-cache' || (name === 'max-age' && argument === '0'),
  );
  return asksAgain ? 'no-cache' : undefined;
};
