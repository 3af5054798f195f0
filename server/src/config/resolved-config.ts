import { type Milliseconds, milliseconds } from '../cache/milliseconds';
import type { Provider } from '../cache/provider';
import type { EdgeTargetConfig } from './edge-config';
import type { ParsedSettings, ParsedStrategy } from './schema';
import type { Warning } from './warning';
import type { ProviderFactory } from './provider-config';
import type { HitpassFunction } from './user-config';

/** The options as parsed, with defaults for those that the user left out. */
type Filled<Parsed> = { readonly [Option in keyof Parsed]-?: Exclude<Parsed[Option], undefined> };

/** Lists are sorted and free of duplicates; header names are in lower case. */
export type ResolvedKeys = Filled<NonNullable<ParsedSettings['keys']>>;

/** All 0 if no response that is older than its `maxAge` may be served. */
export type ResolvedStale = Filled<NonNullable<ParsedSettings['stale']>>;

export type ResolvedWarm = Filled<NonNullable<ParsedStrategy['warm']>>;
export type ResolvedAudit = Filled<NonNullable<ParsedStrategy['audit']>>;

/** The settings of every level: the strategy, its content types and their routes. */
export interface Settings extends Omit<Filled<ParsedSettings>, 'keys' | 'stale'> {
  readonly keys: ResolvedKeys;
  readonly stale: ResolvedStale;
  /**
   * An inherited function that is called in addition to `hitpass: true`, because the level has lost the `useAuth` that
   * the function relied on.
   */
  readonly alsoHitpass?: HitpassFunction | undefined;
}

export interface ResolvedRoute extends Settings {
  /** Uid of the content type under which it is configured. */
  readonly contentType: string;
  readonly method: 'GET';
  /**
   * Full path pattern as mounted, with the API prefix. If several match the same URLs, the one that is mounted first.
   */
  readonly path: string;
  /** Names of its parameters, in order: those in `path`, unless the user has given others. */
  readonly paramNames: readonly string[];
  /** Whether the route has `auth: false`: Strapi then authenticates nobody there. */
  readonly isOpen: boolean;
}

export interface ResolvedContentType extends Settings {
  readonly uid: string;
  readonly routes: readonly ResolvedRoute[];
  /** Uids whose changes reach this type's responses through relations, components, dynamic zones or media. */
  readonly shownContentTypes: readonly string[];
  /** Uids whose responses a change of this type reaches. */
  readonly relatedContentTypes: readonly string[];
}

export type ResolvedCacheControl = Filled<NonNullable<ParsedStrategy['cacheControl']>>;

/** The headers of responses for caches in front of the application. `header` is `''` if responses carry no keys. */
export type ResolvedEdge = Filled<Omit<NonNullable<ParsedStrategy['edge']>, 'targets'>>;

type Switches = Omit<
  ParsedStrategy,
  keyof ParsedSettings | 'cacheControl' | 'edge' | 'contentTypes' | 'graphql' | 'warm' | 'audit'
>;

export interface ResolvedStrategy extends Settings, Filled<Switches> {
  readonly cacheControl: ResolvedCacheControl;
  readonly edge: ResolvedEdge | null;
  readonly warm: ResolvedWarm | null;
  readonly audit: ResolvedAudit | null;
  /** How answers of `@strapi/plugin-graphql` are cached; `null` if they are not. */
  readonly graphql: Settings | null;
  readonly contentTypes: readonly ResolvedContentType[];
}

/** All routes that are cached under a content type. */
export const routesIn = ({ contentTypes }: Pick<ResolvedStrategy, 'contentTypes'>): readonly ResolvedRoute[] =>
  contentTypes.flatMap(({ routes }) => routes);

/** The settings of all answers that are cached: those of each route, and those of GraphQL. */
export const cachedSettings = (strategy: Pick<ResolvedStrategy, 'contentTypes' | 'graphql'>): readonly Settings[] =>
  strategy.graphql === null ? routesIn(strategy) : [...routesIn(strategy), strategy.graphql];

