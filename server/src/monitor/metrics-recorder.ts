import type { Clock, EpochMilliseconds } from '../cache/clock';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import type { SharedCounters } from '../cache/provider';
import { addTallies, increments, type Metrics, type Tally } from './metrics';

/** Equal intervals that end with the one that holds the present. */
export interface Span {
  readonly name: string;
  readonly step: Milliseconds;
  readonly length: number;
}

export const LAST_HOUR: Span = { name: 'minute', step: milliseconds(60_000), length: 60 };
export const LAST_DAY: Span = { name: 'quarter', step: milliseconds(900_000), length: 96 };
/** Coarse: a store that is shared is asked for every interval. */
export const LAST_WEEK: Span = { name: 'six-hours', step: milliseconds(21_600_000), length: 28 };

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

export type Period = 'hour' | 'day' | 'week';

export const eachPeriod = <T>(make: (period: Period) => T): Readonly<Record<Period, T>> => ({
  hour: make('hour'),
  day: make('day'),
  week: make('week'),
});

const SPANS: Readonly<Record<Period, Span>> = { hour: LAST_HOUR, day: LAST_DAY, week: LAST_WEEK };

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
  /** Of the provider, where several processes share it. */
  readonly shared: () => SharedCounters | undefined;
}

/**
 * Turns counters into history. It reads them now and then and notes by how much they grew, so that counting itself
 * stays an increment.
 */
export class MetricsRecorder {
  readonly #settings: MetricsRecorderSettings;
  readonly #histories: Readonly<Record<Period, History>> = eachPeriod((period) => new History(SPANS[period]));
  /** Counted here and not yet added to the shared sums, by the interval's name. Those of the past are given up. */
  readonly #owed = new Map<string, { readonly span: Span; readonly interval: number; readonly tally: Tally }>();
  #recorded: Tally = {};

  constructor(settings: MetricsRecorderSettings) {
    this.#settings = settings;
  }

  /** Notes what was counted since the last time. Never rejects: a store that is away is owed the counts. */
  async record(): Promise<void> {
    const { metrics, clock } = this.#settings;
    const shared = this.#settings.shared();
    const current = metrics.tally();
    const grown = increments(this.#recorded, current);
    this.#recorded = current;
    const now = clock.now();
    if (Object.keys(grown).length > 0) {
      for (const history of Object.values(this.#histories)) history.add(now, grown);
      if (shared !== undefined) this.#owe(now, grown);
    }
    if (shared !== undefined) await this.#share(shared);
  }

  /** The counts of a period; those of this process where the shared ones cannot be read. */
  async read(period: Period): Promise<RecordedPeriod> {
    await this.record();
    const now = this.#settings.clock.now();
    const span = SPANS[period];
    const { step } = span;
    const intervals = intervalsOf(span, now);
    const from = (intervals[0] ?? 0) * step;
    const shared = this.#settings.shared();
    if (shared !== undefined && this.#owed.size === 0) {
      try {
        const tallies = await shared.read(intervals.map((interval) => nameOf(span, interval)));
        return { scope: 'instances', step, from, intervals: tallies };
      } catch {
        // What this process counted is better than nothing, and is shown as such.
      }
    }
    return { scope: 'process', step, from, intervals: this.#histories[period].read(now) };
  }

  /** {@link read} of each period. */
  async readEach(): Promise<Readonly<Record<Period, RecordedPeriod>>> {
    const [hour, day, week] = [await this.read('hour'), await this.read('day'), await this.read('week')];
    return { hour, day, week };
  }

  #owe(now: EpochMilliseconds, tally: Tally): void {
    for (const span of Object.values(SPANS)) {
      const interval = Math.floor(now / span.step);
      const name = nameOf(span, interval);
      this.#owed.set(name, { span, interval, tally: addTallies([this.#owed.get(name)?.tally ?? {}, tally]) });
    }
    for (const [name, { span, interval }] of this.#owed) {
      if (interval <= Math.floor(now / span.step) - span.length) this.#owed.delete(name);
    }
  }

  async #share(shared: SharedCounters): Promise<void> {
    for (const [name, { span, interval, tally }] of [...this.#owed]) {
      this.#owed.delete(name);
      try {
        await shared.add(name, tally, milliseconds(span.step * (span.length + 1)));
      } catch {
        const meanwhile = this.#owed.get(name)?.tally ?? {};
        this.#owed.set(name, { span, interval, tally: addTallies([tally, meanwhile]) });
        return;
      }
    }
  }
}

const nameOf = ({ name }: Span, interval: number): string => `${name}:${interval}`;
