import { randomUUID } from 'node:crypto';
import type { RestCacheConfig } from '../../server/src/config/user-config';
import { RedisServer } from '../redis/redis-server';

/** The options of the first level by the name of a run: `redis` has the default one. */
const FIRST_LEVELS = {
  redis: {},
  'redis-plain': { localCache: false },
} as const;

type Name = 'memory' | keyof typeof FIRST_LEVELS;

/** The provider on which this run of the suite has to pass (`REST_CACHE_TEST_PROVIDER`). */
export const providerUnderTest = (): Name => {
  const name = process.env.REST_CACHE_TEST_PROVIDER || 'memory';
  if (name === 'memory' || name in FIRST_LEVELS) return name as Name;
  throw new Error(`REST_CACHE_TEST_PROVIDER is "${name}"; expected memory, ${Object.keys(FIRST_LEVELS).join(', ')}`);
};

let server: Promise<RedisServer> | undefined;

/** `REST_CACHE_TEST_REDIS`, or a redis-server of this process's own. */
export const redisUrl = async (): Promise<string> => {
  const given = process.env.REST_CACHE_TEST_REDIS;
  if (given !== undefined && given !== '') return given;
  server ??= RedisServer.start();
  return (await server).url;
};

/** The provider's name as the plugin's own routes report it. */
export const providerName = (): string => (providerUnderTest() === 'memory' ? 'memory' : 'redis');

/** In milliseconds. Generous, so that a busy machine does not make tests fail. */
const PATIENCE = 5000;

/**
 * The configuration with the provider under test, unless the test has chosen a provider itself. Each application has
 * keys of its own; applications that share their keys pass the same `keyPrefix`.
 */
export const onProviderUnderTest = async (
  config: RestCacheConfig,
  keyPrefix = `test-${randomUUID()}:`,
): Promise<RestCacheConfig> => {
  const name = providerUnderTest();
  const { provider = {} } = config;
  // Only the memory provider has a limit in bytes.
  const isChosen =
    provider.name !== undefined || provider.instance !== undefined || 'maxBytes' in (provider.options ?? {});
  if (name === 'memory' || isChosen) return config;
  const options = { connection: await redisUrl(), keyPrefix, ...FIRST_LEVELS[name] };
  return { ...config, provider: { getTimeout: PATIENCE, ...provider, name: 'redis', options } };
};
