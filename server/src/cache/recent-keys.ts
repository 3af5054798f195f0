import type { Clock, EpochMilliseconds } from './clock';
import type { CacheKey } from './key';
import { lruByText } from './lru-by-text';
import { milliseconds, type Milliseconds } from './milliseconds';

const MAX_KEYS = 10_000;

/** Keys that are remembered for some time. One that is forgotten earlier costs no more than what led to it. */
export class RecentKeys {
  readonly #until = lruByText<CacheKey, EpochMilliseconds>(MAX_KEYS);
  readonly #clock: Clock;
  readonly #span: Milliseconds;

  /** @param span how long a key is remembered after it was added last. */
  constructor(clock: Clock, span: Milliseconds) {
    this.#clock = clock;
    this.#span = span;
  }

  has(key: CacheKey): boolean {
    const until = this.#until.get(key);
    if (until === undefined) return false;
    const left = until - this.#clock.now();
    // More is left where the clock was put back.
    if (left > 0 && left <= this.#span) return true;
    this.#until.delete(key);
    return false;
  }

  add(key: CacheKey): void {
    this.#until.set(key, milliseconds(this.#clock.now() + this.#span));
  }

  delete(key: CacheKey): void {
    this.#until.delete(key);
  }
}
