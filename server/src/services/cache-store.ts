import type { Core } from '@strapi/strapi';
import { invalidationTags, type InvalidationRequest } from '../admin-api/documents';
import { contentTypePurge } from '../admin-api/purge';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import { findRunning, getRunning } from '../plugin/rest-cache';

/** `strapi.plugin('rest-cache').service('cacheStore')`: the store by hand. */
export default ({ strapi }: { strapi: Core.Strapi }) => ({
  /** Whether the store can be asked right now, and anything is cached at all. */
  get ready(): boolean {
    const restCache = findRunning(strapi);
    return restCache?.unobservable === undefined && restCache?.provider.health().state === 'up';
  },

  /**
   * Removes a content type's entries.
   *
   * @param params route parameters by which to narrow, compared as text: `{ id: 'abc' }`.
   * @param wildcard `true`: ignore `params` and remove everything of the content type.
   * @throws Error when the content type is not cached.
   */
  async clearByUid(uid: string, params: Record<string, string | number> = {}, wildcard = false): Promise<void> {
    const restCache = getRunning(strapi);
    if (!restCache.cachedUids.includes(uid)) throw new Error(`rest-cache: "${uid}" is not a cached content type`);
    await restCache.purge(contentTypePurge(uid, wildcard ? undefined : params));
  },

  /**
   * For writers this process cannot see (scripts, triggers, other programs): invalidates what was computed from these
   * tables, content types or documents.
   *
   * @throws Error for a content type that does not exist.
   */
  async invalidate(request: InvalidationRequest): Promise<void> {
    const restCache = getRunning(strapi);
    await restCache.purge({ subject: { kind: 'tags' }, tags: await invalidationTags(restCache, request) });
  },

  /** Removes everything. */
  async reset(): Promise<void> {
    await getRunning(strapi).reset();
  },

  /** Logical keys of all valid entries, without `keysPrefix`. Enumerates the store. */
  async keys(): Promise<string[]> {
    return (await getRunning(strapi).entries()).map(({ key }) => key);
  },

  /** The valid entry under a key. */
  async get(key: string): Promise<Entry | undefined> {
    return (await getRunning(strapi).provider.lookup(key as CacheKey)).entry;
  },

  /** Removes one entry; resolves to whether there was one. */
  async del(key: string): Promise<boolean> {
    return getRunning(strapi).provider.delete(key as CacheKey);
  },
});
