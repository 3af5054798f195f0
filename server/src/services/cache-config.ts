import type { Core } from '@strapi/strapi';
import { withCommunityNames } from '../plugin/community-names';
import { getRunning } from '../plugin/rest-cache';

/** Route parameters by name, as a purge takes them. */
type Params = Readonly<Record<string, string | number>>;

/** `strapi.plugin('rest-cache').service('cacheConfig')`: what is cached, and how. */
export default ({ strapi }: { strapi: Core.Strapi }) => ({
  /** Whether a content type is cached. */
  isCached(uid: string): boolean {
    return getRunning(strapi).cachedUids.includes(uid);
  },

  /** Uids of the cached content types. */
  getUids(): string[] {
    return getRunning(strapi).cachedUids;
  },

  /** A cached content type's resolved configuration, or `undefined`. */
  get(uid: string) {
    const found = getRunning(strapi).config.strategy.contentTypes.find((contentType) => contentType.uid === uid);
    return found && withCommunityNames(strapi, found);
  },

  /** Uids of the cached content types whose responses a change of this content type reaches. */
  getRelatedCachedUid(uid: string): string[] {
    const cached = getRunning(strapi).cachedUids;
    return this.get(uid)?.relatedContentTypes.filter((related) => cached.includes(related)) ?? [];
  },

  /**
   * Patterns of a content type's keys, for `cacheStore.clearByRegexp`.
   *
   * @param params route parameters. For a route with a parameter that is not among them, no pattern is returned.
   * @param wildcard `true`: the patterns match any values of the parameters.
   */
  getCacheKeysRegexp(uid: string, params: Params = {}, wildcard = false): RegExp[] {
    const routes = this.get(uid)?.routes ?? [];
    return routes.flatMap((route) => keyPattern(route.path, route.paramNames, wildcard ? undefined : params) ?? []);
  },

  /** @deprecated Write `cacheStore.clearByUid`. */
  async clearCache(uid: string, params?: Params, wildcard?: boolean): Promise<void> {
    strapi.log.warn('[rest-cache] cacheConfig.clearCache is deprecated: write cacheStore.clearByUid');
    const cacheStore = strapi
      .plugin('rest-cache')
      .service<{ clearByUid(...request: unknown[]): Promise<void> }>('cacheStore');
    await cacheStore.clearByUid(uid, params, wildcard);
  },
});

/** `undefined` if a parameter of the path is not among `params`. In a key, a `?` follows the path. */
const keyPattern = (path: string, names: readonly string[], params: Params | undefined): RegExp | undefined => {
  const left = [...names];
  const segments = path.split('/').map((segment) => {
    if (!segment.startsWith(':')) return escaped(segment);
    const value = params === undefined ? undefined : params[left.shift() ?? ''];
    if (params === undefined) return '[^/?#]+';
    return value === undefined ? undefined : escaped(encodeURIComponent(value));
  });
  return segments.includes(undefined) ? undefined : new RegExp(`^${segments.join('/')}\\?`, 'i');
};

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
