import type { Core } from '@strapi/strapi';
import { deleteEntries } from '../admin-api/entries';
import { invalidationTags, type InvalidationRequest } from '../admin-api/invalidation-tags';
import { requestedPurge } from '../admin-api/purge';
import { askStore, takeStock } from '../admin-api/store-away';
import type { Inquiry } from '../cache/inventory';
import type { CacheKey } from '../cache/key';
import { hasBody, restoredBody } from '../http/stored-response';
import { findRunning, getRunning } from '../plugin/rest-cache';

const KEYS: Inquiry<readonly string[]> = {
  name: 'keys',
  begin: () => {
    const answer: string[] = [];
    return { answer, add: ({ key }) => answer.push(key) };
  },
};

/** `strapi.plugin('rest-cache').service('cacheStore')`: access to the store for code of the application. */
export default ({ strapi }: { strapi: Core.Strapi }) => ({
  /** Whether the store can be asked right now, and the plugin has found no obstacle to caching. */
  get ready(): boolean {
    const restCache = findRunning(strapi);
    return restCache?.unobservable === undefined && restCache?.provider.health().state === 'up';
  },

  /**
   * Removes a content type's entries.
   *
   * @param params route parameters by which to narrow, compared as text: `{ id: 'abc' }`.
   * @param wildcard `true`: ignores `params` and removes everything of the content type.
   * @throws Error when the content type is not cached, or none of its routes has one of the parameters.
   */
  async clearByUid(uid: string, params: Record<string, string | number> = {}, wildcard = false): Promise<void> {
    const restCache = getRunning(strapi);
    const asked = { contentType: uid, ...(wildcard ? {} : { params }) };
    await restCache.purge(await requestedPurge(restCache, asked));
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

  /** Logical keys of all entries that may be served, without `keysPrefix`. Enumerates the store. */
  async keys(): Promise<string[]> {
    return [...(await takeStock(getRunning(strapi), KEYS))];
  },

  /** The body cached under a key, parsed if it is JSON; `null` if there is no valid entry, or none with a body. */
  async get(key: string): Promise<unknown> {
    const restCache = getRunning(strapi);
    const { entry } = await askStore(restCache, () => restCache.provider.lookup(key as CacheKey));
    return entry !== undefined && hasBody(entry.response) ? restoredBody(entry.response) : null;
  },

  /** Removes the entry under this key. Resolves to whether there was one. */
  async del(key: string): Promise<boolean> {
    return (await deleteEntries(getRunning(strapi), [{ key: key as CacheKey }])) > 0;
  },

  /** Removes the entries under these keys. */
  async delMany(keys: readonly string[]): Promise<void> {
    await deleteEntries(
      getRunning(strapi),
      keys.map((key) => ({ key: key as CacheKey })),
    );
  },

  /** Removes the entries whose logical key matches one of these. Enumerates the store. */
  async clearByRegexp(patterns: readonly RegExp[] = []): Promise<void> {
    const matches = (key: string): boolean => patterns.some((pattern) => key.search(pattern) >= 0);
    await this.delMany((await this.keys()).filter(matches));
  },

  /** Does nothing: the provider is created at boot, as `provider` in the configuration says. */
  init(): Promise<void> {
    return Promise.resolve();
  },

  /** @throws Error always: the plugin cannot know what the value was computed from, so it could not invalidate it. */
  set(): Promise<never> {
    return Promise.reject(
      new Error(
        'rest-cache: cacheStore.set() is not available: what was computed from the database by hand cannot be ' +
          'invalidated. Answer it from a route and cache that (contentTypes[].routes), or keep it in a store of your own.',
      ),
    );
  },
});
