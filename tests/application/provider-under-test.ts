import { randomUUID } from 'node:crypto';
import type { RestCacheConfig } from '../../server/src/config/user-config';
import { RedisServer } from '../redis/redis-server';

/** First levels by the name of a run: `redis` has the default one. */
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

/** As the plugin's own routes name it. */
export const providerName = (): string => (providerUnderTest() === 'memory' ? 'memory' : 'redis');

/** A busy machine is not what is under test. */
const PATIENCE = 5000;

/**
 * The configuration with the provider under test, unless a test has chosen one itself. Each application has keys of its
 * own; those that are to share them name a `keyPrefix`.
 */
export const onProviderUnderTest = async (
  config: RestCacheConfig,
  keyPrefix = `test-${randomUUID()}:`,
): Promise<RestCacheConfig> => {
  const name = providerUnderTest();
  const { provider = {} } = config;
  // Only memory is bounded in bytes.
  const isChosen =
    provider.name !== undefined || provider.instance !== undefined || 'maxBytes' in (provider.options ?? {});
  if (name === 'memory' || isChosen) return config;
  const options = { connection: await redisUrl(), keyPrefix, ...FIRST_LEVELS[name] };
  return { ...config, provider: { getTimeout: PATIENCE, ...provider, name: 'redis', options } };
};
