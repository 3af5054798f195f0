import { defaultRoutesOf, type ApplicationFacts, type RouteFacts } from '../server/src/config/application-facts';
import { describeValue } from '../server/src/config/configuration-error';
import type { ContentTypeConfig, RestCacheConfig } from '../server/src/config/user-config';
import { said } from '../server/src/cache/sentence';
import { warning, type Warning } from '../server/src/config/warning';

/** The options of strapi-cache 1.12 that are translated. */
interface StrapiCacheConfig {
  readonly debug?: boolean;
  readonly max?: number;
  readonly ttl?: number;
  readonly size?: number;
  readonly provider?: string;
  readonly redisConfig?: unknown;
  readonly redisClusterNodes?: readonly unknown[];
  readonly redisClusterOptions?: object;
  readonly cacheableRoutes?: readonly string[];
  readonly cacheableEntities?: readonly string[];
  readonly excludeRoutes?: readonly string[];
  readonly cacheAuthorizedRequests?: boolean;
  readonly cacheGetTimeoutInMs?: number;
  readonly autoPurgeCacheOnStart?: boolean;
}

const isList = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string');
const isNumber = (value: unknown): boolean => typeof value === 'number';
const isTrueOrFalse = (value: unknown): boolean => typeof value === 'boolean';

/** What strapi-cache accepts for the options that are translated. */
const ACCEPTED: ReadonlyArray<
  readonly [expected: string, is: (value: unknown) => boolean, options: ReadonlyArray<keyof StrapiCacheConfig>]
> = [
  ['a list of strings', isList, ['cacheableRoutes', 'cacheableEntities', 'excludeRoutes']],
  ['a number', isNumber, ['max', 'ttl', 'size', 'cacheGetTimeoutInMs']],
  ['true or false', isTrueOrFalse, ['debug', 'cacheAuthorizedRequests', 'autoPurgeCacheOnStart']],
];

/** Why strapi-cache would not start with this configuration. It cannot be translated then. */
export const problemsOfStrapiCache = (written: unknown): readonly string[] => {
  if (typeof written !== 'object' || written === null)
    return [`The configuration of "strapi-cache" is ${describeValue(written)}; expected an object.`];
  const values = written as Readonly<Record<string, unknown>>;
  return ACCEPTED.flatMap(([expected, is, options]) =>
    options
      .filter((option) => values[option] !== undefined && !is(values[option]))
      .map((option) => `${option} is ${describeValue(values[option])}; expected ${expected}.`),
  );
};

export interface Translation {
  readonly config: RestCacheConfig;
  /** Warnings about what strapi-cache caches or excludes and this configuration does not. */
  readonly differences: readonly Warning[];
}

/**
 * Translates a configuration of strapi-cache to this plugin's. Defaults of strapi-cache that differ are written out.
 */
export const translateStrapiCache = (written: StrapiCacheConfig, application: ApplicationFacts): Translation => {
  const { contentTypes, leftOut } = contentTypesOf(written, application);
  return {
    config: {
      provider: providerOf(written),
      // strapi-cache caches GraphQL wherever the plugin is installed.
      strategy: {
        ...strategyOf(written),
        ...(application.isGraphqlInstalled === true ? { graphql: true } : {}),
        contentTypes,
      },
    },
    differences: [...leftOutWarnings(leftOut), ...urlWarnings(singleUrls(written, application))],
  };
};

const pathsOf = (routes: readonly RouteFacts[]): string =>
  [...new Set(routes.map(({ path }) => `GET ${path}`))].join(', ');

const leftOutWarnings = (leftOut: readonly RouteFacts[]): readonly Warning[] => {
  const ofCallers = leftOut.filter(isOfCallers);
  const others = leftOut.filter((route) => !ofCallers.includes(route));
  return [
    ...(others.length === 0
      ? []
      : [
          warning(said('route-left-out')`strapi-cache caches ${pathsOf(others)} as well; left out here: list those to
            cache under "routes" of a content type.`),
        ]),
    ...(ofCallers.length === 0
      ? []
      : [
          warning(said('route-left-out')`strapi-cache caches ${pathsOf(ofCallers)} as well; left out here: users, roles
            and tokens are not for a shared cache.`),
        ]),
  ];
};

/** Routes that show or change who callers are. They are not proposed. */
const isOfCallers = ({ pluginName }: RouteFacts): boolean => pluginName === 'users-permissions';

