import { LRUCache } from 'lru-cache';
import type { Entry } from '../../cache/entry';
import type { CacheKey } from '../../cache/key';

type Count = Pick<Entry, 'createdAt' | 'sequence' | 'hits'>;

/** Entries whose hits are remembered; the most recently asked for. */
const MAX_COUNTS = 10_000;

/** How often this process has served entries of which it keeps no copy: each answer of Redis makes another object. */
export class HitCounts {
  readonly #counts = new LRUCache<CacheKey, Count>({ max: MAX_COUNTS });

  /** The same entry, whose `hits` are those of all its copies. */
  shared(entry: Entry): Entry {
    const known = this.#counts.get(entry.key);
    const count =
      known?.createdAt === entry.createdAt && known.sequence === entry.sequence
        ? known
        : { createdAt: entry.createdAt, sequence: entry.sequence, hits: 0 };
    if (count !== known) this.#counts.set(entry.key, count);
    return Object.defineProperty(entry, 'hits', {
      enumerable: true,
      get: () => count.hits,
      set: (hits: number) => {
        count.hits = hits;
      },
    });
  }
}
