import { maxHeaderSize } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { systemClock, type EpochMilliseconds } from '../cache/clock';
import { sizeOf, type Entry } from '../cache/entry';
import type { EntrySummary } from '../cache/entry-summary';
import type { Inquiry } from '../cache/inventory';
import { type CacheKey, requestOf, variantInWords } from '../cache/key';
import type { Tag } from '../cache/tag';
import { namedBy, narrowestTag } from '../dependencies/tags';
import { ageOf, timeToLive } from '../http/stored-response';
import type { PurgeSubject } from '../monitor/activity-record';
import type { Metrics } from '../monitor/metrics';
import type { RestCache } from '../plugin/rest-cache';
import { memberOf, namedCallers } from './caller-names';
import { contentTypeOfTable, namedContentType } from './content-types';
import type { Purged } from './purge';
import { keySearch } from './entry-search';
import { has, parseRequest, text } from './request';
import { LeadingItems } from './leading-items';
import { askStore, takeStock } from './store-away';

/** The columns that a list is sorted by, as they are shown. */
const COLUMNS = {
  key: ({ key }) => key,
  contentType: ({ labels }) => labels.contentType,
  age: ageOf,
  timeToLive,
  size: ({ size }) => size,
  hits: (summary, _now, metrics) => metrics.hitsOf(summary),
} satisfies Record<string, (summary: EntrySummary, now: EpochMilliseconds, metrics: Metrics) => string | number>;

const SORTS = Object.keys(COLUMNS);

const filter = z.strictObject({
  /** Part of a key (case-insensitive) or a URL; a path that ends in `*` matches every request that begins with it. */
  search: text(8000).trim().default(''),
  contentType: text(500).optional(),
  /** A route's path pattern. */
  route: text(2000).optional(),
  /** The last part of a key: `up:7`, `token:3:custom`; `''` for entries that all callers share. */
  caller: text(500).optional(),
});

const listQuery = filter.extend({
  page: z.coerce.number().int().min(1).default(1),
  pageSize: z.coerce.number().int().min(1).max(100).default(20),
  sort: z
    .string()
    .regex(
      new RegExp(`^(${SORTS.join('|')}):(asc|desc)$`),
      `Expected <column>:asc or <column>:desc with one of ${SORTS.join(', ')}`,
    )
    .default('key:asc'),
});

/** @throws an error that is answered with status 400. */
export const entriesRequest = (query: unknown): z.output<typeof listQuery> =>
  parseRequest(listQuery, query, `The query of the list of entries has ${Object.keys(listQuery.shape).join(', ')}`);

/** No request line is longer than `maxHeaderSize`. In a key, a character may take three times as much as there. */
const key = text(3 * maxHeaderSize).min(1);

/** @throws an error that is answered with status 400. */
export const entryKeyIn = (sent: unknown): CacheKey =>
  parseRequest(z.strictObject({ key }), sent, 'The body is { key }, the query ?key=…').key as CacheKey;

export type ListedEntry = ReturnType<typeof listed>;
export type EntryPage = Awaited<ReturnType<typeof listEntries>>;
export type EntryDetail = NonNullable<Awaited<ReturnType<typeof entryDetail>>>;

/** One page of the valid entries that match. Enumerates the store, so it is not for polling. */
export const listEntries = async (restCache: RestCache, query: unknown) => {
  const asked = entriesRequest(query);
  const { page, pageSize } = asked;
  const { leading, total, counts } = await takeStock(restCache, pagesOf(restCache, asked));
  const now = systemClock.now();
  const results = leading.slice((page - 1) * pageSize).map(({ summary }) => listed(restCache, summary, now));
  const callers = callersOf(counts, [asked.caller ?? '', ...results.map(({ identity }) => identity)]);
  return {
    results,
    /** Callers to filter by, whatever `caller` is: those on this page, and those with the most matching entries. */
    callers: await namedCallers(restCache.strapi, callers),
    pagination: { page, pageSize, pageCount: Math.ceil(total / pageSize), total },
  };
};

interface Listed {
  readonly summary: EntrySummary;
  /** What the list is sorted by. */
  readonly value: string | number;
}

