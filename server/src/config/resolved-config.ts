import { type Milliseconds, milliseconds } from '../cache/milliseconds';
import type { Provider } from '../cache/provider';
import type { EdgeTargetConfig } from './edge-config';
import type { ParsedSettings, ParsedStrategy } from './schema';
import type { Warning } from './warning';
import type { Hitpass, HitpassFunction, ProviderFactory } from './user-config';

/** What the user wrote, and the default of all else. */
type Filled<Parsed> = { readonly [Option in keyof Parsed]-?: Exclude<Parsed[Option], undefined> };

/** Lists are sorted and free of duplicates; header names are in lower case. */
export type ResolvedKeys = Filled<NonNullable<ParsedSettings['keys']>>;

/** A status beside 200 whose answers are kept; with the `maxAge` of the route where there is none. */
export type ResolvedStatus = NonNullable<ParsedSettings['statuses']>[number];

/** What every level has: the strategy, its content types and their routes. */
export interface Settings extends Omit<Filled<ParsedSettings>, 'keys'> {
  readonly keys: ResolvedKeys;
  /** A function that is asked after `hitpass: true`, not instead of it: inherited, but not the `useAuth` it relied on. */
  readonly alsoHitpass?: HitpassFunction | undefined;
}

export interface ResolvedRoute extends Settings {
  /** Uid of the content type under which it is configured. */
  readonly contentType: string;
  readonly method: 'GET';
  /** Full path pattern as mounted, API prefix included; the first one mounted where several match the same URLs. */
  readonly path: string;
  /** `undefined`: the names in `path`. */
  readonly paramNames: readonly string[] | undefined;
  /** It says `auth: false`: Strapi authenticates nobody there. */
  readonly isOpen: boolean;
}

export interface ResolvedContentType extends Settings {
  readonly uid: string;
  readonly routes: readonly ResolvedRoute[];
  /** Uids whose changes reach this type's responses through relations, components, dynamic zones or media. */
  readonly shownContentTypes: readonly string[];
  /** The other way round: uids whose responses a change of this type reaches. */
  readonly relatedContentTypes: readonly string[];
}

export type ResolvedCacheControl = Filled<NonNullable<ParsedStrategy['cacheControl']>>;

/** What answers say to caches in front of the application. `header` is `''` where no keys are handed out. */
export type ResolvedEdge = Filled<Omit<NonNullable<ParsedStrategy['edge']>, 'targets'>>;

type Switches = Omit<ParsedStrategy, keyof ParsedSettings | 'cacheControl' | 'edge' | 'contentTypes'>;

export interface ResolvedStrategy extends Settings, Filled<Switches> {
  readonly cacheControl: ResolvedCacheControl;
  readonly edge: ResolvedEdge | null;
  readonly contentTypes: readonly ResolvedContentType[];
}

export interface ResolvedProvider {
  /** What admins are shown. */
  readonly name: string;
  /** What the user handed over instead of a name; `undefined` where the provider is to be found by its name. */
  readonly instance: Provider | ProviderFactory | undefined;
  readonly getTimeout: Milliseconds;
  /**
   * As the user wrote them, but that the memory provider's `max` has become `maxSize`. May hold credentials: never
   * logged, never returned by a route.
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
  /** As the user wrote them: hold credentials, never logged, never returned by a route. */
  readonly edgeTargets: readonly EdgeTargetConfig[];
  /** Logged once, shown in the admin panel. */
  readonly warnings: readonly Warning[];
  /** Those of the warnings that callers may be harmed by: responses or credentials get where they do not belong. */
  readonly unsafe: readonly Warning[];
}

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

export const DEFAULT_EDGE: ResolvedEdge = {
  mode: 'purge',
  header: '',
  maxHeaderBytes: 2048,
  maxAge: 'config',
  lifetimeHeader: 'Cache-Control',
  timeout: milliseconds(1000),
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
  statuses: [],
  repeatable: false,
  repeatableMiddlewares: [],
  cacheControl: DEFAULT_CACHE_CONTROL,
  edge: null,
  precision: 'document',
  lane: 'auto',
  contentTypes: [],
};

export const DEFAULT_GET_TIMEOUT: Milliseconds = milliseconds(500);

/** An object with the default of everything that `written` leaves out or has as `undefined`. */
export const fillIn = <T extends object>(defaults: T, written: { readonly [K in keyof T]?: T[K] | undefined }): T => ({
  ...defaults,
  ...Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined)),
});

/** A function cannot be sent: that there is one can. */
type WithHitpassJson<T extends { readonly hitpass: Hitpass }> = Omit<T, 'hitpass'> & {
  readonly hitpass: boolean | 'function';
};

export type ContentTypeJson = Omit<WithHitpassJson<ResolvedContentType>, 'routes'> & {
  readonly routes: ReadonlyArray<WithHitpassJson<ResolvedRoute>>;
};

/** The strategy as the admin route returns it. Of the provider and its options, nothing. */
export type StrategyJson = Omit<WithHitpassJson<ResolvedStrategy>, 'contentTypes'> & {
  readonly contentTypes: readonly ContentTypeJson[];
};

const withHitpassJson = <T extends { readonly hitpass: Hitpass }>(value: T): WithHitpassJson<T> => ({
  ...value,
  hitpass: typeof value.hitpass === 'function' ? 'function' : value.hitpass,
});

export const strategyToJson = (strategy: ResolvedStrategy): StrategyJson => ({
  ...withHitpassJson(strategy),
  contentTypes: strategy.contentTypes.map((contentType) => ({
    ...withHitpassJson(contentType),
    routes: contentType.routes.map(withHitpassJson),
  })),
});
