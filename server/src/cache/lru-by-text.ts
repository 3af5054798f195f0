import { LRUCache } from 'lru-cache';

/** Characters in one map together. */
const MAX_CHARACTERS = 8_000_000;

/**
 * A map whose keys contain what callers have sent, of any length: a limit on their number alone would let a flood of
 * long URLs take gigabytes. The least recently used go first.
 *
 * @param lengthIn how many characters a value holds, where callers choose these as well.
 * @param onEvicted called with a value that made room for others.
 */
export const lruByText = <Key extends string, Value extends NonNullable<unknown>>(
  max: number,
  lengthIn: (value: Value) => number = () => 0,
  onEvicted: (value: Value) => void = () => undefined,
): LRUCache<Key, Value> =>
  new LRUCache({
    max,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (value, key) => key.length + 1 + lengthIn(value),
    dispose: (value, _key, reason) => reason === 'evict' && onEvicted(value),
  });
