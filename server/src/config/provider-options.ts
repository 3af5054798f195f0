import type { Cluster, ClusterNode, ClusterOptions, Redis, RedisOptions as ConnectionOptions } from 'ioredis';

/** Options of lru-cache that @strapi-community/plugin-rest-cache passes on. */
type LruCacheOption =
  | ('ttl' | 'ttlResolution' | 'ttlAutopurge' | 'updateAgeOnGet' | 'updateAgeOnHas' | 'allowStale')
  | ('maxEntrySize' | 'sizeCalculation' | 'dispose' | 'noDisposeOnSet' | 'noUpdateTTL');

/** `provider.options` of `memory`. Options of lru-cache are accepted, and have no effect. */
export interface MemoryOptions extends Partial<Readonly<Record<LruCacheOption, unknown>>> {
  /**
   * Cached responses held before the least recently used one is evicted.
   * @default 32767
   */
  readonly maxSize?: number;
  /**
   * The same as `maxSize`; takes precedence if both are set.
   * @default `maxSize`
   */
  readonly max?: number;
  /**
   * Bytes held before the least recently used response is evicted.
   * @default a quarter of the memory the process may use, at most 1 GiB
   */
  readonly maxBytes?: number;
}

/** The local cache: copies of cached responses that a process keeps in memory. */
export interface LocalCacheOptions {
  /**
   * Cached responses kept at most.
   * @default 1000
   */
  readonly maxSize: number;
  /**
   * Bytes kept at most.
   * @default 67108864 (64 MiB)
   */
  readonly maxBytes: number;
}

/**
 * Options of @strapi-community/provider-rest-cache-redis and @keyv/redis that have no effect here: Redis has its own
 * memory limit, `strategy.maxAge` says how long a response is kept, and `strategy.keysPrefix` keeps applications apart.
 */
export const WITHOUT_EFFECT = [
  ...(['max', 'ttl', 'namespace', 'useRedisSets', 'keyPrefixSeparator', 'clearBatchSize', 'useUnlink'] as const),
  ...(['noNamespaceAffectsAll', 'throwOnConnectError', 'throwOnErrors', 'connectionTimeout', 'adapter'] as const),
] as const;

type RedisOptionWithoutEffect = (typeof WITHOUT_EFFECT)[number];

/**
 * `provider.options` of `redis`. The address of Redis is given in `connection`, in `cluster`, or by ioredis' own
 * options (`host`, `port`, …) beside the others.
 */
export interface RedisOptions
  extends Omit<ConnectionOptions, 'keyPrefix' | 'readOnly' | 'stringNumbers' | RedisOptionWithoutEffect>,
    Partial<Readonly<Record<RedisOptionWithoutEffect, unknown>>> {
  /**
   * A URL, ioredis options, an open connection, or the name of one of `@strapi-community/plugin-redis`.
   * @default `default` of plugin-redis; without that, 127.0.0.1:6379
   * @see docs/redis.md#options
   */
  readonly connection?: string | ConnectionOptions | Redis | Cluster;
  /**
   * The same as `connection`.
   * @default none
   */
  readonly client?: string | ConnectionOptions | Redis | Cluster;
  /**
   * Nodes of a Redis Cluster, and ioredis' options.
   * @default none
   */
  readonly cluster?: { readonly nodes: readonly ClusterNode[]; readonly options?: ClusterOptions };
  /**
   * Put in front of every key, for ACL patterns.
   * @default ''
   */
  readonly keyPrefix?: string;
  /**
   * Copies of cached responses that a process keeps in memory; `false`: none.
   * @default { maxSize: 1000, maxBytes: 67108864 }
   * @see docs/redis.md#the-local-cache
   */
  readonly localCache?: false | Partial<LocalCacheOptions>;
}

/**
 * The options of each provider, by its name. Add those of a provider of your own in its module:
 *
 * ```ts
 * declare module 'strapi-plugin-response-cache' {
 *   interface ProviderOptionsByName {
 *     './src/cache/file-provider': { directory: string };
 *   }
 * }
 * ```
 */
export interface ProviderOptionsByName {
  memory: MemoryOptions;
  redis: RedisOptions;
}

/** `memory`, `redis`, the path of a module in the application, or the name of a package. */
export type ProviderName = keyof ProviderOptionsByName | (string & {});

/** The name if none is written, which means `memory`. Editors complete all built-in names all the same. */
export type Unnamed = keyof ProviderOptionsByName | (string & { readonly __unnamed: true });

/** The type of `provider.options` for a `provider.name`. The case of built-in names does not matter. */
export type OptionsOf<Name extends string> = string extends Name
  ? ProviderOptionsByName[keyof ProviderOptionsByName] | Readonly<Record<string, unknown>>
  : Unnamed extends Name
    ? MemoryOptions
    : Lowercase<Name> extends 'memory' | 'redis'
      ? ProviderOptionsByName[Lowercase<Name>]
      : Name extends keyof ProviderOptionsByName
        ? ProviderOptionsByName[Name]
        : Readonly<Record<string, unknown>>;
