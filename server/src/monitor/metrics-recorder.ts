import { LRUCache } from 'lru-cache';
import type { Clock, EpochMilliseconds } from '../cache/clock';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import type { SharedCounters } from '../cache/provider';
import { addTallies, increments, type Metrics, type Tally } from './metrics';

/** `length` intervals of equal duration, the last of which contains the present. */
export interface Span {
  readonly name: string;
  readonly step: Milliseconds;
  readonly length: number;
}

export const LAST_HOUR: Span = { name: 'minute', step: milliseconds(60_000), length: 60 };
export const LAST_DAY: Span = { name: 'quarter', step: milliseconds(900_000), length: 96 };
/** The intervals are long because a shared store is asked for every one of them. */
export const LAST_WEEK: Span = { name: 'six-hours', step: milliseconds(21_600_000), length: 28 };

/** The numbers of the span's intervals at the time `now`, oldest first, counted since the epoch. */
export const intervalsOf = ({ step, length }: Span, now: EpochMilliseconds): number[] => {
  const current = Math.floor(now / step);
  return Array.from({ length }, (_, index) => current - length + 1 + index);
};

export type Period = 'hour' | 'day' | 'week';

export const eachPeriod = <T>(make: (period: Period) => T): Readonly<Record<Period, T>> => ({
  hour: make('hour'),
  day: make('day'),
  week: make('week'),
});

const SPANS: readonly Span[] = [LAST_HOUR, LAST_DAY, LAST_WEEK];

/** Tallies of the latest intervals of each span, by the intervals' numbers; older ones are forgotten. */
export class History {
  readonly #tallies = new Map(SPANS.map((span) => [span, new LRUCache<number, Tally>({ max: span.length })]));

  add(at: EpochMilliseconds, tally: Tally): void {
    for (const [{ step }, tallies] of this.#tallies) {
      const number = Math.floor(at / step);
      tallies.set(number, addTallies([tallies.peek(number) ?? {}, tally]));
    }
  }

  /** One tally per interval of the span, oldest first. */
  read(span: Span, now: EpochMilliseconds): Tally[] {
    return intervalsOf(span, now).map((number) => this.#tallies.get(span)?.peek(number) ?? {});
  }
}

const nameOf = ({ name }: Span, interval: number): string => `${name}:${interval}`;

/** What was counted in each interval of a period, oldest first. */
export interface RecordedPeriod {
  /** Whose counts these are: of this process alone, or of all that share the store. */
  readonly scope: 'process' | 'instances';
  /** Milliseconds an interval lasts. */
  readonly step: number;
  /** When the first interval began, in milliseconds since the epoch. */
  readonly from: number;
  readonly intervals: readonly Tally[];
}

export interface MetricsRecorderSettings {
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** The counters of the provider, if several processes share its store. */
  readonly shared: () => SharedCounters | undefined;
}

/**
 * Turns counters into history. It reads them now and then and notes by how much they grew, so that counting itself
 * stays an increment.
 */
export class MetricsRecorder {
  readonly #settings: MetricsRecorderSettings;
  readonly #history = new History();
  #recorded: Tally = {};

  constructor(settings: MetricsRecorderSettings) {
    this.#settings = settings;
  }

  /** Notes what was counted since the last time. Never rejects: a store that is unavailable misses these counts. */
  async record(): Promise<void> {
    const { metrics, clock, shared } = this.#settings;
    const current = metrics.tally();
    const grown = increments(this.#recorded, current);
    this.#recorded = current;
    if (Object.keys(grown).length === 0) return;
    const now = clock.now();
    this.#history.add(now, grown);
    const added = SPANS.map(async (span) => {
      const lifetime = milliseconds(span.step * (span.length + 1));
      await shared()?.add(nameOf(span, Math.floor(now / span.step)), grown, lifetime);
    });
    await Promise.allSettled(added);
  }

  /** The counts of each period; only those of this process if the shared ones cannot be read. */
  async read(): Promise<Readonly<Record<Period, RecordedPeriod>>> {
    await this.record();
    const now = this.#settings.clock.now();
    return {
      hour: await this.#read(LAST_HOUR, now),
      day: await this.#read(LAST_DAY, now),
      week: await this.#read(LAST_WEEK, now),
    };
  }

  async #read(span: Span, now: EpochMilliseconds): Promise<RecordedPeriod> {
    const { step } = span;
    const intervals = intervalsOf(span, now);
    const from = (intervals[0] ?? 0) * step;
    try {
      const tallies = await this.#settings.shared()?.read(intervals.map((interval) => nameOf(span, interval)));
      if (tallies !== undefined) return { scope: 'instances', step, from, intervals: tallies };
    } catch {
      // The counts of this process are better than nothing; `scope` says whose they are.
    }
    return { scope: 'process', step, from, intervals: this.#history.read(span, now) };
  }
}