const urlWarnings = (urls: readonly string[]): readonly Warning[] =>
  urls.length === 0
    ? []
    : [
        warning(said('url-not-told-apart')`excludeRoutes and cacheableRoutes are compared with routes here, not with
          URLs, and no route begins with ${urls}. To leave out single URLs of a cached route, write a hitpass function.`),
      ];

/** What strapi-cache compares with the URL of each request, where it is the beginning of no route's pattern. */
const singleUrls = (
  { cacheableRoutes = [], excludeRoutes = [] }: StrapiCacheConfig,
  { restPrefix, routes }: ApplicationFacts,
): readonly string[] =>
  [...cacheableRoutes, ...excludeRoutes].filter(
    (url) => url.startsWith(`${restPrefix}/`) && !routes.some(({ path }) => path.startsWith(url)),
  );

const strategyOf = ({
  ttl,
  debug,
  cacheAuthorizedRequests,
  autoPurgeCacheOnStart,
}: StrapiCacheConfig): NonNullable<RestCacheConfig['strategy']> => ({
  ...(debug === true ? { debug } : {}),
  ...(ttl === undefined || ttl <= 0 ? {} : { maxAge: ttl }),
  ...(autoPurgeCacheOnStart === true ? { resetOnStartup: true } : {}),
  ...(cacheAuthorizedRequests === true ? { hitpass: false, keys: { useAuth: true } } : {}),
});

const providerOf = (written: StrapiCacheConfig): NonNullable<RestCacheConfig['provider']> => {
  const { provider = 'memory', max: maxSize = 1000, size: maxBytes = 10 * 1024 * 1024 } = written;
  // It reads the variable itself if there is no address.
  const { cacheGetTimeoutInMs: getTimeout = 1000, redisConfig: connection = process.env.REDIS_URL } = written;
  const { redisClusterNodes: nodes = [], redisClusterOptions } = written;
  if (provider === 'memory') return { name: 'memory', getTimeout, options: { maxSize, maxBytes } };
  // To the nodes of a cluster, it connects with the same password and TLS.
  const redisOptions = typeof connection === 'object' ? { redisOptions: connection } : {};
  const options =
    nodes.length === 0 ? { connection } : { cluster: { nodes, options: { ...redisOptions, ...redisClusterOptions } } };
  return { name: 'redis', getTimeout, options };
};

const contentTypesOf = (
  written: StrapiCacheConfig,
  application: ApplicationFacts,
): { readonly contentTypes: readonly ContentTypeConfig[]; readonly leftOut: readonly RouteFacts[] } => {
  const cached = application.routes.filter((route) => isCached(route, written, application));
  const types = Object.keys(application.contentTypes)
    .filter((uid) => !uid.startsWith('plugin::users-permissions.'))
    .map((uid) => ({ uid, all: defaultRoutesOf(uid, application) }));
  const isCachedWith = ({ all }: (typeof types)[number]): boolean => all.some((route) => cached.includes(route));
  const first = types.find((type) => type.uid.startsWith('api::') && isCachedWith(type));
  /** The content type of a default route; of another route of an API, one of this API, or else the first. */
  const typeOf = (route: RouteFacts): (typeof types)[number] | undefined =>
    types.find(({ all }) => all.includes(route)) ??
    types.find(({ uid }) => uid.startsWith(`api::${route.apiName}.`)) ??
    (route.apiName === undefined ? undefined : first);
  const contentTypes = types.flatMap((type): ContentTypeConfig[] => {
    const own = cached.filter((route) => typeOf(route) === type);
    const isWhole = type.all.every((route) => own.includes(route));
    const listed = own.filter((route) => !isWhole || !type.all.includes(route)).map(({ path }) => path);
    const rest = listed.length === 0 ? {} : { routes: [...new Set(listed)] };
    return own.length === 0
      ? []
      : [{ contentType: type.uid, ...(isWhole ? {} : { injectDefaultRoutes: false }), ...rest }];
  });
  return { contentTypes, leftOut: cached.filter((route) => typeOf(route) === undefined) };
};

/** Decides like strapi-cache, but by a route's pattern instead of a URL. */
const isCached = (
  { path }: RouteFacts,
  { cacheableRoutes = [], cacheableEntities = [], excludeRoutes = [] }: StrapiCacheConfig,
  { restPrefix }: ApplicationFacts,
): boolean => {
  const begins = (prefix: string): boolean => path.startsWith(prefix);
  if (excludeRoutes.some(begins) || !begins(restPrefix)) return false;
  if (cacheableEntities.length > 0)
    return cacheableEntities.includes(path.slice(restPrefix.length).split('/')[1] ?? '');
  return cacheableRoutes.length === 0 || cacheableRoutes.some(begins);
};
