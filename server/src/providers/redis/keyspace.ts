import type { CacheKey } from '../../cache/key';

/**
 * Redis keeps nothing for longer than this that nobody uses: a week. Bookkeeping is renewed by those who use it; an entry
 * is computed anew after it, whatever its `maxAge`.
 */
export const KEPT_FOR = 7 * 86_400_000;

/** Version of the data model: processes that disagree on it must not read each other's keys. */
const MODEL = 'v1';

/** Braces would move the hash tag; a percent sign is encoded too, so that two prefixes never meet. */
const inTag = (text: string): string => text.replace(/[%{}]/g, (character) => encodeURIComponent(character));

/** What tells one application's keys from everything else in a shared Redis. */
export interface KeyspaceSettings {
  /** In front of everything, as written: for ACL patterns and for people. */
  readonly keyPrefix: string;
  readonly keysPrefix: string;
  readonly fingerprint: string;
}

/**
 * Names of all keys of one application. They share one hash tag, hence one slot: scripts that touch several of them are
 * legal on a cluster, and a purge stays one round trip. Bookkeeping (sequence, stamps) belongs to the application and
 * outlives a deployment, because during one both releases must hear of each other's writes; entries belong to a
 * fingerprint, so that no release reads what another one shaped.
 */
export const keyspaceOf = ({ keyPrefix, keysPrefix, fingerprint }: KeyspaceSettings) => {
  const application = `${keyPrefix}{rest-cache:${MODEL}:${inTag(keysPrefix)}}`;
  const release = inTag(fingerprint).replaceAll(':', '%3A');
  const index = `${application}:index:${release}`;
  const entryPrefix = `${application}:entry:${release}:`;
  const keys = {
    /** Hash: epoch, generation, sequence, floor, server, a field `p:<tag>` per announced tag, and what tells of the edge. */
    state: `${application}:state`,
    /** Sorted set: tag by the number last stamped on it. */
    stamps: `${application}:stamps`,
    /** Sorted set: announcement by its deadline. */
    announced: `${application}:announced`,
    /** Sorted set: process by its last sign of life. */
    members: `${application}:members`,
    /** Sorted set: entry by expiry and size; for stats and for clearing only. */
    index,
    /** Set: keys that caches at the edge were given. */
    handed: `${application}:handed`,
    /** Hash: a write by what the edge still has to purge for it. */
    owed: `${application}:owed`,
    /** The application as it is deployed. */
    release,
    /** In front of every entry's name. */
    entryPrefix,
    /** Hash of one entry: `v` what validates it, `m` its metadata, `b` its body. */
    entry: (key: CacheKey) => entryPrefix + key,
    /** Hash: a metric's name by its sum in one interval, over all processes and releases. */
    counters: (interval: string) => `${application}:counters:${interval}`,
    /** List: the latest texts, over all processes and releases. */
    list: (name: string) => `${application}:list:${name}`,
    /** Index of entries that were cleared and wait to be deleted. */
    trash: (id: string) => `${index}:trash:${id}`,
  } as const;
  const { state, stamps, announced, members, handed, owed } = keys;
  /** What every script is given first, in the order in which `position.lua` takes them. */
  return { ...keys, bookkeeping: [state, stamps, announced, members, index, handed, owed] as const };
};

export type Keyspace = Readonly<ReturnType<typeof keyspaceOf>>;
