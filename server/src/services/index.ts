import cacheConfig from './cache-config';
import cacheStats from './cache-stats';
import cacheStore from './cache-store';

export default { cacheConfig, cacheStats, cacheStore };
