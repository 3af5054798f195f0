import type { Entry } from './entry';
import type { CacheKey } from './key';
import type { Sequence } from './sequence';

/** A computation under way that later requests for the same key may wait for. */
export interface Flight {
  /** The number noted before the computation began. */
  readonly sequence: Sequence;
  /** Waits for the entry it makes; `undefined` when its response must not be shared. Never rejects. */
  landed(): Promise<Entry | undefined>;
  /** Whether the origin is being asked; `false` while another process is waited for. */
  readonly computing: boolean;
}

/** A flight as the request that leads it sees it. */
export interface LedFlight {
  /** From now on the origin is being asked. */
  compute(): void;
  /** Ends the flight, with what may be shared. */
  land(entry: Entry | undefined): void;
}

/** Computations under way in this process, at most one joinable per key. */
export class Flights {
  readonly #byKey = new Map<CacheKey, Flight>();

  /**
   * The flight a request that noted `current` may join: one since whose start nothing at all was stamped. A flight
   * begun earlier may have read what has been overwritten since.
   */
  joinable(key: CacheKey, current: Sequence): Flight | undefined {
    const flight = this.#byKey.get(key);
    return flight?.sequence === current ? flight : undefined;
  }

  /** Opens a flight. A newer flight for the same key takes the older one's place. */
  open(key: CacheKey, sequence: Sequence): LedFlight {
    const waiting: Array<(entry: Entry | undefined) => void> = [];
    let over: { readonly entry: Entry | undefined } | undefined;
    const flight = {
      sequence,
      computing: false,
      // Most flights are waited for by nobody.
      landed: () =>
        new Promise<Entry | undefined>((resolve) => (over === undefined ? waiting.push(resolve) : resolve(over.entry))),
    };
    this.#byKey.set(key, flight);
    return {
      compute: () => {
        flight.computing = true;
      },
      land: (entry) => {
        if (this.#byKey.get(key) === flight) this.#byKey.delete(key);
        over = { entry };
        for (const resolve of waiting) resolve(entry);
      },
    };
  }

  get size(): number {
    return this.#byKey.size;
  }
}
