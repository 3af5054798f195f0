import type { Clock, EpochMilliseconds } from '../../server/src/cache/clock';
import { milliseconds, type Milliseconds } from '../../server/src/cache/milliseconds';

/** Time passes when a schedule says so. */
export class ManualClock implements Clock {
  #now = 1_000_000;

  now(): EpochMilliseconds {
    return milliseconds(this.#now);
  }

  pass(duration: Milliseconds): void {
    this.#now += duration;
  }

  /** The clock of a machine that is ahead of this one, or behind. */
  skewed(by: Milliseconds): Clock {
    return { now: () => milliseconds(this.#now + by) };
  }
}