/** All pages up to the one asked for, how many entries there are on all, and how many each caller has on any. */
const pagesOf = (
  restCache: RestCache,
  asked: z.output<typeof listQuery>,
): Inquiry<{
  readonly leading: readonly Listed[];
  readonly total: number;
  readonly counts: ReadonlyMap<string, number>;
}> => ({
  name: `list ${JSON.stringify(asked)}`,
  begin: () => {
    const { page, pageSize, sort, caller, ...wanted } = asked;
    const [column, direction] = sort.split(':') as [keyof typeof COLUMNS, 'asc' | 'desc'];
    const sign = direction === 'desc' ? -1 : 1;
    const now = systemClock.now();
    const leading = new LeadingItems<Listed>(
      page * pageSize,
      (one, other) => sign * compare(one.value, other.value) || compare(one.summary.key, other.summary.key),
    );
    const counts = new Map<string, number>();
    let total = 0;
    const matches = matching(restCache, wanted, () => {
      total = 0;
      leading.clear();
      counts.clear();
    });
    return {
      add: (summary) => {
        if (!matches(summary)) return;
        const { identity } = summary.labels;
        counts.set(identity, (counts.get(identity) ?? 0) + 1);
        if (caller !== undefined && identity !== caller) return;
        total += 1;
        leading.add({ summary, value: COLUMNS[column](summary, now, restCache.observability.metrics) });
      },
      get answer() {
        return { leading: leading.items, total, counts };
      },
    };
  },
});

/** Maximum number of callers listed in addition to those on the page. */
const MAX_CALLERS = 100;

const callersOf = (counts: ReadonlyMap<string, number>, onPage: readonly string[]): readonly string[] => {
  const most = [...counts].sort(([, one], [, other]) => other - one).slice(0, MAX_CALLERS);
  return [
    ...new Set([...onPage.filter((identity) => counts.has(identity)), ...most.map(([identity]) => identity)]),
  ].sort();
};

/**
 * Tells whether an entry matches a filter, and none before has matched it better (see {@link keySearch}).
 *
 * @param onBetter called when an entry matches better than all before it: these then do not match.
 */
const matching = (
  { strapi }: RestCache,
  { search, contentType, route }: z.output<typeof filter>,
  onBetter: () => void,
): ((summary: EntrySummary) => boolean) => {
  const rankOf = search === '' ? () => 1 : keySearch(strapi, search);
  let best = 1;
  return ({ key, labels }) => {
    const isMeant =
      (contentType === undefined || labels.contentType === contentType) &&
      (route === undefined || labels.route === route);
    const rank = isMeant ? rankOf(key) : 0;
    if (rank > best) {
      best = rank;
      onBetter();
    }
    return rank === best;
  };
};

const listed = (
  { observability }: RestCache,
  summary: Omit<EntrySummary, 'hasEtag' | 'carries'>,
  now: EpochMilliseconds,
) => ({
  key: summary.key as string,
  /** Path and query of a request that this entry would answer. */
  url: requestOf(summary.key),
  /** What tells it from other entries with this URL, except the caller: headers, as a rule; `''` if nothing does. */
  variant: variantInWords(summary.key),
  contentType: summary.labels.contentType,
  route: summary.labels.route,
  /** `''` for an entry shared by all callers. */
  identity: summary.labels.identity,
  age: ageOf(summary, now),
  timeToLive: timeToLive(summary, now),
  /** Bytes. */
  size: summary.size,
  hits: observability.metrics.hitsOf(summary),
});

const compare = (one: string | number, other: string | number): number => (one < other ? -1 : one > other ? 1 : 0);

/** Maximum number of tags shown for one entry. */
const MAX_TAGS = 200;

/** The valid entry under a key, even if it is older than its `maxAge`: the edge may keep a copy for longer. */
const entryUnder = async (restCache: RestCache, key: CacheKey): Promise<Entry | undefined> => {
  const { provider } = restCache;
  const { entry } = await askStore(restCache, () => provider.lookup(key));
  return entry ?? (await askStore(restCache, () => provider.lookupExpired?.(key)));
};

/** Everything about the valid entry whose key the query or the body names; `undefined` if there is none. */
export const entryDetail = async (restCache: RestCache, sent: unknown) => {
  const { strapi } = restCache;
  const key = entryKeyIn(sent);
  const entry = await entryUnder(restCache, key);
  if (entry === undefined) return undefined;
  const { labels, response, tags } = entry;
  return {
    ...listed(restCache, { ...entry, size: sizeOf(entry) }, systemClock.now()),
    callerName: (await namedCallers(strapi, [labels.identity]))[0]?.name ?? null,
    member: await memberOf(strapi, labels.identity),
    contentTypeName: namedContentType(strapi, labels.contentType).displayName,
    maxAge: entry.maxAge,
    /** Milliseconds that the response took to compute. */
    cost: entry.cost,
    status: response.status,
    headers: response.headers,
    /** Bytes. */
    bodySize: response.body.byteLength,
    dependencies: dependenciesOf(restCache, entry),
    /** Whether some of the dependencies were read by other requests, whose work the handler may have waited for. */
    readElsewhere: entry.readElsewhere === true,
    tags: tags.slice(0, MAX_TAGS),
    tagCount: tags.length,
  };
};

