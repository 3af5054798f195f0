import type { Context } from 'koa';

/** Decides for one request whether it bypasses the cache. */
export type HitpassFunction = (ctx: Context) => boolean | Promise<boolean>;

/**
 * `true` (default): requests with an `authorization` or `cookie` header bypass the cache. `false`: they do not.
 * A function decides request by request.
 */
export type Hitpass = boolean | HitpassFunction;

/** What tells two requests to the same path apart. Replaced as a whole at each level, never merged. */
export interface KeysConfig {
  /** `true`: every query parameter; a list: only these; `false`: none. Default `true`. */
  useQueryParams?: boolean | readonly string[];
  /** Request headers to key on. Default none. */
  useHeaders?: readonly string[];
  /** One entry per caller. Default `false`. */
  useAuth?: boolean;
}

export interface RouteConfig {
  /** Path pattern as the router knows it, prefix included: `/api/articles/:id`. */
  path: string;
  /** Default `GET`, the only method that is cached. */
  method?: 'GET';
  /** Milliseconds. */
  maxAge?: number;
  hitpass?: Hitpass;
  keys?: KeysConfig;
  /** Names given to the path's parameters, in order, for purging by them. */
  paramNames?: readonly string[];
}

export interface ContentTypeConfig {
  /** Uid: `api::article.article`, `plugin::upload.file`. */
  contentType: string;
  /** Milliseconds. */
  maxAge?: number;
  hitpass?: Hitpass;
  keys?: KeysConfig;
  /** Caches the type's core `find` and `findOne` routes. Default `true`. */
  injectDefaultRoutes?: boolean;
  routes?: ReadonlyArray<string | RouteConfig>;
}

export interface CacheControlConfig {
  /** Default `false`. */
  enabled?: boolean;
  /** `'config'` (default): what remains of the entry's maxAge; `'none'`: no `max-age`; or milliseconds. */
  maxAge?: 'config' | 'none' | number;
  /** Default `'private'`. */
  scope?: 'private' | 'public';
  /** Milliseconds, or `null` (default) for none. */
  staleWhileRevalidate?: number | null;
}

export interface StrategyConfig {
  debug?: boolean;
  enableEtag?: boolean;
  enableXCacheHeaders?: boolean;
  enableContentApiPurge?: boolean;
  enableDocumentServiceMiddleware?: boolean;
  clearRelatedCache?: boolean;
  enableAdminCTBMiddleware?: boolean;
  resetOnStartup?: boolean;
  honorRequestCacheControl?: boolean;
  /** Milliseconds. */
  maxAge?: number;
  keysPrefix?: string;
  hitpass?: Hitpass;
  keys?: KeysConfig;
  cacheControl?: CacheControlConfig;
  /** How finely dependencies are told apart. Default `'document'`. */
  precision?: 'table' | 'document';
  /** Where repeat requests are answered. Default `'auto'`. */
  lane?: 'auto' | 'front' | 'router' | 'inner';
  contentTypes?: ReadonlyArray<string | ContentTypeConfig>;
}

export interface ProviderConfig {
  /** `'memory'`, `'redis'`, or a custom provider's module path. */
  name?: string;
  /** Milliseconds. */
  getTimeout?: number;
  /** Passed unchanged to the provider. */
  options?: Record<string, unknown>;
}

/** What a user writes under `rest-cache.config` in `config/plugins.ts`. */
export interface RestCacheConfig {
  provider?: ProviderConfig;
  strategy?: StrategyConfig;
}
