import { z } from 'zod';
import { milliseconds } from '../cache/milliseconds';
import type { Provider } from '../cache/provider';
import { audit, stale, warm, warmOptions } from './background-schema';
import { ConfigurationError, describeProblem, subjectAt, type OptionsByHolder } from './configuration-error';
import type { FunctionTargetConfig } from './edge-config';
import { missingFromProvider } from './missing-from-provider';
import { isNear } from './nearest-name';
import { promisesIn } from './promises';
import type { ProviderFactory } from './provider-config';
import { EVERY, type Hitpass, KEPT_STATUSES, type KeptStatus, ROUTE_METHODS } from './user-config';
import {
  count,
  deadline,
  duration,
  filled,
  flag,
  headerNames,
  ignored,
  isBoolean,
  isCount,
  isFunction,
  isHeaderName,
  isNumberFrom,
  isText,
  lifetime,
  lifetimeOr,
  listOf,
  names,
  object,
  oneOf,
  shorthand,
  sortedSet,
  switched,
  text,
  value,
} from './values';

const hitpass = value<Hitpass>(
  'true, false or a function',
  (written) => isBoolean(written) || isFunction(written),
).optional();

const PARAMETER_NAME =
  'the name of one query parameter, decoded and without brackets: "filters" stands for everything in filters[…]';

