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
export class Keyspace {
  /** Hash: epoch, generation, sequence, floor, server, a field `p:<tag>` per announced tag, and what tells of the edge. */
  readonly state: string;
  /** Sorted set: tag by the number last stamped on it. */
  readonly stamps: string;
  /** Sorted set: announcement by its deadline. */
  readonly announced: string;
  /** Sorted set: process by its last sign of life. */
  readonly members: string;
  /** Sorted set: entry by expiry and size; for stats and for clearing only. */
  readonly index: string;
  /** Set: keys that caches at the edge were given. */
  readonly handed: string;
  /** Hash: a write by what the edge still has to purge for it. */
  readonly owed: string;
  /** The application as it is deployed. */
  readonly release: string;
  /** Channel on which every new sequence number is called out. */
  readonly channel: string;
  /** In front of every entry's name. */
  readonly entryPrefix: string;
  readonly #leases: string;
  readonly #counters: string;
  readonly #lists: string;

  constructor({ keyPrefix, keysPrefix, fingerprint }: KeyspaceSettings) {
    const application = `${keyPrefix}{rest-cache:${MODEL}:${inTag(keysPrefix)}}`;
    const release = inTag(fingerprint).replaceAll(':', '%3A');
    this.release = release;
    this.state = `${application}:state`;
    this.stamps = `${application}:stamps`;
    this.announced = `${application}:announced`;
    this.members = `${application}:members`;
    this.handed = `${application}:handed`;
    this.owed = `${application}:owed`;
    this.channel = `${application}:moved`;
    this.index = `${application}:index:${release}`;
    this.entryPrefix = `${application}:entry:${release}:`;
    this.#counters = `${application}:counters:`;
    this.#lists = `${application}:list:`;
    this.#leases = `${application}:lease:${release}:`;
  }

  /** Hash of one entry: `v` what validates it, `m` its metadata, `b` its body. */
  entry(key: CacheKey): string {
    return this.entryPrefix + key;
  }

  lease(key: CacheKey): string {
    return this.#leases + key;
  }

  /** Hash: a metric's name by its sum in one interval, over all processes and releases. */
  counters(interval: string): string {
    return `${this.#counters}${interval}`;
  }

  /** List: the latest texts, over all processes and releases. */
  list(name: string): string {
    return `${this.#lists}${name}`;
  }

  /** Index of entries that were cleared and wait to be deleted. */
  trash(id: string): string {
    return `${this.index}:trash:${id}`;
  }
}
