export { createRedisProvider, RedisProvider } from './redis-provider';
export type { NamedConnections } from './options';
export { RedisOptionsError, WITHOUT_EFFECT, withNamedConnection } from './options';
export { StoreUnavailable } from './unavailable';
