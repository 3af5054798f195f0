import { systemClock } from '../cache/clock';
import { sizeOf, type Entry } from '../cache/entry';
import type { EntriesRequest } from './entries-request';
import { ageOf, timeToLive } from '../http/replay';
import type { RestCache } from '../plugin/rest-cache';

export interface ListedEntry {
  readonly key: string;
  readonly contentType: string;
  readonly route: string;
  /** `''` for an entry shared by all callers. */
  readonly identity: string;
  /** Milliseconds. */
  readonly age: number;
  /** Milliseconds. */
  readonly timeToLive: number;
  /** Bytes. */
  readonly size: number;
  readonly hits: number;
}

export interface EntryPage {
  readonly results: readonly ListedEntry[];
  readonly pagination: {
    readonly page: number;
    readonly pageSize: number;
    readonly pageCount: number;
    readonly total: number;
  };
}

/** One page of the valid entries that match. Enumerates the store, so it is not for polling. */
export const listEntries = async (restCache: RestCache, request: EntriesRequest): Promise<EntryPage> => {
  const { page, pageSize, search, contentType, sort, descending } = request;
  const now = systemClock.now();
  const wanted = search.toLowerCase();
  const found = (await restCache.entries())
    .filter(
      ({ key, origin }) =>
        (contentType === undefined || origin.contentType === contentType) && key.toLowerCase().includes(wanted),
    )
    .map((entry) => listed(entry, now));
  const direction = descending ? -1 : 1;
  found.sort((one, other) => direction * compare(one[sort], other[sort]) || compare(one.key, other.key));
  return {
    results: found.slice((page - 1) * pageSize, page * pageSize),
    pagination: { page, pageSize, pageCount: Math.ceil(found.length / pageSize), total: found.length },
  };
};

const listed = (entry: Entry, now: ReturnType<typeof systemClock.now>): ListedEntry => ({
  key: entry.key,
  contentType: entry.origin.contentType,
  route: entry.origin.route,
  identity: entry.origin.identity,
  age: ageOf(entry, now),
  timeToLive: timeToLive(entry, now),
  size: sizeOf(entry),
  hits: entry.hits,
});

const compare = (one: string | number, other: string | number): number => (one < other ? -1 : one > other ? 1 : 0);
