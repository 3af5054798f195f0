import { LRUCache } from 'lru-cache';
import type { Clock } from '../cache/clock';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { ResolvedRoute } from '../config/resolved-config';
import type { CacheOutcome } from '../http/cache-status';
import { ReasonCounts } from './reason-counts';

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

/**
 * What is counted of requests. `store`: misses whose response was kept. In milliseconds: `saved`, what the hits' originals
 * had cost to compute; `missTime` and `hitpassTime`, what Strapi took to answer.
 */
export const COUNTS = ['hit', 'miss', 'hitpass', 'store', 'saved', 'missTime', 'hitpassTime'] as const;

/** Everything only ever grows. */
export type RequestCounts = Record<(typeof COUNTS)[number], number>;

const noRequests = (): RequestCounts => Object.fromEntries(COUNTS.map((name) => [name, 0])) as RequestCounts;

/** Counts of one route, and why its requests bypassed and its responses were not kept. */
class RouteCounts {
  readonly counts = noRequests();
  readonly reasons = new ReasonCounts();

  constructor(readonly route: Pick<ResolvedRoute, 'path' | 'contentType'>) {}
}

/** Of one entry. */
interface EntryHits extends Pick<Entry, 'createdAt' | 'sequence'> {
  hits: number;
}

/** Entries whose hits are remembered; the most recently served. */
const MAX_ENTRY_HITS = 50_000;

/** Counts what this process did: plain increments, and one look at a map for a hit's own entry. */
export class Metrics {
  readonly #byRoute = new Map<string, RouteCounts>();
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

  /** @param target path and query, for an example of why. */
  answered(outcome: CacheOutcome, route: ResolvedRoute, entry: Entry | undefined, target?: string): void {
    let ofRoute = this.#byRoute.get(route.path);
    if (ofRoute === undefined) this.#byRoute.set(route.path, (ofRoute = new RouteCounts(route)));
    const { counts, reasons } = ofRoute;
    counts[outcome.kind] += 1;
    if (outcome.kind === 'hit') {
      if (entry === undefined) return;
      this.#countHit(entry);
      counts.saved += entry.cost;
      return;
    }
    if (outcome.kind === 'miss') {
      counts.missTime += outcome.cost;
      if (outcome.stored) counts.store += 1;
    } else counts.hitpassTime += outcome.cost;
    if (outcome.reason !== undefined) reasons.note(outcome.kind, outcome.reason, target);
  }

  /** The latest request on a route that a reason was counted for. */
  exampleOf(path: string, reason: string): string | undefined {
    return this.#byRoute.get(path)?.reasons.exampleOf(reason);
  }

  get byContentType(): ReadonlyMap<string, RequestCounts> {
    const sums = new Map<string, RequestCounts>();
    for (const { route, counts } of this.#byRoute.values())
      sums.set(route.contentType, requestCounts([counts, sums.get(route.contentType) ?? noRequests()]));
    return sums;
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

  /** All counts by name; a route's as {@link routeCountName} names them. */
  tally(): Tally {
    const tally: Record<string, number> = { evict: this.evictions };
    for (const [path, { counts, reasons }] of this.#byRoute) {
      for (const name of COUNTS) tally[routeCountName(path, name)] = counts[name];
      for (const [reason, count] of reasons.counted) tally[routeCountName(path, reason)] = count;
    }
    return tally;
  }
}

/** Of a route: one of {@link COUNTS}, or a reason as {@link reasonName} spells it. No path pattern holds a line break. */
export const routeCountName = (path: string, count: string): string => `${path}\n${count}`;

/** The counts of each route, by their names without its path. */
export const byRoute = (tally: Tally): ReadonlyMap<string, Tally> => {
  const tallies = new Map<string, Record<string, number>>();
  for (const [spelled, value] of Object.entries(tally)) {
    const [path = '', name] = spelled.split(/\n(.*)/s);
    if (name !== undefined) tallies.set(path, Object.assign(tallies.get(path) ?? {}, { [name]: value }));
  }
  return tallies;
};

/** What happened to requests, of all these together. */
export const requestCounts = (tallies: Iterable<Tally>): RequestCounts => {
  const sum = noRequests();
  for (const tally of tallies) for (const name of COUNTS) sum[name] += tally[name] ?? 0;
  return sum;
};
