import type { Core } from '@strapi/strapi';
import { summarise, type Stats } from '../admin-api/stats';
import { getRunning } from '../plugin/rest-cache';
import cacheConfig from './cache-config';
import cacheStore from './cache-store';

/** `strapi.plugin('rest-cache').service('cacheStats')` */
const cacheStats = ({ strapi }: { strapi: Core.Strapi }) => ({
  /** What `GET /rest-cache/stats` returns. Enumerates the store, so it is not for polling. */
  summary(): Promise<Stats> {
    return summarise(getRunning(strapi));
  },
});

export default { cacheConfig, cacheStats, cacheStore };
