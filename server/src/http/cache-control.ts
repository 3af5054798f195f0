import { milliseconds, toSeconds, type Milliseconds } from '../cache/milliseconds';
import type { ResolvedCacheControl, ResolvedRoute } from '../config/resolved-config';
import { directivesOf } from './directives';
import { BODY_SHAPING_HEADERS } from './request-key';

/** For whatever a cached route answers and this cache does not keep either (RFC 9111, section 5.2.2.5). */
export const NOT_TO_BE_KEPT = 'no-store';

/** Request headers that tell callers apart. */
const CREDENTIALS: readonly string[] = ['Authorization', 'Cookie'];

type Kept = Pick<ResolvedRoute, 'hitpass' | 'keys' | 'maxAge'>;

const isOfOneCaller = ({ keys }: Pick<Kept, 'keys'>): boolean =>
  keys.useAuth || CREDENTIALS.some((name) => keys.useHeaders.includes(name.toLowerCase()));

/**
 * How long other caches are told to use an entry without asking; `undefined` where they are told no time. Where the
 * handler has shortened what is configured here, it has for them.
 */
export const toldMaxAge = (
  config: ResolvedCacheControl,
  route: Kept,
  maxAge: Milliseconds,
): Milliseconds | undefined => {
  if (!config.enabled || config.maxAge === 'none') return undefined;
  if (isOfOneCaller(route) || typeof route.hitpass === 'function') return undefined;
  if (config.maxAge === 'config') return maxAge;
  return maxAge < route.maxAge ? milliseconds(Math.min(config.maxAge, maxAge)) : config.maxAge;
};

/**
 * The `Cache-Control` value for an entry, or `undefined` when none is configured. `max-age` is the same for as long as
 * the entry is there: together with `Age` a client computes what remains (RFC 9111, section 4.2).
 *
 * Other caches may not use again without asking (`no-cache`, section 5.2.2.4) what is one caller's, for only Strapi knows
 * who is asking and whether they still may see it, nor what a `hitpass` function has to be asked about.
 */
export const cacheControlHeader = (
  config: ResolvedCacheControl,
  route: Kept,
  maxAge: Milliseconds,
): string | undefined => {
  if (!config.enabled) return undefined;
  if (isOfOneCaller(route)) return 'private, no-cache';
  if (typeof route.hitpass === 'function') return `${config.scope}, no-cache`;
  const directives: string[] = [config.scope];
  const told = toldMaxAge(config, route, maxAge);
  if (told !== undefined) directives.push(`max-age=${toSeconds(told)}`);
  if (config.staleWhileRevalidate !== null) {
    directives.push(`stale-while-revalidate=${toSeconds(config.staleWhileRevalidate)}`);
  }
  return directives.join(', ');
};

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
