import { letsCredentialsIn } from '../config/hitpass';
import { WITHOUT_EFFECT } from '../config/provider-options';
import { MEMORY_LIMITS } from '../config/schema';
import type { Hitpass } from '../config/user-config';
import type { Move, Origin } from './moves';

const onAllLevels = (option: string): readonly string[] => [
  `strategy.${option}`,
  `strategy.contentTypes[].${option}`,
  `strategy.contentTypes[].routes[].${option}`,
];

const isFunction = (value: unknown): value is Exclude<Hitpass, boolean> => typeof value === 'function';

/** What its classes fill in; somebody may have written the same. */
const FILLED_IN: Readonly<Record<string, unknown>> = {
  'strategy.contentTypes[].maxAge': true,
  'strategy.contentTypes[].hitpass': false,
  'strategy.contentTypes[].routes[].maxAge': 3_600_000,
  'strategy.contentTypes[].routes[].hitpass': false,
};

const OPTIONS: readonly Move[] = [
  {
    there:
      'its classes `CacheContentTypeConfig` and `CacheRouteConfig` fill in `maxAge`, `keys` and `hitpass: false` where you wrote none',
    here: '`maxAge: true` counts as left out, the rest as written. Without the classes all three take the level above',
    outcome: 'differs',
    options: Object.keys(FILLED_IN),
    when: (value, { pattern, madeBy }) => madeBy.startsWith('Cache') && value === FILLED_IN[pattern],
  },
  {
    there: '`hitpass: true` means "never cached"',
    here: '`hitpass: true` is the default rule: requests with an `authorization` or `cookie` header bypass. To cache a type not at all, leave it out',
    outcome: 'differs',
    options: onAllLevels('hitpass'),
    when: (value) => value === true,
  },
  {
    there: '`hitpass: (ctx) => Boolean(ctx.request.headers.authorization || ctx.request.headers.cookie)`, the default',
    here: 'may stay; without it (`hitpass: true`) repeat requests are answered further out, see [Lanes](lanes.md)',
    outcome: 'same',
    options: onAllLevels('hitpass'),
    when: (value) => isFunction(value) && !letsCredentialsIn(value),
  },
  {
    there: 'a `hitpass` function that lets credentials in, or `hitpass: false`',
    here: 'the same; write `keys: { useAuth: true }` beside it: one entry per caller. Without it callers share entries',
    outcome: 'same',
    options: onAllLevels('hitpass'),
    when: (value) => value === false || (isFunction(value) && letsCredentialsIn(value)),
  },
  {
    there: 'routes of other methods than GET may be listed',
    here: 'they may stay, and a warning says that they have no effect: writes invalidate without being listed',
    outcome: 'none',
    options: ['strategy.contentTypes[].routes[].method'],
    when: (value) => value !== 'GET',
  },
  {
    there: 'a route takes `maxAge` and `hitpass` from the strategy, whatever its content type says',
    here: 'from its content type, as the documentation there says',
    outcome: 'differs',
    options: ['strategy.contentTypes[].maxAge', 'strategy.contentTypes[].hitpass'],
  },
  {
    there: '`plugin::upload.file` and other types of plugins have no default routes',
    here: 'they have theirs; `injectDefaultRoutes: false` where you want only those you list',
    outcome: 'differs',
    options: ['strategy.contentTypes[]', 'strategy.contentTypes[].contentType'],
    when: (value) => typeof value === 'string' && value.startsWith('plugin::'),
  },
  {
    there: '`singleType`, `plugin`, `relatedContentTypeUid`',
    here: 'accepted without effect: they are read from your schema',
    outcome: 'none',
    options: ['singleType', 'plugin', 'relatedContentTypeUid'].map((name) => `strategy.contentTypes[].${name}`),
  },
  {
    there: "`provider.name: 'redis'` takes the name of a plugin-redis connection",
    here: 'the same, and `default` where none is named; or a URL, ioredis options, a connection you opened: see [Redis](redis.md)',
    outcome: 'same',
    options: ['provider.name'],
    when: (value) => typeof value === 'string' && value.toLowerCase() === 'redis',
  },
  {
    there: '`provider.name` of any other provider package',
    here: 'cannot be loaded: `memory` and `redis` are built in, for others see [Providers of your own](custom-providers.md)',
    outcome: 'write',
    options: ['provider.name'],
    when: (value) => typeof value === 'string' && !/^(memory|redis)$|^[./]/i.test(value),
  },
  {
    there: '`provider.max`',
    here: 'write `provider.options.maxSize`',
    outcome: 'write',
    options: ['provider.max'],
  },
  {
    there: '`provider.getTimeout` holds for reading',
    here: 'holds for every operation of the store',
    outcome: 'differs',
    options: ['provider.getTimeout'],
  },
  {
    there: 'options of `lru-cache` in `provider.options`',
    here: 'accepted; only `maxSize`, `max` and `maxBytes` have an effect',
    outcome: 'none',
    options: ['ttl', 'updateAgeOnGet', 'updateAgeOnHas', 'allowStale', 'maxAge', 'sizeCalculation'].map(
      (name) => `provider.options.${name}`,
    ),
  },
  {
    there: 'options of `@keyv/redis` in `provider.options`',
    here: 'accepted without effect: `strategy.keysPrefix` keeps applications apart, `strategy.maxAge` says how long entries are kept',
    outcome: 'none',
    options: WITHOUT_EFFECT.filter((name) => !MEMORY_LIMITS.includes(name) && name !== 'ttl').map(
      (name) => `provider.options.${name}`,
    ),
  },
];

