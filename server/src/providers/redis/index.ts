export { createRedisProvider, RedisProvider } from './redis-provider';
export type { NamedConnections } from './options';
export { withNamedConnection } from './options';
export { StoreUnavailable } from './unavailable';