/** A parameter's name ends before the first `[`, and none of the other characters occurs in a name unencoded. */
const isParameterName = (written: unknown): boolean => typeof written === 'string' && /^[^[\]?&=#%\s]+$/.test(written);

const queryParameters = value<boolean | readonly string[]>(
  'true, false or a list of query parameter names',
  (written) => isBoolean(written) || Array.isArray(written),
)
  .superRefine((written, { addIssue }) => {
    if (typeof written === 'boolean') return;
    for (const [index, input] of written.entries())
      if (!isParameterName(input)) addIssue({ code: 'custom', message: PARAMETER_NAME, path: [index], input });
  })
  .transform((written) => (typeof written === 'boolean' ? written : sortedSet(written)))
  .optional();

const keys = object({
  useQueryParams: queryParameters.default(true),
  useHeaders: headerNames.default([]),
  ignoreHeaders: headerNames.default([]),
  useAuth: z.literal([true, false, 'role'], { error: 'true, false or "role"' }).default(false),
});

const status = object(
  {
    status: value<KeptStatus>(`one of ${KEPT_STATUSES.join(', ')}`, (written) =>
      (KEPT_STATUSES as readonly unknown[]).includes(written),
    ),
    maxAge: lifetime,
  },
  'a status or an object that holds one',
);

const statuses = z
  .array(
    shorthand('status', (written): written is KeptStatus => typeof written === 'number', status),
    { error: 'a list of statuses and status objects' },
  )
  .refine((written) => new Set(written.map(({ status: each }) => each)).size === written.length, {
    error: 'a list that names each status only once',
  })
  .readonly()
  .optional();

/** The settings of every level: strategy, content type and route. */
const settings = {
  maxAge: lifetime,
  hitpass,
  keys: keys.optional(),
  statuses,
  repeatable: flag,
  sharesWork: z.literal([true, false, 'always'], { error: 'true, false or "always"' }).optional(),
  stale: stale.optional(),
};

const keysOfGraphql = keys.pick({ useHeaders: true }).extend({ useAuth: flag.default(false) });

const ofGraphql = object(
  { maxAge: lifetime, hitpass, keys: keysOfGraphql.optional(), repeatable: flag },
  'true, false or an object',
);

const route = object(
  {
    path: filled('a path such as "/api/articles/:id"'),
    method: oneOf(ROUTE_METHODS),
    ...settings,
    paramNames: names('a list of parameter names').optional(),
  },
  'a path or an object that holds one',
);

const contentType = object(
  {
    contentType: filled('the uid of a content type, such as "api::article.article"'),
    ...settings,
    // `new CacheContentTypeConfig()` of @strapi-community/plugin-rest-cache 5.0 sets `true` if no `maxAge` was written.
    maxAge: z.preprocess(
      (written: number | undefined) => ((written as unknown) === true ? undefined : written),
      lifetime,
    ),
    injectDefaultRoutes: flag,
    routes: listOf('a list of paths and route objects', shorthand('path', isText, route)).optional(),
    // @strapi-community/plugin-rest-cache computes these and ignores what users write, and so does this plugin.
    singleType: ignored<boolean>(),
    plugin: ignored<string>(),
    relatedContentTypeUid: ignored<readonly string[]>(),
  },
  'the uid of a content type or an object that holds one',
);

const cacheControl = object({
  enabled: flag,
  maxAge: lifetimeOr('config', 'none').default('config'),
  scope: oneOf(['private', 'public']).default('private'),
  staleWhileRevalidate: lifetimeOr(null).default(null),
});

const secretText = filled('a string that is not empty');
/** `fetch` sends nothing to a URL with a user or a password, and its error shows them. */
const isAddress = (written: unknown): boolean => {
  if (typeof written !== 'string' || !URL.canParse(written)) return false;
  const { protocol, username, password } = new URL(written);
  return /^https?:$/.test(protocol) && username + password === '';
};
const address = value<string>('an address without user and password, such as "https://cache.example.com"', isAddress);

const edgeTarget = z.discriminatedUnion(
  'name',
  [
    object({ name: z.literal('varnish'), url: address, method: oneOf(['xkey', 'ban']) }),
    object({
      name: z.literal('fastly'),
      serviceId: secretText,
      token: secretText,
      soft: flag,
      url: address.optional(),
    }),
    object({ name: z.literal('cloudflare'), zoneId: secretText, token: secretText, url: address.optional() }),
    object({ name: z.literal('webhook'), url: address, secret: secretText }),
    object({
      name: z.literal('function'),
      purge: value<FunctionTargetConfig['purge']>('a function', isFunction),
      batch: count,
    }),
  ],
  {
    error: ({ code }) =>
      `${code === 'invalid_union' ? '' : 'an object whose name is '}"varnish", "fastly", "cloudflare", "webhook" or "function"`,
  },
);

const edge = object({
  mode: oneOf(['purge', 'revalidate']).default('purge'),
  // `''`: responses carry no keys.
  header: value<string>('the name of a response header, such as "Surrogate-Key"', isHeaderName).default(''),
  maxHeaderBytes: value<number>('a number of bytes, 64 or greater', isNumberFrom(64)).default(2048),
  maxAge: lifetimeOr('config').default('config'),
  lifetimeHeader: oneOf(['Cache-Control', 'CDN-Cache-Control', 'Surrogate-Control']).default('Cache-Control'),
  timeout: deadline.default(milliseconds(1000)),
  whileUnreachable: duration.default(milliseconds(60_000)),
  targets: listOf('a list of targets', edgeTarget).default([]),
});

const contentTypes = listOf(
  `"${EVERY}" or a list of content type uids and content type objects`,
  shorthand('contentType', isText, contentType),
);

const strategy = object({
  debug: flag.default(false),
  enableEtag: flag.default(false),
  enableXCacheHeaders: flag.default(false),
  enableContentApiPurge: flag.default(false),
  enableDocumentServiceMiddleware: flag.default(true),
  clearRelatedCache: flag.default(true),
  enableAdminCTBMiddleware: flag.default(true),
  resetOnStartup: flag.default(false),
  honorRequestCacheControl: flag.default(false),
  maxAge: settings.maxAge.default(milliseconds(3_600_000)),
  hitpass: settings.hitpass.default(true),
  keys: keys.prefault({}),
  statuses: settings.statuses.default([]),
  repeatable: flag.default(false),
  sharesWork: settings.sharesWork.default(true),
  stale: stale.prefault({}),
  keysPrefix: text.default(''),
  graphql: switched(ofGraphql).optional(),
  warm: warm.optional(),
  audit: audit.optional(),
  repeatableMiddlewares: names('a list of names of middlewares').default([]),
  cacheControl: cacheControl.prefault({}),
  edge: edge.optional(),
  precision: oneOf(['table', 'document']).default('document'),
  lane: oneOf(['auto', 'front', 'route']).default('auto'),
  contentTypes: z
    .preprocess(
      (written: typeof EVERY | z.input<typeof contentTypes>) => (written === EVERY ? [EVERY] : written),
      contentTypes,
    )
    .default([]),
});

const isRecord = (written: unknown): written is Record<string, unknown> =>
  typeof written === 'object' && written !== null && !Array.isArray(written);

const providerInstance = z.custom<Provider | ProviderFactory>(
  (written) => isFunction(written) || (isRecord(written) && missingFromProvider(written).length === 0),
  {
    error: ({ input }) =>
      isRecord(input)
        ? `a provider; this one lacks ${missingFromProvider(input).join(', ')}`
        : 'a provider or a function that makes one',
  },
);

const provider = object(
  {
    name: filled('"memory", "redis" or the path of a module').optional(),
    instance: providerInstance.optional(),
    getTimeout: deadline.default(milliseconds(500)),
    options: value<Record<string, unknown>>('an object', isRecord).default({}),
    // The first documentation of @strapi-community/plugin-rest-cache put `max` here, where it never had an effect.
    max: ignored<number>(),
  },
  'an object, such as { name: "redis" }',
);

const metrics = object({ prometheusSecret: secretText.optional() });

const config = object({
  provider: provider.prefault({}),
  strategy: strategy.prefault({}),
  metrics: metrics.prefault({}),
});

/** A user's configuration before validation. tests/types compares it with the types that users see. */
export type WrittenConfig = z.input<typeof config>;
/** The settings that a user wrote at one level: what a level leaves out, it inherits. */
export type ParsedSettings = z.output<z.ZodObject<typeof settings>>;
export type ParsedRoute = z.output<typeof route>;
export type ParsedContentType = z.output<typeof contentType>;
/** The options of the strategy, with the defaults for those that the user left out. */
export type ParsedStrategy = z.output<typeof strategy>;
/** A user's configuration after validation, with the defaults filled in. Uids and paths have become objects. */
export type ParsedConfig = z.output<typeof config>;

/** The options of the memory provider that have an effect. */
export const MEMORY_LIMITS: readonly string[] = ['maxSize', 'max', 'maxBytes'];

const OPTIONS: OptionsByHolder = {
  '': Object.keys(config.shape),
  provider: Object.keys(provider.shape).filter((name) => name !== 'max'),
  options: MEMORY_LIMITS,
  strategy: Object.keys(strategy.shape),
  metrics: Object.keys(metrics.shape),
  cacheControl: Object.keys(cacheControl.shape),
  graphql: Object.keys(ofGraphql.shape),
  keys: Object.keys(keys.shape),
  stale: Object.keys(stale.shape),
  warm: Object.keys(warmOptions.shape),
  audit: Object.keys(audit.shape),
  edge: Object.keys(edge.shape),
  'graphql.keys': Object.keys(keysOfGraphql.shape),
  ...Object.fromEntries(
    edgeTarget.options.map(({ shape }) => [`targets.${shape.name.value}`, Object.keys(shape)] as const),
  ),
  contentTypes: ['contentType', ...Object.keys(settings), 'injectDefaultRoutes', 'routes'],
  routes: Object.keys(route.shape),
  statuses: Object.keys(status.shape),
};

export const DEFAULT_PROVIDER_NAME = 'memory';
/** The providers that need no module. The case of their names does not matter. */
export const BUILT_IN_PROVIDERS: readonly string[] = [DEFAULT_PROVIDER_NAME, 'redis'];

/** Finds mistakes that depend on more than one option. They are reported even if single options are wrong. */
const findContradictions = (user: unknown): z.core.$ZodIssue[] => {
  if (!isRecord(user) || !isRecord(user.provider)) return [];
  const { name, instance, options } = user.provider;
  if (instance !== undefined) {
    const message = 'provider.name or provider.instance, not both';
    return name === undefined ? [] : [{ code: 'custom', path: ['provider', 'instance'], message, input: instance }];
  }
  const isMemory = name === undefined || (typeof name === 'string' && name.toLowerCase() === DEFAULT_PROVIDER_NAME);
  if (!isMemory || !isRecord(options)) return [];
  // Other options may be lru-cache's, or be for Redis if the environment decides between memory and Redis.
  const unknown = Object.keys(options)
    .filter((name) => !MEMORY_LIMITS.includes(name) && MEMORY_LIMITS.some((limit) => isNear(name, limit)))
    .map((name) => ({ code: 'unrecognized_keys' as const, keys: [name], path: ['provider', 'options'], message: '' }));
  const wrong = MEMORY_LIMITS.filter((limit) => options[limit] !== undefined && !isCount(options[limit])).map(
    (limit) => ({
      code: 'custom' as const,
      path: ['provider', 'options', limit],
      message: 'a whole number greater than 0',
      input: options[limit],
    }),
  );
  return [...unknown, ...wrong];
};

/** What is written at a path. Where a text or number stands for an object, its options have the same value. */
const writtenAt = (user: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>((value, step) => (typeof value === 'object' ? Reflect.get(value ?? {}, step) : value), user);

/**
 * Parses a user's configuration.
 *
 * @throws {@link ConfigurationError} that lists everything wrong with it.
 */
export const parseConfig = (user: unknown): ParsedConfig => {
  const promises = promisesIn(user).map((path) => `${subjectAt(path)} is a promise; await it in config/plugins.`);
  if (promises.length > 0) throw new ConfigurationError(promises);
  // Without `reportInput`: zod 4.4, which Strapi installs, makes JSON of what it reports, and a value may refer to itself,
  // as a connection does.
  const result = config.safeParse(user ?? {});
  const found = (result.error?.issues ?? []).map(
    (issue) => ({ ...issue, input: writtenAt(user, issue.path) }) as z.core.$ZodIssue,
  );
  const issues = [...found, ...findContradictions(user)];
  if (result.success && issues.length === 0) return result.data;
  throw new ConfigurationError(issues.flatMap((issue) => describeProblem(issue, OPTIONS)));
};
