import type { Sequence } from '../../cache/sequence';
import { NO_INVALIDATION } from '../../cache/sequence';

/** Questions under way at once. With more, fewer callers would share each, which costs more than the waiting. */
const MAX_UNDER_WAY = 2;

/** Keeps this process up to date with the invalidations in Redis. `ask` sends one question and processes the reply. */
export class Follower {
  readonly #ask: () => Promise<void>;
  /** The question that has not been sent yet; all callers share it until it is sent. */
  #next: Promise<void> | undefined;
  #send: (() => void) | undefined;
  #underWay = 0;
  /** All invalidations up to this number are known. */
  known: Sequence = NO_INVALIDATION;

  constructor(ask: () => Promise<void>) {
    this.#ask = ask;
  }

  /**
   * Resolves when all invalidations made before this call are known. Callers share a question only if it is sent after
   * all of them have called: the reply to an earlier question may lack invalidations made in between.
   */
  confirm(): Promise<void> {
    this.#next ??= new Promise((resolve, reject) => {
      this.#send = () => {
        this.#next = this.#send = undefined;
        void this.#put().then(resolve, reject);
      };
      // Sent at the end of this turn of the event loop, so that all requests which arrived in it share the question.
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
