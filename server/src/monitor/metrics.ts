import { LRUCache } from 'lru-cache';
import type { Clock } from '../cache/clock';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { ResolvedRoute } from '../config/resolved-config';
import type { CacheOutcome } from '../http/cache-status';
import type { LaneListener } from '../lanes/serve-entry';

/** Counts by name: whole numbers that are added up over time and over processes. */
export type Tally = Readonly<Record<string, number>>;

/** What was counted between two readings of the same counters. */
export const increments = (before: Tally, after: Tally): Tally => {
  const grown: Record<string, number> = {};
  for (const [name, value] of Object.entries(after)) {
    const increment = value - (before[name] ?? 0);
    if (increment > 0) grown[name] = increment;
  }
  return grown;
};

export const addTallies = (tallies: Iterable<Tally>): Tally => {
  const sum: Record<string, number> = {};
  for (const tally of tallies) {
    for (const [name, value] of Object.entries(tally)) sum[name] = (sum[name] ?? 0) + value;
  }
  return sum;
};

/** What happened to requests; everything only ever grows. */
export interface RequestCounts {
  hit: number;
  miss: number;
  hitpass: number;
  /** Misses whose response was kept. */
  store: number;
  /** What the hits' originals had cost to compute, in milliseconds. */
  saved: number;
}

const noRequests = (): RequestCounts => ({ hit: 0, miss: 0, hitpass: 0, store: 0, saved: 0 });

/** Of one entry. */
interface EntryHits extends Pick<Entry, 'createdAt' | 'sequence'> {
  hits: number;
}

/** Entries whose hits are remembered; the most recently served. */
const MAX_ENTRY_HITS = 50_000;

/** Counts what this process did: plain increments, and one look at a map for a hit's own entry. */
export class Metrics implements LaneListener {
  readonly totals = noRequests();
  readonly byContentType = new Map<string, RequestCounts>();
  evictions = 0;
  /** Writes that were stamped, whoever made them. */
  invalidations = 0;
  /** Purges and resets by hand. */
  purges = 0;
  readonly startedAt: number;
  readonly #hits = new LRUCache<CacheKey, EntryHits>({ max: MAX_ENTRY_HITS });

  constructor(clock: Clock) {
    this.startedAt = clock.now();
  }

  answered(outcome: CacheOutcome, { contentType }: ResolvedRoute, entry: Entry | undefined): void {
    let counts = this.byContentType.get(contentType);
    if (counts === undefined) this.byContentType.set(contentType, (counts = noRequests()));
    this.totals[outcome.kind] += 1;
    counts[outcome.kind] += 1;
    if (outcome.kind === 'hit' && entry !== undefined) {
      this.#countHit(entry);
      this.totals.saved += entry.cost;
      counts.saved += entry.cost;
    } else if (outcome.kind === 'miss' && outcome.stored) {
      this.totals.store += 1;
      counts.store += 1;
    }
  }

  /** How often this process has served an entry: many providers hand out another copy each time. */
  hitsOf({ key, createdAt, sequence }: Entry): number {
    const count = this.#hits.peek(key);
    return count?.createdAt === createdAt && count.sequence === sequence ? count.hits : 0;
  }

  #countHit({ key, createdAt, sequence }: Entry): void {
    const count = this.#hits.get(key);
    if (count?.createdAt === createdAt && count.sequence === sequence) count.hits += 1;
    else this.#hits.set(key, { createdAt, sequence, hits: 1 });
  }

  evicted(count: number): void {
    this.evictions += count;
  }

  /** All counts by name; a content type's are `<count>/<uid>`. */
  tally(): Tally {
    const tally: Record<string, number> = { ...this.totals, evict: this.evictions };
    for (const [uid, counts] of this.byContentType) {
      for (const [name, value] of Object.entries(counts)) tally[`${name}/${uid}`] = value as number;
    }
    return tally;
  }
}
