import { LRUCache } from 'lru-cache';
import type { Clock, EpochMilliseconds } from './clock';
import { type CacheKey, keysAtMost } from './key';
import { milliseconds } from './milliseconds';

/** How long a key is remembered without another answer that says the same: as Varnish does by default. */
export const UNSHARED_FOR = milliseconds(120_000);

const MAX_KEYS = 10_000;

/**
 * The keys whose latest answer was not storable (hit-for-miss). Nobody is to wait for a computation under such a key,
 * because each waiting request would have to compute its own answer after it. A forgotten key costs that wait once.
 */
export class UnsharedKeys {
  readonly #until = new LRUCache<CacheKey, EpochMilliseconds>(keysAtMost(MAX_KEYS));
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  has(key: CacheKey): boolean {
    const until = this.#until.get(key);
    if (until === undefined) return false;
    if (this.#clock.now() < until) return true;
    this.#until.delete(key);
    return false;
  }

  add(key: CacheKey): void {
    this.#until.set(key, milliseconds(this.#clock.now() + UNSHARED_FOR));
  }

  /** To be called when an answer was storable. */
  delete(key: CacheKey): void {
    this.#until.delete(key);
  }
}
