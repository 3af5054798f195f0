export { createRedisProvider, RedisProvider } from './redis-provider';
export type { RedisProviderOptions } from './options';
export { RedisOptionsError } from './options';
export { StoreUnavailable } from './unavailable';
