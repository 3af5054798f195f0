import { LRUCache } from 'lru-cache';
import type { Clock } from '../cache/clock';
import type { Entry } from '../cache/entry';
import { isYoung } from '../cache/freshness';
import type { CacheKey } from '../cache/key';
import type { SharedLists } from '../cache/provider';
import type { Reason } from '../cache/response-cache';
import type { Sequence } from '../cache/sequence';
import { EVERYTHING, type Tag } from '../cache/tag';
import type { Actor } from './actor';
import { MAX_TAGS_KEPT, type ActivityRecord, type PurgeSubject } from './activity-record';
import { RecordList } from './record-list';

/** Why there is no entry under a key: how the latest one left the store, or why the latest response was not stored. */
export type Absence =
  | { readonly cause: 'changed'; readonly at: number; readonly record: ActivityRecord }
  | { readonly cause: 'expired' | 'evicted'; readonly at: number }
  | { readonly cause: 'refused'; readonly at: number; readonly reason: Reason };

/** Dropped records after which the index is rebuilt: removing each from the index would cost every write a search. */
const MAX_OUTDATED = 200;

/** Maximum number of keys whose absence is remembered, and of characters in all of them: callers choose the keys. */
const MAX_ABSENCES = 4000;
const MAX_CHARACTERS = 4_000_000;

export interface ActivitySettings {
  readonly clock: Clock;
  readonly currentActor: () => Actor;
  /** Whether the entries that an invalidation removes can be counted; see `Provider.reportsSwept`. */
  readonly countsSwept: () => boolean;
  /** The lists of the provider, if several processes share its store. */
  readonly shared?: () => SharedLists | undefined;
}

/**
 * The latest purges and writes that concerned the cache. A write costs one small object; how many entries it removed is
 * counted later, while the store frees the dead entries.
 */
