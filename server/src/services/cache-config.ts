import type { Core } from '@strapi/strapi';
import { partsOf, type PathParameter } from '../config/route-matching';
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
  let source = '';
  for (const part of partsOf(path)) {
    if (typeof part === 'string') {
      source += escaped(part.replace(/^\\/, ''));
      continue;
    }
    const value = params?.[left.shift() ?? ''];
    if (value !== undefined) source += spellingsOf(value);
    else if (params === undefined) source = withAny(source, part);
    else return undefined;
  }
  return new RegExp(`^${source}\\?`, 'i');
};

/** A slash separates values of a repeatable parameter, and is encoded within a single one. */
const spellingsOf = (value: string | number): string =>
  escaped(encodeURIComponent(value)).replaceAll('%2F', '(?:%2F|\\/)');

/** A parameter that may be missing takes the slash or the dot before it along. */
const withAny = (before: string, { pattern, modifier }: PathParameter): string => {
  const any = pattern === '' && !/[+*]/.test(modifier) ? '[^/?#]+' : '[^?#]*';
  if (!/[?*]/.test(modifier)) return before + any;
  const [prefix = ''] = /(?:\/|\\\.)$/.exec(before) ?? [];
  return `${before.slice(0, before.length - prefix.length)}(?:${prefix}${any})?`;
};

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
