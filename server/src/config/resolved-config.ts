import type { Milliseconds } from '../cache/milliseconds';
import type { Provider } from '../cache/provider';
import type { EdgeTargetConfig } from './edge-config';
import type { ParsedConfig, ParsedSettings, ParsedStrategy } from './schema';
import type { Warning } from './warning';
import type { ProviderFactory } from './provider-config';
import type { HitpassFunction } from './user-config';

/** Lists are sorted and free of duplicates; header names are in lower case. */
export type ResolvedKeys = ParsedStrategy['keys'];

/** All 0 if no response that is older than its `maxAge` may be served. */
export type ResolvedStale = ParsedStrategy['stale'];

export type ResolvedWarm = NonNullable<ParsedStrategy['warm']>;
export type ResolvedAudit = NonNullable<ParsedStrategy['audit']>;

/** The settings of every level: the strategy, its content types and their routes. */
export interface Settings extends Readonly<Pick<ParsedStrategy, keyof ParsedSettings>> {
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

export type ResolvedCacheControl = Readonly<Required<ParsedStrategy['cacheControl']>>;

/** The headers of responses for caches in front of the application. `header` is `''` if responses carry no keys. */
export type ResolvedEdge = Readonly<Omit<NonNullable<ParsedStrategy['edge']>, 'targets'>>;

type Resolved = 'cacheControl' | 'edge' | 'contentTypes' | 'graphql' | 'warm' | 'audit';

export interface ResolvedStrategy extends Settings, Readonly<Omit<ParsedStrategy, Resolved | keyof ParsedSettings>> {
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

export interface ResolvedConfig {
  readonly provider: ResolvedProvider;
  readonly strategy: ResolvedStrategy;
  /** They hold a credential: never logged, never returned by a route. */
  readonly metrics: ParsedConfig['metrics'];
  /** As the user wrote them. They hold credentials: never logged, never returned by a route. */
  readonly edgeTargets: readonly EdgeTargetConfig[];
  /** Logged once, shown in the admin panel. */
  readonly warnings: readonly Warning[];
}

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
