import type { Core } from '@strapi/strapi';
import { getRunning } from '../plugin/rest-cache';
import { summarise, type Stats } from '../admin-api/stats';

/** `strapi.plugin('rest-cache').service('cacheStats')` */
export default ({ strapi }: { strapi: Core.Strapi }) => ({
  /** What `GET /rest-cache/stats` returns. Enumerates the store, so it is not for polling. */
  summary(): Promise<Stats> {
    return summarise(getRunning(strapi));
  },
});
