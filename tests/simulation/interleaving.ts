import { nextTick } from 'node:process';
import type { Scheduler } from 'fast-check';

const NOTHING = Promise.resolve();

/** Steps of others that fit into a long pause, at least. */
const LONG = 6;

/** Everybody waits for somebody and nothing is on its way: a request would hang for ever. */
export class Deadlock extends Error {
  constructor() {
    super('nothing is on its way, but somebody still waits');
    this.name = 'Deadlock';
  }
}

/**
 * When every continuation of what has just happened has run: Node works off all promises before the next tick. Cheaper
 * than a turn of the event loop, and the same to everybody in here.
 */
export const everybodyHasReacted = (): Promise<void> => new Promise((resolve) => nextTick(resolve));

/**
 * The order in which things happen in one schedule. Whatever would take time in production (a message, a statement, a
 * handler's work) pauses here, and the schedule picks which pause ends next. The next one ends only
 * when everybody has reacted to this one, as with input and output in Node: no interleaving is tried that could not
 * happen.
 */
export class Interleaving {
  readonly #scheduler: Scheduler;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  pause(label: string): Promise<void> {
    return this.#scheduler.schedule(NOTHING, label);
  }

  /** Something that takes much longer than what happens meanwhile. */
  async longPause(label: string): Promise<void> {
    for (let i = 0; i < LONG; i += 1) await this.pause(label);
  }

  /** Lets things happen until `work` is done and nothing is on its way any more. */
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
