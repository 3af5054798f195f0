import type { Clock, EpochMilliseconds } from '../cache/clock';
import { milliseconds } from '../cache/milliseconds';
import type { SharedCounters } from '../cache/provider';
import { History, intervalsOf, LAST_DAY, LAST_HOUR, type Span } from './history';
import type { Metrics } from './metrics';
import { addTallies, increments, isEmptyTally, type Tally } from './tally';

export type Period = 'hour' | 'day';

const SPANS: Readonly<Record<Period, Span>> = { hour: LAST_HOUR, day: LAST_DAY };

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

/** How often counters become history, in milliseconds. */
const RECORDING_INTERVAL = 10_000;

/** Intervals whose counts wait for a store that cannot be asked; older ones are given up. */
const MAX_OWED = 120;

export interface MetricsRecorderSettings {
  readonly metrics: Metrics;
  readonly clock: Clock;
  /** Of the provider, where several processes share it. */
  readonly shared: SharedCounters | undefined;
}

/**
 * Turns counters into history. It reads them now and then and notes by how much they grew, so that counting itself
 * stays an increment.
 */
export class MetricsRecorder {
  readonly #settings: MetricsRecorderSettings;
  readonly #histories: Readonly<Record<Period, History>> = { hour: new History(LAST_HOUR), day: new History(LAST_DAY) };
  /** Counted here and not yet added to the shared sums, by the interval's name. */
  readonly #owed = new Map<string, { readonly span: Span; tally: Tally }>();
  #recorded: Tally = {};
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: MetricsRecorderSettings) {
    this.#settings = settings;
  }

  start(): void {
    this.#timer = setInterval(() => void this.record(), RECORDING_INTERVAL);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Notes what was counted since the last time. Never rejects: a store that is away is owed the counts. */
  async record(): Promise<void> {
    const { metrics, clock, shared } = this.#settings;
    const current = metrics.tally();
    const grown = increments(this.#recorded, current);
    this.#recorded = current;
    const now = clock.now();
    if (!isEmptyTally(grown)) {
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
    const { shared } = this.#settings;
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

  #owe(now: EpochMilliseconds, tally: Tally): void {
    for (const span of Object.values(SPANS)) {
      const name = nameOf(span, Math.floor(now / span.step));
      this.#owed.set(name, { span, tally: addTallies([this.#owed.get(name)?.tally ?? {}, tally]) });
    }
    for (const name of this.#owed.keys()) {
      if (this.#owed.size <= MAX_OWED) break;
      this.#owed.delete(name);
    }
  }

  async #share(shared: SharedCounters): Promise<void> {
    for (const [name, { span, tally }] of [...this.#owed]) {
      this.#owed.delete(name);
      try {
        await shared.add(name, tally, milliseconds(span.step * (span.length + 1)));
      } catch {
        const meanwhile = this.#owed.get(name)?.tally ?? {};
        this.#owed.set(name, { span, tally: addTallies([tally, meanwhile]) });
        return;
      }
    }
  }
}

const nameOf = ({ name }: Span, interval: number): string => `${name}:${interval}`;
