import type { EdgeConfig } from './edge-config';
import type { Core } from '@strapi/strapi';
import type { MaybePromise, Provider, ProviderSettings } from '../cache/provider';
import type { ContentTypeUid, ExcludedContentType, RoutePath } from './application-names';
import type { OptionsOf, ProviderName } from './provider-options';

/** Decides for one request, by Koa's context, whether it bypasses the cache. */
export type HitpassFunction = (ctx: Parameters<Core.MiddlewareHandler>[0]) => boolean | Promise<boolean>;

/**
 * `true` (default): requests with an `authorization` or `cookie` header bypass the cache. `false`: they do not.
 * A function decides request by request.
 */
export type Hitpass = boolean | HitpassFunction;

/** What tells two requests to the same path apart. Replaced as a whole at each level, never merged. */
export interface KeysConfig {
  /**
   * `true`: every query parameter counts; a list: only these; `false`: none. What does not count is not seen by the
   * handler.
   * @default true
   */
  useQueryParams?: boolean | readonly string[];
  /**
   * Request headers that count. Case does not matter.
   * @default []
   */
  useHeaders?: readonly string[];
  /**
   * Request headers that your code reads without answering otherwise; `'*'`: all, `'remote-address'`: the caller's address.
   * A response whose handler has read any other, that is not in `useHeaders` either, is not stored.
   * @default []
   * @see docs/configuration.md#tell-requests-apart-by-a-header
   */
  ignoreHeaders?: readonly string[];
  /**
   * One entry per caller.
   * @default false
   */
  useAuth?: boolean;
}

/**
 * Statuses that may be kept where they are named: those that a cache may keep by default (RFC 9110, section 15.1), and the
 * redirects that it may keep when it is told to.
 */
export const KEPT_STATUSES = [203, 204, 300, 301, 302, 303, 307, 308, 404, 405, 410, 414, 501] as const;
export type KeptStatus = (typeof KEPT_STATUSES)[number];

/** A status whose answers are kept for another time than the route's. */
export interface StatusConfig {
  /** Such as 404. */
  status: KeptStatus;
  /**
   * How long: milliseconds, more than 0.
   * @default the route's
   */
  maxAge?: number;
}

/** Methods a route may be listed for. */
export const ROUTE_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type RouteMethod = (typeof ROUTE_METHODS)[number];

/** What a route inherits from its content type, and a content type from the strategy. */
interface InheritedConfig {
  /**
   * How long an entry may be served: milliseconds, more than 0. A handler's own `Cache-Control` or `Expires` may shorten it.
   * @default what the level above says
   * @see docs/http.md#what-your-code-says
   */
  maxAge?: number;
  /**
   * `true`: requests with an `authorization` or `cookie` header bypass the cache. `false`: they do not; then set
   * `keys.useAuth`. A function decides request by request.
   * @default what the level above says
   */
  hitpass?: Hitpass;
  /**
   * What tells two requests to the same path apart; replaces the `keys` of the level above as a whole.
   * @default what the level above says
   */
  keys?: KeysConfig;
  /**
   * Statuses beside 200 whose answers are kept, each with a `maxAge` of its own if need be. Replaced as a whole.
   * @default what the level above says
   */
  statuses?: ReadonlyArray<KeptStatus | StatusConfig>;
  /**
   * Your word that policies and middlewares of the route depend on nothing but the request line, the keyed headers and
   * the caller, so that a hit need not call them.
   * @default what the level above says
   */
  repeatable?: boolean;
}

/** A route to cache. What it leaves out it inherits from its content type. */
export interface RouteConfig extends InheritedConfig {
  /** Path pattern as the router knows it: `/api/articles/:id`. The API prefix may be left out. */
  path: RoutePath;
  /**
   * `GET` is the only method that is cached; HEAD is answered from it. `@strapi-community/plugin-rest-cache` lists routes of
   * other methods to purge after them. Here every write invalidates without being listed: such a route has no effect but
   * a warning.
   * @default 'GET'
   */
  method?: RouteMethod;
  /**
   * Names given to the path's parameters, in order, for purging by them.
   * @default the names in the mounted path
   */
  paramNames?: readonly string[];
}

