import type { Sequence } from '../../cache/sequence';
import { NO_INVALIDATION } from '../../cache/sequence';
import type { Milliseconds } from '../../cache/milliseconds';

/** Questions under way at once. More would let each carry fewer callers, and cost more than the wait for an answer. */
const MAX_UNDER_WAY = 2;

/** Keeps up with the sequence of invalidations. `ask` puts one question to Redis and takes in the answer. */
export class Follower {
  readonly #ask: () => Promise<void>;
  readonly #trust: Milliseconds;
  /** The question that has not been sent yet; all who ask meanwhile share it. */
  #next: Promise<void> | undefined;
  #send: (() => void) | undefined;
  #underWay = 0;
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
    this.#next ??= new Promise((resolve, reject) => {
      this.#send = () => {
        this.#next = this.#send = undefined;
        void this.#put().then(resolve, reject);
      };
      // At the end of this turn of the event loop: all requests it has brought are in the same question.
      setImmediate(() => this.#sendIfFree());
    });
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

  #sendIfFree(): void {
    if (this.#underWay < MAX_UNDER_WAY) this.#send?.();
  }

  async #put(): Promise<void> {
    this.#underWay += 1;
    try {
      await this.#ask();
    } finally {
      this.#underWay -= 1;
      this.#sendIfFree();
    }
  }
}
