import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import { lruByText } from '../cache/lru-by-text';
import type { Reason } from '../cache/response-cache';
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
 * What is counted for requests. `store`: misses whose response was stored. In milliseconds: `saved`, what it had taken
 * to compute the responses that hits repeated; `missTime` and `hitpassTime`, what Strapi took to answer.
 */
export const COUNTS = ['hit', 'miss', 'hitpass', 'store', 'saved', 'missTime', 'hitpassTime'] as const;

/** Counts that only ever grow. */
export type RequestCounts = Record<(typeof COUNTS)[number], number>;

const noRequests = (): RequestCounts => Object.fromEntries(COUNTS.map((name) => [name, 0])) as RequestCounts;

/** Counts of one route, and why its requests bypassed the cache and its responses were not stored. */
class RouteCounts {
  readonly counts = noRequests();
  readonly reasons = new ReasonCounts();

  constructor(readonly route: Pick<ResolvedRoute, 'path' | 'contentType'>) {}
}

/** The hits of the entry with this `createdAt` and `sequence`. */
interface EntryHits extends Pick<Entry, 'createdAt' | 'sequence'> {
  hits: number;
}

const ALONE: Reason = { code: 'alone', detail: 'not shared with others under way: the latest answer was not storable' };

/** Maximum number of entries whose hits are remembered: those served most recently. */
const MAX_ENTRY_HITS = 50_000;

/** Counts what this process did. That costs plain increments, and for a hit one look-up of its entry's count. */
export class Metrics {
  readonly #byRoute = new Map<string, RouteCounts>();
  evictions = 0;
  /** Writes of this process whose tags were stamped. */
  invalidations = 0;
  /** Purges and resets by hand. */
  purges = 0;
  /** What was done in the background, and hits that were older than their `maxAge`. */
  readonly background = { stale: 0, warmed: 0, revalidated: 0, audited: 0, auditedStale: 0 };
  readonly #hits = lruByText<CacheKey, EntryHits>(MAX_ENTRY_HITS);

  /**
   * @param target path and query, kept as an example of the outcome's reason.
   * @param isAlone whether the request neither waited for another nor was waited for: counted besides the reason.
   * @param missed why a request missed whose response was then stored.
   */
  answered(
    outcome: CacheOutcome,
    route: ResolvedRoute,
    entry: Entry | undefined,
    target?: string,
    isAlone = false,
    missed?: Reason,
  ): void {
    let ofRoute = this.#byRoute.get(route.path);
    if (ofRoute === undefined) this.#byRoute.set(route.path, (ofRoute = new RouteCounts(route)));
    const { counts, reasons } = ofRoute;
    counts[outcome.kind] += 1;
    if (outcome.kind === 'hit') {
      if (outcome.timeToLive < 0) this.background.stale += 1;
      if (entry === undefined) return;
      this.#countHit(entry);
      counts.saved += entry.cost;
      return;
    }
    if (outcome.kind === 'miss') {
      counts.missTime += outcome.cost;
      if (outcome.stored) counts.store += 1;
      else if (isAlone) reasons.note('miss', ALONE, target);
    } else counts.hitpassTime += outcome.cost;
    if (outcome.reason !== undefined) reasons.note(outcome.kind, outcome.reason, target);
    else if (missed !== undefined) reasons.note('fill', missed, target);
  }

  /** Path and query of the latest request on a route for which this reason was counted. */
  exampleOf(path: string, reason: string): string | undefined {
    return this.#byRoute.get(path)?.reasons.exampleOf(reason);
  }

  /** Whether all requests of a route missed so far, and none of its responses was stored. */
  storesNothing(path: string): boolean {
    const counts = this.#byRoute.get(path)?.counts;
    return counts !== undefined && counts.miss > 0 && counts.store === 0 && counts.hit === 0;
  }

  get byContentType(): ReadonlyMap<string, RequestCounts> {
    const sums = new Map<string, RequestCounts>();
    for (const { route, counts } of this.#byRoute.values())
      sums.set(route.contentType, requestCounts([counts, sums.get(route.contentType) ?? noRequests()]));
    return sums;
  }

  /** How often this process has served an entry. Found by its values: many providers return a new copy each time. */
  hitsOf({ key, createdAt, sequence }: Pick<Entry, 'key' | 'createdAt' | 'sequence'>): number {
    const count = this.#hits.peek(key);
    return count?.createdAt === createdAt && count.sequence === sequence ? count.hits : 0;
  }

  #countHit({ key, createdAt, sequence }: Entry): void {
    const count = this.#hits.get(key);
    if (count?.createdAt === createdAt && count.sequence === sequence) count.hits += 1;
    else this.#hits.set(key, { createdAt, sequence, hits: 1 });
  }

  /** All counts by name; those of a route have the names that {@link routeCountName} makes. */
  tally(): Tally {
    const tally: Record<string, number> = { evict: this.evictions };
    for (const [name, count] of Object.entries(this.background)) if (count > 0) tally[name] = count;
    for (const [path, { counts, reasons }] of this.#byRoute) {
      for (const name of COUNTS) tally[routeCountName(path, name)] = counts[name];
      for (const [reason, count] of reasons.counted) tally[routeCountName(path, reason)] = count;
    }
    return tally;
  }
}

/**
 * The name of a route's count. No path pattern holds a line break.
 *
 * @param count one of {@link COUNTS}, or a reason as {@link reasonName} spells it.
 */
export const routeCountName = (path: string, count: string): string => `${path}\n${count}`;

/** The counts of each route by its path; their names do not include the path any more. */
export const byRoute = (tally: Tally): ReadonlyMap<string, Tally> => {
  const tallies = new Map<string, Record<string, number>>();
  for (const [spelled, value] of Object.entries(tally)) {
    const [path = '', name] = spelled.split(/\n(.*)/s);
    if (name !== undefined) tallies.set(path, Object.assign(tallies.get(path) ?? {}, { [name]: value }));
  }
  return tallies;
};

/** The sum of each of {@link COUNTS} over all tallies. */
export const requestCounts = (tallies: Iterable<Tally>): RequestCounts => {
  const sum = noRequests();
  for (const tally of tallies) for (const name of COUNTS) sum[name] += tally[name] ?? 0;
  return sum;
};
