import { LRUCache } from 'lru-cache';
import type { Entry } from '../../cache/entry';
import type { CacheKey } from '../../cache/key';

type Count = Pick<Entry, 'createdAt' | 'sequence' | 'hits'>;

/** Entries whose hits are remembered; the most recently served. */
const MAX_COUNTS = 10_000;

/** How often this process has served entries of which it keeps no copy: each answer of Redis makes another object. */
export class HitCounts {
  readonly #counts = new LRUCache<CacheKey, Count>({ max: MAX_COUNTS });

  /** The same entry, whose `hits` are those of all its copies. */
  shared(entry: Entry): Entry {
    const { key, createdAt, sequence } = entry;
    return Object.defineProperty(entry, 'hits', {
      enumerable: true,
      get: () => {
        const count = this.#counts.peek(key);
        return count?.createdAt === createdAt && count.sequence === sequence ? count.hits : 0;
      },
      set: (hits: number) => {
        this.#counts.set(key, { createdAt, sequence, hits });
      },
    });
  }
}
