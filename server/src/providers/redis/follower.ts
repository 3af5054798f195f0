import type { Sequence } from '../../cache/sequence';
import { NO_INVALIDATION } from '../../cache/sequence';
import type { Milliseconds } from '../../cache/milliseconds';

/** Keeps up with the sequence of invalidations. `ask` puts one question to Redis and takes in the answer. */
export class Follower {
  readonly #ask: () => Promise<void>;
  readonly #trust: Milliseconds;
  #current: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** When the latest question that was answered had been sent; monotonic milliseconds. */
  #confirmedAt = -Infinity;
  /** Everything up to this number is known. */
  known: Sequence = NO_INVALIDATION;

  constructor(ask: () => Promise<void>, trust: Milliseconds) {
    this.#ask = ask;
    this.#trust = trust;
  }

  /**
   * Resolves when everything is known that was invalidated before this call. Callers share a question only if it is sent
   * after all of them called: an answer to one sent earlier may miss what happened in between.
   */
  confirm(): Promise<void> {
    this.#next ??= this.#askAfter(this.#current);
    return this.#next;
  }

  /** Whether the latest confirmation is recent enough for a level that may be somewhat behind. */
  get isTrusted(): boolean {
    return performance.now() - this.#confirmedAt < this.#trust;
  }

  /** Takes note of an answer to a question that was sent at `sentAt`, monotonic milliseconds. */
  confirmed(sentAt: number): void {
    this.#confirmedAt = Math.max(this.#confirmedAt, sentAt);
  }

  distrust(): void {
    this.#confirmedAt = -Infinity;
  }

  async #askAfter(running: Promise<void> | undefined): Promise<void> {
    // Its failure concerns those who wait for it.
    await running?.catch(() => undefined);
    const asked = this.#ask();
    this.#current = asked;
    this.#next = undefined;
    try {
      await asked;
    } finally {
      if (this.#current === asked) this.#current = undefined;
    }
  }
}
