import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import type { ResolvedCacheControl, ResolvedKeys, ResolvedStrategy } from './resolved-config';

/**
 * What an option is when a user leaves it out. Filled in after the user's configuration is read, never by Strapi: its
 * merging knows nothing of `keys` being replaced as a whole, and merges lists by index.
 */
export const DEFAULT_KEYS: ResolvedKeys = { useQueryParams: true, useHeaders: [], ignoreHeaders: [], useAuth: false };

/** Requests with credentials bypass the cache. */
export const DEFAULT_HITPASS = true;

export const DEFAULT_CACHE_CONTROL: ResolvedCacheControl = {
  enabled: false,
  maxAge: 'config',
  scope: 'private',
  staleWhileRevalidate: null,
};

export const DEFAULT_STRATEGY: ResolvedStrategy = {
  debug: false,
  enableEtag: false,
  enableXCacheHeaders: false,
  enableContentApiPurge: false,
  enableDocumentServiceMiddleware: true,
  clearRelatedCache: true,
  enableAdminCTBMiddleware: true,
  resetOnStartup: false,
  honorRequestCacheControl: false,
  maxAge: milliseconds(3_600_000),
  keysPrefix: '',
  hitpass: DEFAULT_HITPASS,
  keys: DEFAULT_KEYS,
  cacheControl: DEFAULT_CACHE_CONTROL,
  precision: 'document',
  lane: 'auto',
  contentTypes: [],
};

export const DEFAULT_PROVIDER_NAME = 'memory';

export const DEFAULT_GET_TIMEOUT: Milliseconds = milliseconds(500);

/** An object with the default of everything that `written` leaves out or has as `undefined`. */
export const fillIn = <T extends object>(defaults: T, written: { readonly [K in keyof T]?: T[K] | undefined }): T => ({
  ...defaults,
  ...Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined)),
});