export class Activity {
  readonly #settings: ActivitySettings;
  /** Kept apart from the writes, so that a busy editor's writes do not push them out. */
  readonly #purges = new RecordList('purges', 100);
  readonly #writes = new RecordList('writes', 200);
  /** Records by the tags they stamped, oldest first. */
  readonly #byTag = new Map<Tag, ActivityRecord[]>();
  /** Records that are not in `#byTag` yet: they are added when the next dead entry is freed, not by the write. */
  #unindexed: ActivityRecord[] = [];
  /** Number of records in `#byTag` that are in neither list any more. */
  #outdated = 0;
  /** Purges for which the removed entries were counted when the purge was made. */
  readonly #counted = new WeakSet<ActivityRecord>();
  readonly #absences = new LRUCache<CacheKey, Absence>({
    max: MAX_ABSENCES,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (absence, key) =>
      key.length + 1 + (absence.cause === 'refused' ? absence.reason.detail.length : 0),
  });
  #lastId = 0;

  constructor(settings: ActivitySettings) {
    this.#settings = settings;
  }

  /** Notes a commit whose tags were stamped. */
  wrote(tags: readonly Tag[], sequence: Sequence | undefined): void {
    this.#note(this.#writes, { tags, sequence, entries: this.#sweptSoFar });
  }

  /** Notes what another process stamped (`undefined`: everything). */
  wroteElsewhere(tags: readonly Tag[] = [EVERYTHING]): void {
    const actor: Actor = { kind: 'other-instance' };
    this.#note(this.#writes, { actor, tags, sequence: undefined, entries: undefined });
  }

  /**
   * Notes a purge by hand.
   *
   * @param entries how many entries it removed, if that was counted; otherwise they are counted as for writes.
   */
  purged(purged: PurgeSubject, tags: readonly Tag[], sequence: Sequence | undefined, entries?: number): void {
    const noted = { purged, tags, sequence, entries: entries ?? this.#sweptSoFar };
    const record = this.#note(this.#purges, noted);
    if (entries !== undefined) this.#counted.add(record);
  }

  /** Called when a dead entry was freed: finds the record of the purge or write that made it stale. */
  swept(entry: Entry): void {
    const at = this.#settings.clock.now();
    const record = this.#killerOf(entry);
    if (record === undefined) {
      if (!isYoung(entry, at)) this.#left(entry.key, { cause: 'expired', at });
      return;
    }
    if (record.entries !== undefined && !this.#counted.has(record)) record.entries += 1;
    this.#left(entry.key, { cause: 'changed', at: record.at, record });
  }

  evicted(keys: readonly CacheKey[]): void {
    const at = this.#settings.clock.now();
    for (const key of keys) this.#left(key, { cause: 'evicted', at });
  }

  #left(key: CacheKey, absence: Absence): void {
    // A dead entry is freed in the background, so a response that was refused since is the latest under its key.
    if (this.#absences.peek(key)?.cause !== 'refused') this.#absences.set(key, absence);
  }

  /** Called when a response was not stored. */
  refused(key: CacheKey, reason: Reason): void {
    this.#absences.set(key, { cause: 'refused', at: this.#settings.clock.now(), reason });
  }

  /** Called when a response was stored: what removed the entry before it stays of interest, a refusal does not. */
  stored(key: CacheKey): void {
    if (this.#absences.peek(key)?.cause === 'refused') this.#absences.delete(key);
  }

  /** As far as it is remembered. */
  absenceOf(key: CacheKey): Absence | undefined {
    return this.#absences.get(key);
  }

  /** The records of this process, newest first. */
  records(): ActivityRecord[] {
    return [...this.#purges.records, ...this.#writes.records].sort((one, other) => other.id - one.id);
  }

  /** The records of all processes that share the store, newest first; only those of this one if it cannot be asked. */
  async readAll(): Promise<ActivityRecord[]> {
    const lists = this.#settings.shared?.();
    if (lists === undefined) return this.records();
    try {
      await this.#share(lists);
      const read = [...(await this.#purges.read(lists)), ...(await this.#writes.read(lists))];
      const sorted = read.sort((one, other) => other.at - one.at);
      return sorted.map((record, index) => ({ ...record, id: sorted.length - index }));
    } catch {
      return this.records();
    }
  }

  /** Sends the store what was noted since the last time. Never rejects: what could not be sent is sent next time. */
  async share(): Promise<void> {
    const lists = this.#settings.shared?.();
    if (lists !== undefined) await this.#share(lists).catch(() => undefined);
  }

  async #share(lists: SharedLists): Promise<void> {
    await this.#purges.share(lists);
    await this.#writes.share(lists);
  }

  /** The initial count of removed entries: 0 if they are going to be counted, `undefined` if they are not. */
  get #sweptSoFar(): number | undefined {
    return this.#settings.countsSwept() ? 0 : undefined;
  }

  #note(
    list: RecordList,
    noted: Omit<ActivityRecord, 'id' | 'at' | 'actor' | 'purged'> & Partial<ActivityRecord>,
  ): ActivityRecord {
    const { clock, currentActor } = this.#settings;
    const tags = noted.tags.slice(0, MAX_TAGS_KEPT);
    this.#lastId += 1;
    const record = { id: this.#lastId, at: clock.now(), actor: currentActor(), purged: undefined, ...noted, tags };
    this.#unindexed.push(record);
    if (list.add(record)) this.#outdated += 1;
    if (this.#outdated >= MAX_OUTDATED) {
      this.#outdated = 0;
      this.#byTag.clear();
      this.#unindexed = this.records().reverse();
    }
    return record;
  }

  /** The first record since the entry was computed that stamped one of its tags. */
  #killerOf({ tags, sequence }: Entry): ActivityRecord | undefined {
    this.#index();
    let killer: ActivityRecord | undefined;
    for (const name of tags) {
      const record = this.#byTag.get(name)?.find((candidate) => (candidate.sequence ?? 0) > sequence);
      if (record !== undefined && (killer === undefined || record.id < killer.id)) killer = record;
    }
    return killer;
  }

  #index(): void {
    for (const record of this.#unindexed.splice(0))
      for (const name of record.tags) {
        const records = this.#byTag.get(name);
        if (records === undefined) this.#byTag.set(name, [record]);
        else records.push(record);
      }
  }
}
