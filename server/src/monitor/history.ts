import type { EpochMilliseconds } from '../cache/clock';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import { addTallies, type Tally } from './tally';

/** Equal intervals that end with the one that holds the present. */
export interface Span {
  readonly name: string;
  readonly step: Milliseconds;
  readonly length: number;
}

export const LAST_HOUR: Span = { name: 'minute', step: milliseconds(60_000), length: 60 };
export const LAST_DAY: Span = { name: 'quarter', step: milliseconds(900_000), length: 96 };

/** The span's intervals at a time, oldest first, numbered since the epoch. */
export const intervalsOf = ({ step, length }: Span, now: EpochMilliseconds): number[] => {
  const current = Math.floor(now / step);
  return Array.from({ length }, (_, index) => current - length + 1 + index);
};

/** Tallies of the latest intervals; older ones are forgotten. */
export class History {
  readonly #span: Span;
  readonly #byInterval = new Map<number, Tally>();

  constructor(span: Span) {
    this.#span = span;
  }

  add(at: EpochMilliseconds, tally: Tally): void {
    const { step, length } = this.#span;
    const interval = Math.floor(at / step);
    this.#byInterval.set(interval, addTallies([this.#byInterval.get(interval) ?? {}, tally]));
    for (const known of this.#byInterval.keys()) if (known <= interval - length) this.#byInterval.delete(known);
  }

  /** One tally per interval of the span, oldest first. */
  read(now: EpochMilliseconds): Tally[] {
    return intervalsOf(this.#span, now).map((interval) => this.#byInterval.get(interval) ?? {});
  }

  get size(): number {
    return this.#byInterval.size;
  }
}
