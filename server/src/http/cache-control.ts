import { milliseconds, toSeconds, type Milliseconds } from '../cache/milliseconds';
import type { ResolvedCacheControl, ResolvedEdge, ResolvedRoute, ResolvedStrategy } from '../config/resolved-config';
import { directivesOf } from './field-values';
import { BODY_SHAPING_HEADERS } from './request-key';

/** For whatever a cached route answers and this cache does not keep either (RFC 9111, section 5.2.2.5). */
export const NOT_TO_BE_KEPT = 'no-store';

const CREDENTIALS: readonly string[] = ['Authorization', 'Cookie'];

type Kept = Pick<ResolvedRoute, 'hitpass' | 'keys' | 'maxAge'>;
type Told = Pick<ResolvedStrategy, 'cacheControl' | 'edge'>;

const isOfOneCaller = ({ keys }: Pick<Kept, 'keys'>): boolean =>
  keys.useAuth || CREDENTIALS.some((name) => keys.useHeaders.includes(name.toLowerCase()));

/** Whether other caches may answer any caller with it, without asking. */
export const isSharedByCaches = (route: Pick<Kept, 'hitpass' | 'keys'>): boolean =>
  !isOfOneCaller(route) && typeof route.hitpass !== 'function';

/**
 * How long other caches are told to use an entry without asking; `undefined` where they are told no time. Where the
 * handler has shortened what is configured here, it has for them.
 */
export const toldMaxAge = (
  { cacheControl, edge }: Told,
  route: Kept,
  maxAge: Milliseconds,
): Milliseconds | undefined => {
  const configured = (edge ?? cacheControl).maxAge;
  if (!cacheControl.enabled || configured === 'none' || !isSharedByCaches(route)) return undefined;
  if (configured === 'config') return maxAge;
  return maxAge < route.maxAge ? milliseconds(Math.min(configured, maxAge)) : configured;
};

/**
 * The `Cache-Control` value for an entry, or `undefined` when none is configured. `max-age` is the same for as long as
 * the entry is there: together with `Age` a client computes what remains (RFC 9111, section 4.2).
 *
 * Other caches may not use again without asking (`no-cache`, section 5.2.2.4) what is one caller's, for only Strapi knows
 * who is asking and whether they still may see it, nor what a `hitpass` function has to be asked about.
 */
export const cacheControlHeader = (strategy: Told, route: Kept, maxAge: Milliseconds): string | undefined => {
  const { cacheControl: config, edge } = strategy;
  if (!config.enabled) return undefined;
  if (isOfOneCaller(route)) return 'private, no-cache';
  if (typeof route.hitpass === 'function') return `${config.scope}, no-cache`;
  // The edge alone may keep it: a browser cannot be told to purge.
  if (edge !== null) return NOT_WITHOUT_ASKING;
  const directives: string[] = [config.scope];
  const told = toldMaxAge(strategy, route, maxAge);
  if (told !== undefined) directives.push(`max-age=${toSeconds(told)}`);
  if (config.staleWhileRevalidate !== null) {
    directives.push(`stale-while-revalidate=${toSeconds(config.staleWhileRevalidate)}`);
  }
  return directives.join(', ');
};

/** For what a cache may keep and has to ask about each time (RFC 9111, section 5.2.2.4). */
const NOT_WITHOUT_ASKING = 'public, no-cache';

/**
 * The header that allows the edge alone to keep an answer. `must-revalidate` keeps browsers from using what has run out at
 * once (RFC 9111, sections 5.2.2.10 and 5.2.2.2), targeted fields go before `Cache-Control` (RFC 9213, section 2.2).
 *
 * @param told see {@link toldMaxAge}.
 */
export const edgeLifetime = (
  { lifetimeHeader }: Pick<ResolvedEdge, 'lifetimeHeader'>,
  told: Milliseconds,
): readonly [name: string, value: string] =>
  lifetimeHeader === 'Cache-Control'
    ? [lifetimeHeader, `public, max-age=0, must-revalidate, s-maxage=${toSeconds(told)}`]
    : [lifetimeHeader, `max-age=${toSeconds(told)}`];

/**
 * Request headers on which a cached route's answer depends. Where other caches are told to keep answers, they have to
 * know all of them: credentials decide who is let in, and who bypasses the cache, on every route that has not been told
 * otherwise.
 */
export const variedOn = (config: ResolvedCacheControl, { useHeaders }: ResolvedRoute['keys']): readonly string[] =>
  config.enabled ? [...useHeaders, ...CREDENTIALS, ...BODY_SHAPING_HEADERS] : useHeaders;

/** Whether the request asks for an answer from the origin (RFC 9111, section 5.2.1). */
export const refusesStored = (
  cacheControl: string | undefined,
  pragma: string | undefined,
): 'no-store' | 'no-cache' | undefined => {
  const directives = directivesOf(cacheControl ?? (pragma === 'no-cache' ? pragma : ''));
  if (directives.some(([name]) => name === 'no-store')) return 'no-store';
  const asksAgain = directives.some(
    ([name, argument]) => name === 'no-cache' || (name === 'max-age' && argument === '0'),
  );
  return asksAgain ? 'no-cache' : undefined;
};