/** A content type to cache. What it leaves out it inherits from the strategy. */
export interface ContentTypeConfig extends InheritedConfig {
  /** Uid: `api::article.article`, `plugin::upload.file`. */
  contentType: ContentTypeUid;
  /**
   * Caches the routes whose handlers are the type's `find` and `findOne`, in whatever API they are.
   * @default true
   */
  injectDefaultRoutes?: boolean;
  /**
   * Further routes, or default routes with settings of their own.
   * @default []
   */
  routes?: ReadonlyArray<RoutePath | RouteConfig>;
  /**
   * @deprecated Has no effect: read from the content type's schema.
   * @default none
   */
  singleType?: boolean;
  /**
   * @deprecated Has no effect: read from the content type's schema.
   * @default none
   */
  plugin?: string;
  /**
   * @deprecated Has no effect: read from the content type's schema.
   * @default none
   */
  relatedContentTypeUid?: readonly string[];
}

/** The `Cache-Control` header that browsers and CDNs receive. */
export interface CacheControlConfig {
  /**
   * Sends the header, `no-store` included, and a `Vary` that names credentials.
   * @default false
   */
  enabled?: boolean;
  /**
   * Of responses that all callers share. `'config'`: the entry's `maxAge`, of which the header `Age` says how much has
   * passed; `'none'`: no `max-age`; or milliseconds, 0 or more: that much from each hit on, as far as the entry has it left.
   * @default 'config'
   */
  maxAge?: 'config' | 'none' | number;
  /**
   * `'public'` lets a CDN keep the response.
   * @default 'private'
   */
  scope?: 'private' | 'public';
  /**
   * How long a stale response may be shown while a new one is fetched: milliseconds, 0 or more, or `null` for not at all.
   * @default null
   */
  staleWhileRevalidate?: number | null;
}

/** Stands for every content type of the application's own with a route that is cached by default. */
export const EVERY = '*';
/** In front of a uid, beside `'*'`: all but this one. */
export const NOT = '!';

/** What is cached, for how long and under which key. */
export interface StrategyConfig {
  /**
   * What is cached: uids, or objects where one differs from the strategy. `'*'`: every content type of the application's own
   * that has core routes, plugins' types not included; `['*', '!api::order.order']`: all but that one.
   * @default []
   */
  contentTypes?: typeof EVERY | ReadonlyArray<typeof EVERY | ExcludedContentType | ContentTypeUid | ContentTypeConfig>;
  /**
   * How long an entry may be served: milliseconds, more than 0.
   * @default 3600000 (one hour)
   */
  maxAge?: number;
  /**
   * `true`: requests with an `authorization` or `cookie` header bypass the cache. `false`: they do not; better said for
   * single content types, together with `keys.useAuth`. A function decides request by request.
   * @default true
   */
  hitpass?: Hitpass;
  /**
   * What tells two requests to the same path apart.
   * @default { useQueryParams: true, useHeaders: [], ignoreHeaders: [], useAuth: false }
   */
  keys?: KeysConfig;
  /**
   * Statuses beside 200 whose answers are kept: `[404, { status: 301, maxAge: 60000 }]`.
   * @default []
   */
  statuses?: ReadonlyArray<KeptStatus | StatusConfig>;
  /**
   * Your word that the policies and middlewares of routes depend on nothing but the request line, the keyed headers and
   * the caller, so that a hit need not call them.
   * @default false
   * @see docs/lanes.md#say-that-they-are-repeatable
   */
  repeatable?: boolean;
  /**
   * The same word for global middlewares of the application's own, or a plugin's, by their names
   * (`'global::locale'`): they no longer keep hits from being answered in front.
   * @default []
   * @see docs/lanes.md#global-middlewares
   */
  repeatableMiddlewares?: readonly string[];
  /**
   * Separates applications that share a store.
   * @default ''
   */
  keysPrefix?: string;
  /**
   * Reports the outcome in `X-Cache` and `Cache-Status`.
   * @default false
   */
  enableXCacheHeaders?: boolean;
  /**
   * Sends an `ETag` and answers `If-None-Match` with 304.
   * @default false
   */
  enableEtag?: boolean;
  /**
   * The `Cache-Control` header for browsers and CDNs.
   * @default { enabled: false }
   * @see docs/cdn.md
   */
  cacheControl?: CacheControlConfig;
  /**
   * CDNs and proxies in front of the application that keep answers and are purged when these change.
   * @default none
   */
  edge?: EdgeConfig;
  /**
   * Lets a request bypass the cache with `Cache-Control: no-store`, `no-cache` or `max-age=0`, or with `Pragma: no-cache`.
   * @default false
   */
  honorRequestCacheControl?: boolean;
  /**
   * Opens `POST /api/rest-cache/purge` to callers it is granted to.
   * @default false
   * @see docs/purging.md
   */
  enableContentApiPurge?: boolean;
  /**
   * `true`: whatever a response was computed from invalidates it. `false`: only writes to the cached type itself, and to the relations it shows.
   * @default true
   */
  clearRelatedCache?: boolean;
  /**
   * `true`: every write invalidates, wherever it comes from. `false`: only writes that arrive on HTTP write routes;
   * who may see what is still followed everywhere.
   * @default true
   */
  enableDocumentServiceMiddleware?: boolean;
  /**
   * Writes made in the admin panel invalidate when `enableDocumentServiceMiddleware` is `false`.
   * @default true
   */
  enableAdminCTBMiddleware?: boolean;
  /**
   * Purges everything at boot.
   * @default false
   */
  resetOnStartup?: boolean;
  /**
   * How finely dependencies are told apart. `'table'`: any change to a table invalidates all that was read from it.
   * @default 'document'
   */
  precision?: 'table' | 'document';
  /**
   * Where repeat requests are answered: in front of Strapi's middlewares, right before the router, or on the route.
   * `'auto'` takes the first that is safe.
   * @default 'auto'
   */
  lane?: 'auto' | 'front' | 'router' | 'inner';
  /**
   * Logs, at level `info`, how each request is answered, what is stored, and what each write invalidates.
   * @default false
   */
  debug?: boolean;
}