/** The tables that a response was made from, each with its content type: `null` for join tables and settings. */
const dependenciesOf = (restCache: RestCache, { tags }: Entry) => {
  const counts = new Map<string, number>();
  for (const name of tags) {
    const { table } = namedBy(name);
    if (table !== undefined) counts.set(table, (counts.get(table) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([table, count]) => {
      const uid = contentTypeOfTable(restCache, table);
      return { table, contentType: uid === undefined ? null : namedContentType(restCache.strapi, uid), tags: count };
    });
};

/** An entry to delete, with its labels if they are known. */
type Doomed = Pick<EntrySummary, 'key'> & Partial<Pick<EntrySummary, 'labels'>>;

/** How many entries are deleted before others have their turn. */
const DELETED_AT_ONCE = 100;

/**
 * Removes entries, and purges the copies that the edge may have of them. At the edge, all copies of the same content
 * type and route parameters go: nothing tells a single copy from those.
 *
 * @returns how many entries there were.
 * @throws StoreAway if the store cannot be asked.
 */
export const deleteEntries = async (restCache: RestCache, doomed: readonly Doomed[]): Promise<number> => {
  const { cache, edge } = restCache;
  const atEdge = new Set<Tag>();
  const remove = async ({ key, labels }: Doomed): Promise<boolean> => {
    if (edge !== undefined) {
      const known = labels ?? (await entryUnder(restCache, key))?.labels;
      if (known !== undefined) atEdge.add(narrowestTag(known));
    }
    return askStore(restCache, () => cache.delete(key));
  };
  let deleted = 0;
  try {
    for (let first = 0; first < doomed.length; first += DELETED_AT_ONCE) {
      const removed = await Promise.all(doomed.slice(first, first + DELETED_AT_ONCE).map(remove));
      deleted += removed.filter(Boolean).length;
      await nextTurn();
    }
  } finally {
    await restCache.hasPurged(
      doomed.map(({ key }) => key),
      [...atEdge],
    );
  }
  return deleted;
};

/** Maximum number of keys in one request: as many as the longest page of the list shows. */
const MAX_KEYS = 100;

/** Requires a filter: an empty one would match the whole cache, which has a purge request of its own. */
const narrowing = filter.refine(
  ({ search, contentType = '', route = '', caller }) => search + contentType + route !== '' || caller !== undefined,
  'Expected a filter',
);

const byKey = z.strictObject({ keys: z.array(key).min(1).max(MAX_KEYS) });

/** The entries to purge: those with the given keys, or all that the list shows with the same filter. */
export type EntrySelection = z.input<typeof byKey> | z.input<typeof narrowing>;

const SELECTION = 'The body is { keys } or { search?, contentType?, route?, caller? }';

/** Maximum number of characters of a URL in the activity log. */
const MAX_SHOWN = 300;

const shortened = (url: string): string => (url.length > MAX_SHOWN ? `${url.slice(0, MAX_SHOWN)}…` : url);

/** All entries that a filter matches. */
const found = async (restCache: RestCache, wanted: z.output<typeof filter>): Promise<readonly Doomed[]> => {
  const whole = { ...wanted, page: 1, pageSize: Infinity, sort: 'key:asc' };
  const { leading } = await takeStock(restCache, pagesOf(restCache, whole));
  return leading.map(({ summary }) => summary);
};

/**
 * Removes the entries that the body selects.
 *
 * @throws an error that is answered with status 400.
 */
export const purgeEntries = async (restCache: RestCache, body: unknown): Promise<Purged> => {
  const isByKey = has(body, 'keys');
  const doomed: readonly Doomed[] = isByKey
    ? parseRequest(byKey, body, SELECTION).keys.map((each) => ({ key: each as CacheKey }))
    : await found(restCache, parseRequest(narrowing, body, SELECTION));
  const entries = await deleteEntries(restCache, doomed);
  const keys = doomed.map((each) => each.key);
  const [only, ...others] = keys;
  const isOne = isByKey && only !== undefined && others.length === 0;
  const subject: PurgeSubject = isOne
    ? { kind: 'entry', url: shortened(requestOf(only)) }
    : { kind: 'entries', count: entries };
  restCache.observability.purged(subject, [], undefined, entries, keys);
  return { entries };
};
