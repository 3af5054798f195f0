import type { Clock, EpochMilliseconds } from '../../server/src/cache/clock';
import { milliseconds, type Milliseconds } from '../../server/src/cache/milliseconds';

/** A clock that advances only when a schedule says so. */
export class ManualClock implements Clock {
  #now = 1_000_000;

  now(): EpochMilliseconds {
    return milliseconds(this.#now);
  }

  pass(duration: Milliseconds): void {
    this.#now += duration;
  }

  /** The clock of another machine, which is ahead of this one or behind it. */
  skewed(by: Milliseconds): Clock {
    return { now: () => milliseconds(this.#now + by) };
  }
}