/** Makes a provider from `provider.options` and what the plugin has to say. Called once, at boot. */
export type ProviderFactory = (
  options: Readonly<Record<string, unknown>>,
  settings: ProviderSettings,
) => MaybePromise<Provider>;

interface AnyProviderConfig {
  /**
   * Milliseconds one operation of the store may take before the origin answers instead: 1 to 2147483647.
   * @default 500
   */
  getTimeout?: number;
  /**
   * @deprecated Has no effect: write `options.maxSize`.
   * @default none
   */
  max?: number;
}

/** A provider by its name, which decides what its options are. */
export interface NamedProviderConfig<Name extends string = string> extends AnyProviderConfig {
  /**
   * `'memory'`, `'redis'`, the path of a module from the application's root, or the name of a package.
   * @default 'memory'
   */
  name?: Name;
  /**
   * A provider of your own, instead of `name`.
   * @default none
   */
  instance?: undefined;
  /**
   * Passed unchanged to the provider. May hold credentials: never logged, never returned by a route.
   * @default {}
   */
  options?: OptionsOf<NoInfer<Name>>;
}

/** A provider of your own, from the code of your configuration. */
export interface GivenProviderConfig extends AnyProviderConfig {
  /**
   * What it is called is said by the provider itself.
   * @default none
   */
  name?: undefined;
  /**
   * An object that implements the contract `Provider`, or a function that makes one from `options` and the plugin's
   * settings. Instead of `name`.
   * @default none
   */
  instance: Provider | ProviderFactory;
  /**
   * What the function is called with.
   * @default {}
   */
  options?: Readonly<Record<string, unknown>>;
}

/** Where entries are held: a provider by its name, or a provider itself. */
export type ProviderConfig<Name extends string = string> = NamedProviderConfig<Name> | GivenProviderConfig;

/** Measurements for monitoring systems. */
export interface MetricsConfig {
  /**
   * What a Prometheus server presents as its bearer token. Unset: only admins may read the metrics.
   * @default none
   */
  prometheusSecret?: string;
}

/** What a user writes under `rest-cache.config` in `config/plugins`. */
export interface RestCacheConfig<Name extends ProviderName = string> {
  /**
   * Where entries are held.
   * @default { name: 'memory' }
   */
  provider?: ProviderConfig<Name>;
  /**
   * What is cached, for how long and under which key.
   * @default nothing is cached
   */
  strategy?: StrategyConfig;
  /**
   * Measurements for monitoring systems.
   * @default only admins may read them
   */
  metrics?: MetricsConfig;
}
