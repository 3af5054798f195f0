import { describe, expect, it } from 'vitest';
import { milliseconds, type Milliseconds } from '../../../server/src/cache/milliseconds';
import type { SharedCounters } from '../../../server/src/cache/provider';
import { addTallies, byRoute, Metrics, requestCounts, type Tally } from '../../../server/src/monitor/metrics';
import { MetricsRecorder, type Period } from '../../../server/src/monitor/metrics-recorder';
import { aRoute } from './route';

const miss = { kind: 'miss', stored: true, cost: milliseconds(5) } as const;

const DAY = 24 * 3_600_000;

/** Stands for Redis: one set of sums for all instances. */
class Sums implements SharedCounters {
  readonly intervals = new Map<string, Tally>();
  isAway = false;

  async add(interval: string, increments: Tally, _lifetime: Milliseconds): Promise<void> {
    if (this.isAway) throw new Error('away');
    this.intervals.set(interval, addTallies([this.intervals.get(interval) ?? {}, increments]));
  }

  async read(intervals: readonly string[]): Promise<Tally[]> {
    if (this.isAway) throw new Error('away');
    return intervals.map((interval) => this.intervals.get(interval) ?? {});
  }
}

class Instance {
  now = 1_000 * 60_000;
  readonly metrics: Metrics;
  readonly recorder: MetricsRecorder;

  constructor(shared?: SharedCounters) {
    const clock = { now: () => milliseconds(this.now) };
    this.metrics = new Metrics();
    this.recorder = new MetricsRecorder({ metrics: this.metrics, clock, shared: () => shared });
  }

  request(): void {
    this.metrics.answered(miss, aRoute(), undefined);
  }

  async misses(period: Period = 'hour'): Promise<{ scope: string; misses: number }> {
    const { scope, intervals } = (await this.recorder.read())[period];
    return { scope, misses: requestCounts(byRoute(addTallies(intervals)).values()).miss };
  }
}

describe('in one process', () => {
  it('counts everything once, however often it is read', async () => {
    const instance = new Instance();
    instance.request();
    await instance.misses();
    instance.request();
    instance.now += 60_000;
    expect(await instance.misses()).toEqual({ scope: 'process', misses: 2 });
    expect(await instance.misses('day')).toEqual({ scope: 'process', misses: 2 });
    instance.now += 6 * DAY;
    expect(await instance.misses('day')).toEqual({ scope: 'process', misses: 0 });
    expect(await instance.misses('week')).toEqual({ scope: 'process', misses: 2 });
  });
});

describe('over several processes', () => {
  it('adds nothing twice where it is recorded twice at once', async () => {
    const sums = new Sums();
    const instance = new Instance(sums);
    instance.request();
    await Promise.all([instance.recorder.record(), instance.recorder.record()]);
    for (const period of ['hour', 'day', 'week'] as const)
      expect(await instance.misses(period)).toEqual({ scope: 'instances', misses: 1 });
  });

  it('reads the sum of all', async () => {
    const sums = new Sums();
    const [one, other] = [new Instance(sums), new Instance(sums)];
    one.request();
    other.request();
    await one.recorder.record();
    expect(await other.misses()).toEqual({ scope: 'instances', misses: 2 });
    expect(await one.misses('day')).toEqual({ scope: 'instances', misses: 2 });
  });

  it('shows its own counts while the store is away, and those of all when it is back', async () => {
    const sums = new Sums();
    const [one, other] = [new Instance(sums), new Instance(sums)];
    other.request();
    await other.recorder.record();
    sums.isAway = true;
    one.request();
    expect(await one.misses()).toEqual({ scope: 'process', misses: 1 });
    sums.isAway = false;
    one.request();
    expect(await one.misses()).toEqual({ scope: 'instances', misses: 2 });
    expect(await other.misses('day')).toEqual({ scope: 'instances', misses: 2 });
  });

  it('still has a week after a restart', async () => {
    const sums = new Sums();
    const before = new Instance(sums);
    before.request();
    await before.recorder.record();
    const after = new Instance(sums);
    after.now += 6 * DAY;
    expect(await after.misses('day')).toEqual({ scope: 'instances', misses: 0 });
    expect(await after.misses('week')).toEqual({ scope: 'instances', misses: 1 });
    after.now += 2 * DAY;
    expect(await after.misses('week')).toEqual({ scope: 'instances', misses: 0 });
  });
});
