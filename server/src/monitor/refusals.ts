import { LRUCache } from 'lru-cache';
import type { Clock } from '../cache/clock';
import type { CacheKey } from '../cache/key';
import type { Reason } from '../cache/response-cache';

/** Why the latest response under a key was not stored. */
export interface Refusal extends Reason {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Maximum number of keys, and of characters in all keys and details together: callers choose the keys. */
const MAX_REFUSALS = 2000;
const MAX_KEY_CHARACTERS = 2_000_000;

/** Remembers for Explain why the latest response under a key was not stored. */
export class Refusals {
  readonly #byKey = new LRUCache<CacheKey, Refusal>({
    max: MAX_REFUSALS,
    maxSize: MAX_KEY_CHARACTERS,
    sizeCalculation: ({ detail }, key) => key.length + detail.length + 1,
  });
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(key: CacheKey, reason: Reason): void {
    this.#byKey.set(key, { ...reason, at: this.#clock.now() });
  }

  forget(key: CacheKey): void {
    this.#byKey.delete(key);
  }

  of(key: CacheKey): Refusal | undefined {
    return this.#byKey.get(key);
  }
}