/** Whether a response may be served after its `maxAge`. */
export const servesStale = ({ stale }: Pick<Settings, 'stale'>): boolean =>
  stale.whileRevalidate > 0 || stale.ifError > 0;

export interface ResolvedProvider {
  /** The name that admins see. Without an `instance`, it also selects the provider. */
  readonly name: string;
  /** The provider that the user passed in; `undefined` if the provider is found by its name. */
  readonly instance: Provider | ProviderFactory | undefined;
  readonly getTimeout: Milliseconds;
  /**
   * As the user wrote them, except that the memory provider's `max` is renamed to `maxSize`. May hold credentials:
   * never logged, never returned by a route.
   */
  readonly options: Readonly<Record<string, unknown>>;
}

export interface ResolvedMetrics {
  /** A credential: never logged, never returned by a route. */
  readonly prometheusSecret: string | undefined;
}

export interface ResolvedConfig {
  readonly provider: ResolvedProvider;
  readonly strategy: ResolvedStrategy;
  readonly metrics: ResolvedMetrics;
  /** As the user wrote them. They hold credentials: never logged, never returned by a route. */
  readonly edgeTargets: readonly EdgeTargetConfig[];
  /** Logged once, shown in the admin panel. */
  readonly warnings: readonly Warning[];
}

/**
 * The defaults of `keys`. All defaults are filled in after the user's configuration is parsed, not by Strapi's merge,
 * which would not replace `keys` as a whole and would merge lists by index.
 */
export const DEFAULT_KEYS: ResolvedKeys = { useQueryParams: true, useHeaders: [], ignoreHeaders: [], useAuth: false };

export const DEFAULT_STALE: ResolvedStale = {
  whileRevalidate: milliseconds(0),
  ifError: milliseconds(0),
  timeout: milliseconds(0),
};

export const DEFAULT_WARM: ResolvedWarm = { top: 50, urls: [], afterWrites: true, atBoot: true, concurrency: 1 };

export const DEFAULT_AUDIT: ResolvedAudit = { rate: 0.01, perMinute: 10 };

export const DEFAULT_CACHE_CONTROL: ResolvedCacheControl = {
  enabled: false,
  maxAge: 'config',
  scope: 'private',
  staleWhileRevalidate: null,
};

export const DEFAULT_EDGE: ResolvedEdge = {
  mode: 'purge',
  header: '',
  maxHeaderBytes: 2048,
  maxAge: 'config',
  lifetimeHeader: 'Cache-Control',
  timeout: milliseconds(1000),
  whileUnreachable: milliseconds(60_000),
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
  hitpass: true,
  keys: DEFAULT_KEYS,
  statuses: [],
  repeatable: false,
  sharesWork: true,
  stale: DEFAULT_STALE,
  repeatableMiddlewares: [],
  cacheControl: DEFAULT_CACHE_CONTROL,
  edge: null,
  warm: null,
  audit: null,
  graphql: null,
  precision: 'document',
  lane: 'auto',
  contentTypes: [],
};

export const DEFAULT_GET_TIMEOUT: Milliseconds = milliseconds(500);

/** The properties of `written`, with the default of each that is missing or `undefined`. */
export const fillIn = <T extends object>(defaults: T, written: { readonly [K in keyof T]?: T[K] | undefined }): T => ({
  ...defaults,
  ...Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined)),
});

/** A value as JSON holds it; the text `'function'` stands for a function. */
type Json<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends (...passed: never) => unknown
    ? 'function'
    : T extends ReadonlyArray<infer Element>
      ? ReadonlyArray<Json<Element>>
      : { readonly [Name in keyof T]: Json<T[Name]> };

export type ContentTypeJson = Json<ResolvedContentType>;
export type StrategyJson = Json<ResolvedStrategy>;

/** The strategy as the admin route returns it, without anything about the provider and its options. */
export const strategyToJson = (strategy: ResolvedStrategy): StrategyJson =>
  JSON.parse(
    JSON.stringify(strategy, (_name, value: unknown) => (typeof value === 'function' ? 'function' : value)),
  ) as StrategyJson;
