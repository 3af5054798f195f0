import type { CacheKey } from '../../cache/key';

/**
 * Milliseconds after which keys expire that nobody uses: a week. Running processes renew the bookkeeping; an entry is
 * computed again after a week, whatever its `maxAge`.
 */
export const KEPT_FOR = 7 * 86_400_000;

/** Version of the data model: processes that disagree on it must not read each other's keys. */
const MODEL = 'v1';

/** Encodes braces, which would move the hash tag, and percent signs, so that two prefixes never become the same. */
const inTag = (text: string): string => text.replace(/[%{}]/g, (character) => encodeURIComponent(character));

/** The prefix and the hash tag that keep one application's keys apart in a shared Redis. */
export interface KeyspaceSettings {
  /** Put in front of every key as written, for ACL patterns and for people. */
  readonly keyPrefix: string;
  readonly keysPrefix: string;
  readonly fingerprint: string;
}

/**
 * Names of all keys of one application. They share one hash tag, hence one slot: scripts that touch several of them are
 * legal on a cluster, and a purge stays one round trip. Bookkeeping (sequence, stamps) belongs to the application and
 * outlives a deployment, because both releases must learn of each other's writes while both are running. Entries belong
 * to a fingerprint, so that no release reads entries of another one.
 */
export const keyspaceOf = ({ keyPrefix, keysPrefix, fingerprint }: KeyspaceSettings) => {
  const application = `${keyPrefix}{rest-cache:${MODEL}:${inTag(keysPrefix)}}`;
  const release = inTag(fingerprint).replaceAll(':', '%3A');
  const index = `${application}:index:${release}`;
  const entryPrefix = `${application}:entry:${release}:`;
  const keys = {
    /**
     * Hash: epoch, generation, sequence, floor, server, seal, database, a field `p:<tag>` for each announced tag, and
     * what concerns the edge (edge, everything, told, release, mixed), a field `indexed:<index>` for each index that there is, and
     * `evicted` after the names of evicted entries were removed from one.
     */
    state: `${application}:state`,
    /** Sorted set of tags; the score is the number last stamped on the tag. */
    stamps: `${application}:stamps`,
    /** Sorted set of announcements; the score is the deadline. */
    announced: `${application}:announced`,
    /** Sorted set of processes; the score is the last sign of life. */
    members: `${application}:members`,
    /** How a process is named there, so that others see its release. */
    member: (process: string) => `${release}:${process}`,
    /** Sorted set of entries; the score is made of expiry and size. For stats and for clearing only. */
    index,
    /** Set of the keys that caches at the edge were given. */
    handed: `${application}:handed`,
    /** Hash: for each write, what the edge still has to purge. */
    owed: `${application}:owed`,
    /** The fingerprint of the release, as it stands in keys. */
    release,
    /** The prefix of the names of all entries. */
    entryPrefix,
    /** Hash of one entry: `v` is what validates it, `m` its metadata, `b` its body. */
    entry: (key: CacheKey) => entryPrefix + key,
    /** Hash: for each metric, its sum in one interval over all processes and releases. */
    counters: (interval: string) => `${application}:counters:${interval}`,
    /** List: the latest texts, over all processes and releases. */
    list: (name: string) => `${application}:list:${name}`,
    /** Hash: each tag that the panel asks about, with the lists it is in. Kept for a minute. */
    question: (id: string) => `${application}:question:${id}`,
    /** Index of entries that were cleared and wait to be deleted. */
    trash: (id: string) => `${index}:trash:${id}`,
  } as const;
  const { state, stamps, announced, members, handed, owed } = keys;
  /** The keys given first to every script that uses the sequence, in the order in which `position.lua` takes them. */
  return { ...keys, bookkeeping: [state, stamps, announced, members, index, handed, owed] as const };
};

export type Keyspace = Readonly<ReturnType<typeof keyspaceOf>>;
