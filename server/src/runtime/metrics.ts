import type { Clock } from '../cache/clock';
import type { Entry } from '../cache/entry';
import type { ResolvedRoute } from '../config/resolved-config';
import type { CacheOutcome } from '../http/cache-status';
import type { LaneListener } from '../http/inner-lane';

/** Requests counted by outcome. */
export interface OutcomeCounts {
  hit: number;
  miss: number;
  hitpass: number;
}

export const noOutcomes = (): OutcomeCounts => ({ hit: 0, miss: 0, hitpass: 0 });

/** Counts what this process did; plain increments, so that a hit pays nothing for it. */
export class Metrics implements LaneListener {
  readonly totals = noOutcomes();
  readonly byContentType = new Map<string, OutcomeCounts>();
  /** What the hits' originals had cost to compute, in milliseconds. */
  savedTime = 0;
  evictions = 0;
  readonly startedAt: number;

  constructor(clock: Clock) {
    this.startedAt = clock.now();
  }

  answered({ kind }: CacheOutcome, { contentType }: ResolvedRoute, entry: Entry | undefined): void {
    this.totals[kind] += 1;
    let counts = this.byContentType.get(contentType);
    if (counts === undefined) this.byContentType.set(contentType, (counts = noOutcomes()));
    counts[kind] += 1;
    if (kind === 'hit' && entry !== undefined) {
      entry.hits += 1;
      this.savedTime += entry.cost;
    }
  }

  evicted(count: number): void {
    this.evictions += count;
  }
}