const BESIDE: readonly Move[] = [
  {
    there: 'checks nothing',
    here: 'a misspelt option or a value that makes no sense stops the boot with one message that names it',
    outcome: 'differs',
  },
  {
    there: 'invalidates the whole type and its relations on every save',
    here: 'invalidates what was computed from what has changed; drafts invalidate nothing published',
    outcome: 'differs',
  },
  {
    there: 'media, dynamic zones, uncached types, raw queries are missed',
    here: 'covered: dependencies are read off the SQL',
    outcome: 'differs',
  },
  {
    there: '`GET /rest-cache/config/provider` answers `{ provider }` with its options',
    here: '`{ name, getTimeout }`: options may hold credentials',
    outcome: 'differs',
  },
  { there: '`DEBUG=strapi:plugin-rest-cache`', here: 'the same as `strategy.debug`', outcome: 'same' },
  {
    there: 'services `cacheStore`, `cacheConfig`',
    here: 'the same names and arguments; `cacheStore.set` throws, for what is stored by hand cannot be invalidated',
    outcome: 'differs',
  },
  {
    there: 'the action `plugin::rest-cache.purge.contentApi`',
    here: 'the same: roles and tokens keep their grants',
    outcome: 'same',
  },
  {
    there: "`strapi.config.get('plugin::rest-cache').strategy`",
    here: 'the same; `relatedContentTypeUid` holds the types that show this one',
    outcome: 'same',
  },
];

export const PLUGIN_REST_CACHE: Origin = {
  name: 'plugin-rest-cache',
  package: '@strapi-community/plugin-rest-cache',
  providers: ['@strapi-community/provider-rest-cache-memory', '@strapi-community/provider-rest-cache-redis'],
  key: 'rest-cache',
  moves: [...OPTIONS, ...BESIDE],
};

/** Of Strapi 4; Strapi's own migration to version 5 comes first. */
export const STRAPI_PLUGIN_REST_CACHE: Origin = {
  name: 'strapi-plugin-rest-cache',
  package: 'strapi-plugin-rest-cache',
  providers: ['memory', 'redis', 'couchbase', 'memcached'].map((name) => `strapi-provider-rest-cache-${name}`),
  key: 'rest-cache',
  moves: [
    {
      there: '`provider.options.maxAge`, `provider.options.ttl`',
      here: 'write `strategy.maxAge`',
      outcome: 'write',
      options: ['provider.options.maxAge', 'provider.options.ttl'],
    },
    {
      there: "`strapi.plugins['rest-cache'].services.cacheStore`",
      here: "`strapi.plugin('rest-cache').service('cacheStore')`",
      outcome: 'write',
    },
  ],
};
