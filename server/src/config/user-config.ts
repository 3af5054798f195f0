import type { Public, UID } from '@strapi/strapi';
import type { AuditConfig, StaleConfig, WarmConfig } from './background-config';
import type { EdgeConfig } from './edge-config';
import type { GraphqlConfig } from './graphql-config';
import type { Hitpass, KeysConfig } from './keys-config';
import type { ProviderConfig } from './provider-config';
import type { ProviderName } from './provider-options';

/**
 * Editors complete the uids in the types that Strapi generates for the application. Any other uid may be written as
 * well: these types are as old as the last start of `strapi develop`, and the boot checks uids against all content
 * types.
 */
export type ContentTypeUid = UID.ContentType | (string & {});

/** Excludes a content type from `'*'`. Editors complete only the application's own types, which `'*'` stands for. */
export type ExcludedContentType = `!${Extract<UID.ContentType, `api::${string}`>}`;

/** The core routes of a content type under the default prefix, by its schema. */
type CoreRoutesOf<Schema> = Schema extends { kind: 'singleType'; info: { singularName: infer Name extends string } }
  ? `/api/${Name}`
  : Schema extends { info: { pluralName: infer Name extends string } }
    ? `/api/${Name}` | `/api/${Name}/:id`
    : never;

type ApiUid = Extract<UID.ContentType, `api::${string}`>;

/** Core routes of the application's content types are completed; any other path may be written. */
export type RoutePath = { [Uid in ApiUid]: CoreRoutesOf<Public.ContentTypeSchemas[Uid]> }[ApiUid] | (string & {});

export type { Hitpass, HitpassFunction, KeysConfig } from './keys-config';

/**
 * Statuses beside 200 that `statuses` may name: those that a cache may keep by default (RFC 9110, section 15.1), and
 * the redirects that it may keep if it is told to.
 */
export const KEPT_STATUSES = [203, 204, 300, 301, 302, 303, 307, 308, 404, 405, 410, 414, 501] as const;
export type KeptStatus = (typeof KEPT_STATUSES)[number];

/** A status whose responses are kept for a different time than the route's other responses. */
export interface StatusConfig {
  /** Such as 404. */
  status: KeptStatus;
  /**
   * How long such a response may be served: milliseconds, more than 0.
   * @default the route's `maxAge`
   */
  maxAge?: number;
}

/** Methods a route may be listed for. */
export const ROUTE_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type RouteMethod = (typeof ROUTE_METHODS)[number];

/**
 * Options of the strategy, of content types and of routes. A level that leaves one out inherits it; `keys`, `statuses`
 * and `stale` are replaced as a whole.
 */
export interface SettingsConfig {
  /**
   * How long a cached response may be served: milliseconds, more than 0. A handler's own headers may shorten it.
   * @default 3600000 (one hour) on the strategy, elsewhere the value of the level above
   * @see docs/http.md#headers-of-your-handler
   */
  maxAge?: number;
  /**
   * `true`: requests with an `authorization` or `cookie` header bypass the cache. `false`: they do not; then set
   * `keys.useAuth`, too. A function decides for each request.
   * @default true on the strategy, elsewhere the value of the level above
   */
  hitpass?: Hitpass;
  /**
   * The parts of a request that tell it apart from others to the same path.
   * @default those of its options on the strategy, elsewhere the value of the level above
   */
  keys?: KeysConfig;
  /**
   * Statuses beside 200 whose responses are kept: `[404, { status: 301, maxAge: 60000 }]`.
   * @default [] on the strategy, elsewhere the value of the level above
   */
  statuses?: ReadonlyArray<KeptStatus | StatusConfig>;
  /**
   * Whether a cached response that is merely old may be served. One that a write or a purge has invalidated never is.
   * @default those of its options on the strategy, elsewhere the value of the level above
   */
  stale?: StaleConfig;
  /**
   * Declares that hits need not call the policies and middlewares of routes.
   * @default false on the strategy, elsewhere the value of the level above
   * @see docs/where-hits-are-answered.md#repeatable-functions
   */
  repeatable?: boolean;
  /**
   * Whether handlers may wait for work that another request has begun. `true`: unless their source text shows otherwise;
   * `'always'`: even then; `false`: never.
   * @default true on the strategy, elsewhere the value of the level above
   * @see docs/your-own-code.md#work-that-requests-share
   */
  sharesWork?: boolean | 'always';
}

/** A route to cache. */
export interface RouteConfig extends SettingsConfig {
  /** Path pattern as the router knows it: `/api/articles/:id`, with the API prefix or without. */
  path: RoutePath;
  /**
   * Only `GET` is cached; HEAD is answered from it. Any other method causes a warning.
   * @default 'GET'
   */
  method?: RouteMethod;
  /**
   * Names for the path's parameters, in order, by which purges select cached responses.
   * @default those in the mounted path
   */
  paramNames?: readonly string[];
}

/** A content type to cache. */
export interface ContentTypeConfig extends SettingsConfig {
  /** Uid: `api::article.article`, `plugin::upload.file`. */
  contentType: ContentTypeUid;
  /**
   * Caches the routes whose handlers are the type's `find` and `findOne`.
   * @default true
   */
  injectDefaultRoutes?: boolean;
  /**
   * Further routes, or default routes with settings of their own.
   * @default []
   */
  routes?: ReadonlyArray<RoutePath | RouteConfig>;
  /**
   * @deprecated Has no effect.
   * @default none
   */
  singleType?: boolean;
  /**
   * @deprecated Has no effect.
   * @default none
   */
  plugin?: string;
  /**
   * @deprecated Has no effect.
   * @default none
   */
  relatedContentTypeUid?: readonly string[];
}

