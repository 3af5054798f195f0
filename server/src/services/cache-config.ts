import type { Core } from '@strapi/strapi';
import type { ResolvedContentType } from '../config/resolved-config';
import { getRunning } from '../plugin/rest-cache';

/** `strapi.plugin('rest-cache').service('cacheConfig')`: what is cached, and how. */
export default ({ strapi }: { strapi: Core.Strapi }) => ({
  /** Whether a content type is cached. */
  isCached(uid: string): boolean {
    return getRunning(strapi).isCached(uid);
  },

  /** Uids of the cached content types. */
  getUids(): string[] {
    return getRunning(strapi).config.strategy.contentTypes.map(({ uid }) => uid);
  },

  /** A cached content type's resolved configuration, or `undefined`. */
  get(uid: string): ResolvedContentType | undefined {
    return getRunning(strapi).config.strategy.contentTypes.find((contentType) => contentType.uid === uid);
  },
});
