import { LRUCache } from 'lru-cache';
import type { Tag } from '../cache/tag';

/** Different lists remembered: all anonymous requests of a content type read the same, each user something else. */
const MAX_LISTS = 1000;

/** Lists of tags that are alike, held once: thousands of verdicts rest on the same few permissions. */
export class SharedTags {
  readonly #lists = new LRUCache<string, readonly Tag[]>({ max: MAX_LISTS });

  /** The list to hold instead of this one, and how many bytes holding it adds. */
  share(tags: readonly Tag[]): { readonly tags: readonly Tag[]; readonly bytes: number } {
    const text = tags.join('\n');
    const known = this.#lists.get(text);
    if (known !== undefined) return { tags: known, bytes: 0 };
    this.#lists.set(text, tags);
    // The list, its texts, and the text it is found by.
    return { tags, bytes: 2 * text.length + 24 * tags.length };
  }
}
