import { systemClock } from '../cache/clock';
import { sizeOf, type Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { Tag } from '../cache/tag';
import { tableOf } from '../dependencies/dependency-tags';
import { ageOf, timeToLive } from '../http/replay';
import { listedActivity, type ListedActivity } from './activity-list';
import { contentTypeOfTable, namedContentType, type NamedContentType } from './content-type-names';
import type { ListedEntry } from './entry-list';
import type { RestCache } from '../plugin/rest-cache';

/** A table the response was made from. */
export interface Dependency {
  readonly table: string;
  /** The content type whose documents it holds; `null` for join tables and settings. */
  readonly contentType: NamedContentType | null;
  readonly tags: number;
}

export interface EntryDetail extends ListedEntry {
  readonly contentTypeName: string;
  /** The request that asks for it again: path and query. */
  readonly url: string;
  readonly params: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly maxAge: number;
  /** Milliseconds the original took to compute. */
  readonly cost: number;
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  readonly etag: string | null;
  /** Bytes. */
  readonly bodySize: number;
  readonly dependencies: readonly Dependency[];
  /** Some of them because others read them while it was computed, whose work it may have shared. */
  readonly readElsewhere: boolean;
  /** The first {@link MAX_TAGS} of `tagCount`. */
  readonly tags: readonly Tag[];
  readonly tagCount: number;
  /** What had removed the entry before this one. */
  readonly lastInvalidation: ListedActivity | null;
}

const MAX_TAGS = 200;

/** Everything about the valid entry under a key. */
export const entryDetail = async (restCache: RestCache, key: CacheKey): Promise<EntryDetail | undefined> => {
  const { strapi, provider, observability } = restCache;
  const { entry } = await provider.lookup(key);
  if (entry === undefined) return undefined;
  const now = systemClock.now();
  const { origin, response, tags } = entry;
  const departure = observability.activity.departureOf(key);
  return {
    key,
    contentType: origin.contentType,
    contentTypeName: namedContentType(strapi, origin.contentType).displayName,
    route: origin.route,
    identity: origin.identity,
    age: ageOf(entry, now),
    timeToLive: timeToLive(entry, now),
    size: sizeOf(entry),
    hits: entry.hits,
    url: requestOf(key),
    params: origin.params,
    maxAge: entry.maxAge,
    cost: entry.cost,
    status: response.status,
    headers: response.headers,
    etag: response.etag ?? null,
    bodySize: response.body.byteLength,
    dependencies: dependenciesOf(restCache, entry),
    readElsewhere: entry.readElsewhere === true,
    tags: tags.slice(0, MAX_TAGS),
    tagCount: tags.length,
    lastInvalidation: departure?.cause === 'changed' ? listedActivity(strapi, departure.record) : null,
  };
};

/** The last two `&` of a key set its headers and its caller apart (key.ts). */
const requestOf = (key: CacheKey): string => {
  const request = key.split('&').slice(0, -2).join('&');
  return request.endsWith('?') ? request.slice(0, -1) : request;
};

const dependenciesOf = ({ strapi }: RestCache, { tags }: Entry): Dependency[] => {
  const counts = new Map<string, number>();
  for (const name of tags) {
    const table = tableOf(name);
    // Book-keeping tags speak of no table (bookkeeping-tags.ts).
    if (table === '' || name.startsWith('type:')) continue;
    counts.set(table, (counts.get(table) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([table, count]) => {
      const uid = contentTypeOfTable(strapi, table);
      return { table, contentType: uid === undefined ? null : namedContentType(strapi, uid), tags: count };
    });
};
