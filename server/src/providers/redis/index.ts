export { createRedisProvider, RedisProvider } from './redis-provider';
export type { NamedConnections } from './options';
export { RedisOptionsError, withNamedConnection } from './options';
export { StoreUnavailable } from './unavailable';
