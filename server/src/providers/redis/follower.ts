import type { Sequence } from '../../cache/sequence';
import { NO_INVALIDATION } from '../../cache/sequence';

/** Questions under way at once. More would let each carry fewer callers, and cost more than the wait for an answer. */
const MAX_UNDER_WAY = 2;

/** Keeps up with the sequence of invalidations. `ask` puts one question to Redis and takes in the answer. */
export class Follower {
  readonly #ask: () => Promise<void>;
  /** The question that has not been sent yet; all who ask meanwhile share it. */
  #next: Promise<void> | undefined;
  #send: (() => void) | undefined;
  #underWay = 0;
  /** Everything up to this number is known. */
  known: Sequence = NO_INVALIDATION;

  constructor(ask: () => Promise<void>) {
    this.#ask = ask;
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
