import { contentTypeTag, narrowingTags } from '../cache/bookkeeping-tags';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { Tag } from '../cache/tag';
import type { RestCache } from '../plugin/rest-cache';
import { askStore } from './store-away';

/**
 * Removes the entries under these keys, and purges the copies that the edge may have of them. At the edge, all copies
 * of the same content type and route parameters go: nothing tells a single copy from those.
 *
 * @returns how many entries there were.
 * @throws StoreAway if the store cannot be asked.
 */
export const deleteEntries = async (restCache: RestCache, keys: readonly CacheKey[]): Promise<number> => {
  const { provider, edge } = restCache;
  const atEdge = new Set<Tag>();
  let deleted = 0;
  try {
    for (const key of keys) {
      const { entry } = edge === undefined ? {} : await askStore(restCache, () => provider.lookup(key));
      if (entry !== undefined) atEdge.add(nearestTag(entry));
      if (await askStore(restCache, () => provider.delete(key))) deleted += 1;
    }
  } finally {
    if (atEdge.size > 0) await edge?.purge([...atEdge]);
  }
  return deleted;
};

const nearestTag = ({ labels: { contentType, params } }: Entry): Tag =>
  narrowingTags(contentType, params).at(-1) ?? contentTypeTag(contentType);
