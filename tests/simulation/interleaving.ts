import { nextTick } from 'node:process';
import type { Scheduler } from 'fast-check';

const NOTHING = Promise.resolve();

/** The least number of other steps that fit into a long pause. */
const LONG = 6;

/** All actors wait and nothing is under way, so a request would hang for ever. */
export class Deadlock extends Error {
  constructor() {
    super('nothing is on its way, but somebody still waits');
    this.name = 'Deadlock';
  }
}

/**
 * Resolves when every continuation of the last step has run: Node.js empties the queue of promises before the next
 * tick. Cheaper than a turn of the event loop, and equivalent for the code in this simulation.
 */
export const everybodyHasReacted = (): Promise<void> => new Promise((resolve) => nextTick(resolve));

/**
 * The order of events in one schedule. Whatever takes time in production (a message, a statement, a handler's work)
 * pauses here, and the schedule picks the pause that ends next. The next pause ends only after all code has reacted to
 * this one, as with input and output in Node.js, so no interleaving is tried that could not happen.
 */
export class Interleaving {
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  pause(label: string): Promise<void> {
    return this.#scheduler.schedule(NOTHING, label);
  }

  /** A pause that takes much longer than other steps. */
  async longPause(label: string): Promise<void> {
    for (let i = 0; i < LONG; i += 1) await this.pause(label);
  }

  /** Lets pauses end until `work` is done and nothing is under way any more. */
  async run(work: Promise<unknown>): Promise<void> {
    let done = false;
    const finish = (): void => {
      done = true;
    };
    work.then(finish, finish);
    for (;;) {
      await everybodyHasReacted();
      if (this.#scheduler.count() > 0) await this.#scheduler.waitOne();
      else if (done) break;
      else throw new Deadlock();
    }
    await work;
  }
}
