import type { Cluster, ClusterNode, ClusterOptions, Redis, RedisOptions as ConnectionOptions } from 'ioredis';

/** Options of lru-cache that @strapi-community/plugin-rest-cache hands on. */
type LruCacheOption =
  | ('ttl' | 'ttlResolution' | 'ttlAutopurge' | 'updateAgeOnGet' | 'updateAgeOnHas' | 'allowStale')
  | ('maxEntrySize' | 'sizeCalculation' | 'dispose' | 'noDisposeOnSet' | 'noUpdateTTL');

/** `provider.options` of `memory`. Options of lru-cache are accepted as well, and have no effect. */
export interface MemoryOptions extends Partial<Readonly<Record<LruCacheOption, unknown>>> {
  /**
   * Entries held before the least recently used one is evicted.
   * @default 32767
   */
  readonly maxSize?: number;
  /**
   * The same as `maxSize`; has the last word if both are set.
   * @default `maxSize`
   */
  readonly max?: number;
  /**
   * Bytes held before the least recently used entry is evicted.
   * @default a quarter of the memory the process may use
   */
  readonly maxBytes?: number;
}

/** What a process keeps of a shared store, to save the way there. */
export interface LocalCacheOptions {
  /**
   * Entries.
   * @default 1000
   */
  readonly maxSize: number;
  /**
   * Bytes.
   * @default 67108864 (64 MiB)
   */
  readonly maxBytes: number;
}

/**
 * What @strapi-community/provider-rest-cache-redis takes for itself and for @keyv/redis. Redis has a limit of memory of
 * its own, `strategy.maxAge` says how long an entry is kept, and `strategy.keysPrefix` keeps applications apart.
 */
export const WITHOUT_EFFECT = [
  ...(['max', 'ttl', 'namespace', 'useRedisSets', 'keyPrefixSeparator', 'clearBatchSize', 'useUnlink'] as const),
  ...(['noNamespaceAffectsAll', 'throwOnConnectError', 'throwOnErrors', 'connectionTimeout', 'adapter'] as const),
] as const;

type RedisOptionWithoutEffect = (typeof WITHOUT_EFFECT)[number];

/**
 * `provider.options` of `redis`. Where Redis is stands in `connection`, in `cluster`, or as ioredis' own options
 * (`host`, `port`, …) beside the others.
 */
export interface RedisOptions
  extends Omit<ConnectionOptions, 'keyPrefix' | 'readOnly' | 'stringNumbers' | RedisOptionWithoutEffect>,
    Partial<Readonly<Record<RedisOptionWithoutEffect, unknown>>> {
  /**
   * A URL, ioredis options (Sentinel's included), a connection that is already open, or the name of one that
   * `@strapi-community/plugin-redis` has opened.
   * @default that plugin's `default`; without it, 127.0.0.1:6379
   */
  readonly connection?: string | ConnectionOptions | Redis | Cluster;
  /**
   * The same as `connection`, under the name other plugins use.
   * @default none
   */
  readonly client?: string | ConnectionOptions | Redis | Cluster;
  /**
   * Nodes of a Redis Cluster to begin with, and ioredis' options for it.
   * @default none
   */
  readonly cluster?: { readonly nodes: readonly ClusterNode[]; readonly options?: ClusterOptions };
  /**
   * In front of every key, for ACL patterns.
   * @default ''
   */
  readonly keyPrefix?: string;
  /**
   * What this process keeps beside Redis; `false`: nothing.
   * @default { maxSize: 1000, maxBytes: 67108864 }
   * @see docs/redis.md#the-first-level
   */
  readonly localCache?: false | Partial<LocalCacheOptions>;
}

/**
 * The options of each provider, by its name. A provider of your own is added where it is written:
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

/** Where none is named, which means `memory`: an editor completes all of them all the same. */
export type Unnamed = keyof ProviderOptionsByName | (string & { readonly __unnamed: true });

/** What `provider.options` may hold beside a `provider.name`, of which the case does not matter for those built in. */
export type OptionsOf<Name extends string> = string extends Name
  ? ProviderOptionsByName[keyof ProviderOptionsByName] | Readonly<Record<string, unknown>>
  : Unnamed extends Name
    ? MemoryOptions
    : Lowercase<Name> extends 'memory' | 'redis'
      ? ProviderOptionsByName[Lowercase<Name>]
      : Name extends keyof ProviderOptionsByName
        ? ProviderOptionsByName[Name]
        : Readonly<Record<string, unknown>>;
