import { LRUCache } from 'lru-cache';
import type { Clock } from '../cache/clock';
import type { CacheKey } from '../cache/key';
import type { Reason } from '../cache/response-cache';

/** Why the latest response under a key was not kept. */
export interface Refusal extends Reason {
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Keys remembered, and the characters they may have together: whoever asks chooses them. */
const MAX_REFUSALS = 2000;
const MAX_KEY_CHARACTERS = 2_000_000;

/** Remembers, for whoever asks why a page is not cached, what its latest response was refused for. */
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
