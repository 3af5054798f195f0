import { toSeconds, type Milliseconds } from '../cache/milliseconds';
import type { ResolvedCacheControl, ResolvedRoute } from '../config/resolved-config';
import { BODY_SHAPING_HEADERS } from './request-key';

/** For whatever a cached route answers and this cache does not keep either (RFC 9111, section 5.2.2.5). */
export const NOT_TO_BE_KEPT = 'no-store';

/** Request headers that tell callers apart. */
const CREDENTIALS: readonly string[] = ['Authorization', 'Cookie'];

/**
 * The `Cache-Control` value for an entry, or `undefined` when none is configured. `max-age` is the entry's whole
 * lifetime: together with `Age` a client computes what remains (RFC 9111, section 4.2).
 *
 * Other caches may not use again without asking (`no-cache`, section 5.2.2.4) what is one caller's, for only Strapi knows
 * who is asking and whether they still may see it, nor what a `hitpass` function has to be asked about.
 */
export const cacheControlHeader = (
  config: ResolvedCacheControl,
  { hitpass, keys }: Pick<ResolvedRoute, 'hitpass' | 'keys'>,
  maxAge: Milliseconds,
): string | undefined => {
  if (!config.enabled) return undefined;
  if (keys.useAuth || CREDENTIALS.some((name) => keys.useHeaders.includes(name.toLowerCase())))
    return 'private, no-cache';
  if (typeof hitpass === 'function') return `${config.scope}, no-cache`;
  const directives: string[] = [config.scope];
  if (config.maxAge !== 'none') {
    directives.push(`max-age=${toSeconds(config.maxAge === 'config' ? maxAge : config.maxAge)}`);
  }
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
  const directives = (cacheControl ?? (pragma === 'no-cache' ? pragma : ''))
    .toLowerCase()
    .split(',')
    .map((part) => part.trim());
  if (directives.includes('no-store')) return 'no-store';
  return directives.includes('no-cache') || directives.includes('max-age=0') ? 'no-cache' : undefined;
};
