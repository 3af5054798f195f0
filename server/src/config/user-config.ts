import type { Context } from 'koa';
import type { MaybePromise, Provider, ProviderSettings } from '../cache/provider';

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
  /**
   * Request headers that a handler reads without answering otherwise; `'*'`: all, `'remote-address'`: the caller's address.
   * A response whose handler has read any other, that is not in `useHeaders` either, is not stored. Default none.
   */
  ignoreHeaders?: readonly string[];
  /** One entry per caller. Default `false`. */
  useAuth?: boolean;
}

/** Methods a route may be listed for. */
export const ROUTE_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type RouteMethod = (typeof ROUTE_METHODS)[number];

/** A route to cache. What it leaves out it inherits from its content type. */
export interface RouteConfig {
  /** Path pattern as the router knows it: `/api/articles/:id`. The API prefix may be left out. */
  path: string;
  /**
   * Default `GET`, the only method that is cached; HEAD is answered from it. The incumbent lists routes of other methods
   * to purge after them. Here every write invalidates without being listed: such a route has no effect but a warning.
   */
  method?: RouteMethod;
  /** Milliseconds, more than 0. */
  maxAge?: number;
  hitpass?: Hitpass;
  keys?: KeysConfig;
  repeatable?: boolean;
  /** Names given to the path's parameters, in order, for purging by them. */
  paramNames?: readonly string[];
}

/** A content type to cache. What it leaves out it inherits from the strategy. */
export interface ContentTypeConfig {
  /** Uid: `api::article.article`, `plugin::upload.file`. */
  contentType: string;
  /** Milliseconds, more than 0. */
  maxAge?: number;
  hitpass?: Hitpass;
  keys?: KeysConfig;
  repeatable?: boolean;
  /** Caches the type's core `find` and `findOne` routes. Default `true`. */
  injectDefaultRoutes?: boolean;
  /** Further routes, or default routes with settings of their own. Default none. */
  routes?: ReadonlyArray<string | RouteConfig>;
  /** @deprecated Has no effect: read from the content type's schema. */
  singleType?: boolean;
  /** @deprecated Has no effect: read from the content type's schema. */
  plugin?: string;
  /** @deprecated Has no effect: read from the content type's schema. */
  relatedContentTypeUid?: readonly string[];
}

/** The `Cache-Control` header that browsers and CDNs receive. */
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

/** What is cached, for how long and under which key. */
export interface StrategyConfig {
  /** Logs each decision. Default `false`. */
  debug?: boolean;
  /** Sends an `ETag` and answers `If-None-Match` with 304. Default `false`. */
  enableEtag?: boolean;
  /** Reports the outcome in `X-Cache` and `Cache-Status`. Default `false`. */
  enableXCacheHeaders?: boolean;
  /** Opens `POST /api/rest-cache/purge` to callers it is granted to. Default `false`. */
  enableContentApiPurge?: boolean;
  /** Default `true`. `false`: only writes that arrive on HTTP write routes invalidate. */
  enableDocumentServiceMiddleware?: boolean;
  /** Default `true`. `false`: only writes to the cached type itself invalidate its responses. */
  clearRelatedCache?: boolean;
  /** Writes made in the admin panel invalidate when `enableDocumentServiceMiddleware` is `false`. Default `true`. */
  enableAdminCTBMiddleware?: boolean;
  /** Purges everything at boot. Default `false`. */
  resetOnStartup?: boolean;
  /** Lets a request bypass the cache with `Cache-Control: no-store` or `no-cache`. Default `false`. */
  honorRequestCacheControl?: boolean;
  /** Milliseconds, more than 0. Default 3600000, one hour. */
  maxAge?: number;
  /** Separates applications that share a store. Default `''`. */
  keysPrefix?: string;
  hitpass?: Hitpass;
  keys?: KeysConfig;
  /**
   * Your word that the policies and middlewares of routes depend on nothing but the request line, the keyed headers and
   * the caller, so that a hit need not call them. Default `false`.
   */
  repeatable?: boolean;
  /**
   * The same word for global middlewares of the application's own, or a plugin's, by their names (`'global::locale'`).
   * Default none.
   */
  repeatableMiddlewares?: readonly string[];
  cacheControl?: CacheControlConfig;
  /** How finely dependencies are told apart. Default `'document'`. */
  precision?: 'table' | 'document';
  /** Where repeat requests are answered. Default `'auto'`. */
  lane?: 'auto' | 'front' | 'router' | 'inner';
  /** Uids, or objects where one differs from the strategy. Default none. */
  contentTypes?: ReadonlyArray<string | ContentTypeConfig>;
}

/** Makes a provider from `provider.options` and what the plugin has to say. Called once, at boot. */
export type ProviderFactory = (
  options: Readonly<Record<string, unknown>>,
  settings: ProviderSettings,
) => MaybePromise<Provider>;

/** The named fields are the memory provider's; every other provider reads its own. */
export interface ProviderOptions {
  /** Entries held before the least recently used one is evicted. Default 32767. */
  maxSize?: number;
  /** Alias of `maxSize`. */
  max?: number;
  /** Bytes held before the least recently used entry is evicted. Default: a quarter of the memory the process may use. */
  maxBytes?: number;
  [option: string]: unknown;
}

/** Where entries are held: a provider by its name, or a provider itself. */
export interface ProviderConfig {
  /** `'memory'` (default), `'redis'`, or a custom provider's module path. */
  name?: string;
  /**
   * A provider of your own, instead of `name`: an object that implements the contract `Provider`, or a function that
   * makes one from `options` and the plugin's settings.
   */
  instance?: Provider | ProviderFactory;
  /** Milliseconds one operation may take before the origin answers instead. Default 500. */
  getTimeout?: number;
  /** Passed unchanged to the provider. May hold credentials: never logged, never returned by a route. */
  options?: ProviderOptions;
  /** @deprecated Has no effect: write `options.maxSize`. */
  max?: number;
}

/** Measurements for monitoring systems. */
export interface MetricsConfig {
  /** What a Prometheus server presents as its bearer token. Unset: metrics are not served to it. */
  prometheusSecret?: string;
}

/** What a user writes under `rest-cache.config` in `config/plugins.ts`. */
export interface RestCacheConfig {
  provider?: ProviderConfig;
  strategy?: StrategyConfig;
  metrics?: MetricsConfig;
}