/** The `Cache-Control` header that browsers and CDNs receive. */
export interface CacheControlConfig {
  /**
   * Sends the header with cached responses, and a `Vary` on credentials.
   * @default false
   */
  enabled?: boolean;
  /**
   * The `max-age`. `'config'`: the `maxAge` of the cached response, less `Age`. `'none'`: none. Milliseconds: counted
   * from each hit.
   * @default 'config'
   */
  maxAge?: 'config' | 'none' | number;
  /**
   * `'public'` lets a CDN keep responses that all callers share.
   * @default 'private'
   */
  scope?: 'private' | 'public';
  /**
   * How long a stale response may be shown while a new one is fetched: milliseconds, 0 or more; `null`: not at all.
   * @default null
   */
  staleWhileRevalidate?: number | null;
}

/** Stands for every content type of the application (not of plugins) that has default routes. */
export const EVERY = '*';
/** In front of a uid, in a list with `'*'`: excludes this content type. */
export const NOT = '!';

/** The content types to cache, their lifetimes and their keys. */
export interface StrategyConfig extends SettingsConfig {
  /**
   * Uids, or objects with settings. `'*'`: every content type of the application with core routes;
   * `['*', '!api::order.order']`: all but that one.
   * @default []
   * @see docs/public-site.md#cache-every-content-type
   */
  contentTypes?: typeof EVERY | ReadonlyArray<typeof EVERY | ExcludedContentType | ContentTypeUid | ContentTypeConfig>;
  /**
   * Caches the answers of `@strapi/plugin-graphql`.
   * @default false
   * @see docs/graphql.md
   */
  graphql?: boolean | GraphqlConfig;
  /**
   * Computes the most wanted responses again before a visitor asks.
   * @default false
   * @see docs/no-cold-pages.md
   */
  warm?: boolean | WarmConfig;
  /**
   * Computes a sample of hits again, and reports and purges what differs.
   * @default none
   * @see docs/no-cold-pages.md#audits
   */
  audit?: AuditConfig;
  /**
   * Declares the same as `repeatable` of global middlewares, by their names or paths in `config/middlewares`.
   * @default []
   * @see docs/where-hits-are-answered.md#global-middlewares
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
   * @see docs/cdns-and-proxies.md
   */
  cacheControl?: CacheControlConfig;
  /**
   * CDNs and proxies that are purged with each write.
   * @default none
   * @see docs/cdns-and-proxies.md#purge-with-each-write
   */
  edge?: EdgeConfig;
  /**
   * Lets a request bypass the cache with `Cache-Control: no-store`, `no-cache` or `max-age=0`, or `Pragma: no-cache`.
   * @default false
   */
  honorRequestCacheControl?: boolean;
  /**
   * Enables `POST /api/rest-cache/purge` for callers that are granted its permission.
   * @default false
   * @see docs/purging.md
   */
  enableContentApiPurge?: boolean;
  /**
   * `true`: a write to anything that a response was computed from invalidates it. `false`: only a write to the cached
   * type does, with its components and the links of its relations. Always `true` for GraphQL answers.
   * @default true
   */
  clearRelatedCache?: boolean;
  /**
   * `false`: only writes on write routes of the content API invalidate, and those to users, roles, tokens and
   * permissions.
   * @default true
   */
  enableDocumentServiceMiddleware?: boolean;
  /**
   * Whether writes on all other HTTP write routes (of the admin panel, and of GraphQL without `graphql`) invalidate even
   * if `enableDocumentServiceMiddleware` is `false`.
   * @default true
   */
  enableAdminCTBMiddleware?: boolean;
  /**
   * Purges everything at start.
   * @default false
   */
  resetOnStartup?: boolean;
  /**
   * `'table'`: any change to a table invalidates every response made from it.
   * @default 'document'
   */
  precision?: 'table' | 'document';
  /**
   * Where hits are answered. `'front'`: before Strapi; `'route'`: on the route; `'auto'`: before Strapi where safe.
   * @see docs/where-hits-are-answered.md
   * @default 'auto'
   */
  lane?: 'auto' | 'front' | 'route';
  /**
   * Logs, at level `info`, how each request is answered, what is stored, and what each write invalidates.
   * @default false
   */
  debug?: boolean;
}

/** Measurements for monitoring systems. */
export interface MetricsConfig {
  /**
   * The bearer token that a Prometheus server sends. Without it, only admins may read the metrics.
   * @default none
   */
  prometheusSecret?: string;
}

/** What a user writes under `rest-cache.config` in `config/plugins`. */
export interface RestCacheConfig<Name extends ProviderName = string> {
  /**
   * Where cached responses are held.
   * @default { name: 'memory' }
   */
  provider?: ProviderConfig<Name>;
  /**
   * The content types to cache, their lifetimes and their keys.
   * @default nothing is cached
   */
  strategy?: StrategyConfig;
  /**
   * Measurements for monitoring systems.
   * @default only admins may read them
   */
  metrics?: MetricsConfig;
}
