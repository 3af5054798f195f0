import { LRUCache } from 'lru-cache';

/** Characters of all keys of one map together. */
const MAX_CHARACTERS = 8_000_000;

/**
 * A map whose keys contain what callers have sent, of any length: a limit on their number alone would let a flood of
 * long URLs take gigabytes. The least recently used go first.
 */
export const lruByText = <Key extends string, Value extends NonNullable<unknown>>(max: number): LRUCache<Key, Value> =>
  new LRUCache({ max, maxSize: MAX_CHARACTERS, sizeCalculation: (_value, key) => key.length + 1 });
