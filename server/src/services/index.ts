import type { Core } from '@strapi/strapi';
import { summarise, type Stats } from '../admin-api/stats';
import type { ResolvedContentType } from '../config/resolved-config';
import { getRunning } from '../plugin/rest-cache';
import cacheStore from './cache-store';

/** `strapi.plugin('rest-cache').service('cacheConfig')`: what is cached, and how. */
const cacheConfig = ({ strapi }: { strapi: Core.Strapi }) => ({
  /** Whether a content type is cached. */
  isCached(uid: string): boolean {
    return getRunning(strapi).cachedUids.includes(uid);
  },

  /** Uids of the cached content types. */
  getUids(): string[] {
    return getRunning(strapi).cachedUids;
  },

  /** A cached content type's resolved configuration, or `undefined`. */
  get(uid: string): ResolvedContentType | undefined {
    return getRunning(strapi).config.strategy.contentTypes.find((contentType) => contentType.uid === uid);
  },
});

/** `strapi.plugin('rest-cache').service('cacheStats')` */
const cacheStats = ({ strapi }: { strapi: Core.Strapi }) => ({
  /** What `GET /rest-cache/stats` returns. Enumerates the store, so it is not for polling. */
  summary(): Promise<Stats> {
    return summarise(getRunning(strapi));
  },
});

export default { cacheConfig, cacheStats, cacheStore };
