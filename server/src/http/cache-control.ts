import { toSeconds, type Milliseconds } from '../cache/milliseconds';
import type { ResolvedCacheControl } from '../config/resolved-config';

/**
 * The `Cache-Control` value for an entry, or `undefined` when none is configured. `max-age` is the entry's whole
 * lifetime: together with `Age` a client computes what remains (RFC 9111, section 4.2).
 *
 * @param perCaller keyed by identity: never `public`, whatever is configured.
 */
export const cacheControlHeader = (
  config: ResolvedCacheControl,
  maxAge: Milliseconds,
  perCaller: boolean,
): string | undefined => {
  if (!config.enabled) return undefined;
  const directives: string[] = [perCaller ? 'private' : config.scope];
  if (config.maxAge !== 'none') {
    directives.push(`max-age=${toSeconds(config.maxAge === 'config' ? maxAge : config.maxAge)}`);
  }
  if (config.staleWhileRevalidate !== null) {
    directives.push(`stale-while-revalidate=${toSeconds(config.staleWhileRevalidate)}`);
  }
  return directives.join(', ');
};

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
