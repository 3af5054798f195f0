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

export type Period = 'hour' | 'day' | 'week';

export const eachPeriod = <T>(make: (period: Period) => T): Readonly<Record<Period, T>> => ({
  hour: make('hour'),
  day: make('day'),
  week: make('week'),
});

const SPANS: Readonly<Record<Period, Span>> = { hour: LAST_HOUR, day: LAST_DAY, week: LAST_WEEK };

interface Interval {
  readonly span: Span;
  readonly number: number;
  readonly tally: Tally;
}

/** Tallies of the latest intervals of each span, by the intervals' names; older ones are forgotten. */
export class History {
  readonly #byName = new Map<string, Interval>();

  add(at: EpochMilliseconds, tally: Tally): void {
    for (const span of Object.values(SPANS)) this.put({ span, number: Math.floor(at / span.step), tally });
    for (const [name, { span, number }] of this.#byName)
      if (number <= Math.floor(at / span.step) - span.length) this.#byName.delete(name);
  }

  put({ span, number, tally }: Interval): void {
    const name = nameOf(span, number);
    const known = this.#byName.get(name)?.tally ?? {};
    this.#byName.set(name, { span, number, tally: addTallies([known, tally]) });
  }

  /** One tally per interval of the span, oldest first. */
  read(span: Span, now: EpochMilliseconds): Tally[] {
    return intervalsOf(span, now).map((number) => this.#byName.get(nameOf(span, number))?.tally ?? {});
  }

  /** Takes one after the other out; several may do so at once. */
  *take(): Iterable<Interval> {
    for (const [name, interval] of this.#byName) {
      this.#byName.delete(name);
      yield interval;
    }
  }

  get size(): number {
    return this.#byName.size;
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
  /** Of the provider, where several processes share it. */
  readonly shared: () => SharedCounters | undefined;
}

/**
 * Turns counters into history. It reads them now and then and notes by how much they grew, so that counting itself
 * stays an increment.
 */
export class MetricsRecorder {
  readonly #settings: MetricsRecorderSettings;
  readonly #history = new History();
  /** Counted here and not yet added to the shared sums. Those of the past are given up. */
  readonly #owed = new History();
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
      this.#history.add(now, grown);
      if (shared !== undefined) this.#owed.add(now, grown);
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
    return { scope: 'process', step, from, intervals: this.#history.read(span, now) };
  }

  /** {@link read} of each period. */
  async readEach(): Promise<Readonly<Record<Period, RecordedPeriod>>> {
    const [hour, day, week] = [await this.read('hour'), await this.read('day'), await this.read('week')];
    return { hour, day, week };
  }

  async #share(shared: SharedCounters): Promise<void> {
    for (const interval of this.#owed.take()) {
      const { span, number, tally } = interval;
      try {
        await shared.add(nameOf(span, number), tally, milliseconds(span.step * (span.length + 1)));
      } catch {
        this.#owed.put(interval);
        return;
      }
    }
  }
}
