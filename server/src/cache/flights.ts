import { systemClock, type Clock, type EpochMilliseconds } from './clock';
import { withDeadline } from './deadline';
import type { Entry } from './entry';
import type { CacheKey } from './key';
import { milliseconds, type Milliseconds } from './milliseconds';
import type { Sequence } from './sequence';

/** A computation under way that later requests for the same key may wait for. */
export interface Flight {
  /** The sequence number noted before the computation began. */
  readonly sequence: Sequence;
  /**
   * Waits for the entry that the computation makes; `undefined` if the response must not be shared or the computation
   * takes too long. Never rejects.
   */
  landed(): Promise<Entry | undefined>;
}

/**
 * How long other requests wait for a computation, counted from its beginning. A computation may never end, and the
 * client it runs for may be gone.
 */
export const LONGEST_FLIGHT = milliseconds(10_000);

interface OpenFlight extends Flight {
  readonly openedAt: EpochMilliseconds;
}

/** Computations under way in this process, at most one joinable per key. */
export class Flights {
  readonly #byKey = new Map<CacheKey, OpenFlight>();
  readonly #clock: Clock;

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  /**
   * The flight for `key` that a request may join whose lookup returned the sequence number `current`: nothing at all
   * may have been stamped since the flight began, because it may have read what has been overwritten since. A flight
   * that takes longer than {@link LONGEST_FLIGHT} is not joined.
   */
  joinable(key: CacheKey, current: Sequence): Flight | undefined {
    const flight = this.#byKey.get(key);
    if (flight === undefined || flight.sequence !== current) return undefined;
    if (this.#left(flight) > 0) return flight;
    this.#byKey.delete(key);
    return undefined;
  }

  /** How much longer other requests wait for the flight: not at all where the clock was put back meanwhile. */
  #left({ openedAt }: OpenFlight): Milliseconds {
    const age = this.#clock.now() - openedAt;
    return milliseconds(age < 0 ? 0 : LONGEST_FLIGHT - age);
  }

  /**
   * Opens a flight, and returns the function that ends it, with the entry that waiting requests may share, if any. A
   * newer flight for the same key takes the older one's place.
   */
  open(key: CacheKey, sequence: Sequence): (entry: Entry | undefined) => void {
    let settle: (entry: Entry | undefined) => void = () => undefined;
    const outcome = new Promise<Entry | undefined>((resolve) => {
      settle = resolve;
    });
    const flight = {
      sequence,
      openedAt: this.#clock.now(),
      landed: () => withDeadline(outcome, this.#left(flight)).catch(() => undefined),
    };
    this.#byKey.set(key, flight);
    return (entry) => {
      if (this.#byKey.get(key) === flight) this.#byKey.delete(key);
      settle(entry);
    };
  }

  get size(): number {
    return this.#byKey.size;
  }
}
