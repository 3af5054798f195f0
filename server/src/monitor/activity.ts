import { LRUCache } from 'lru-cache';
import type { Clock } from '../cache/clock';
import type { Entry } from '../cache/entry';
import { isYoung } from '../cache/freshness';
import type { CacheKey } from '../cache/key';
import type { Sequence } from '../cache/sequence';
import { EVERYTHING, type Tag } from '../cache/tag';
import type { Actor } from './actor';

/** What was purged by hand. */
export type PurgeSubject =
  | { readonly kind: 'everything' }
  | {
      readonly kind: 'content-type';
      readonly uid: string;
      readonly params?: Readonly<Record<string, string | number>>;
    }
  | {
      readonly kind: 'documents';
      readonly uid: string;
      readonly documentIds: readonly string[];
      /** Where not all are listed. */
      readonly count?: number;
    }
  | { readonly kind: 'entry'; readonly key: CacheKey }
  | { readonly kind: 'entries'; readonly count: number }
  /** Named by code of the application. */
  | { readonly kind: 'tags' };

/** One purge, or one commit that stamped something. */
export interface ActivityRecord {
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly actor: Actor;
  /** `undefined` for a write: its tags tell what was written. */
  readonly purged: PurgeSubject | undefined;
  /** The first {@link MAX_TAGS_KEPT} of what was stamped. */
  readonly tags: readonly Tag[];
  readonly sequence: Sequence | undefined;
  /** Entries it removed; `undefined` where the store does not tell. */
  entries: number | undefined;
}

/** How an entry left the store. */
export type Departure =
  | { readonly cause: 'changed'; readonly at: number; readonly record: ActivityRecord }
  | { readonly cause: 'expired' | 'evicted'; readonly at: number };

/** Purges and writes are kept apart, so that a busy editor's writes do not push the purges out. */
const MAX_PURGES = 100;
const MAX_WRITES = 200;

/** Tags kept of one record; about 15 KB. */
const MAX_TAGS_KEPT = 300;

/** Documents named, and characters kept of a text, of one purge: a caller chooses both. */
const MAX_DOCUMENTS_KEPT = 20;
const MAX_TEXT_KEPT = 300;

/** Records dropped before the index is made anew: dropping them one by one would cost every write a search. */
const MAX_OUTDATED = 200;

/** Keys whose departure is remembered, and the characters they may have together: whoever asks chooses them. */
const MAX_DEPARTURES = 2000;
const MAX_KEY_CHARACTERS = 2_000_000;

export interface ActivitySettings {
  readonly clock: Clock;
  readonly currentActor: () => Actor;
  /** Whether every entry an invalidation kills is told of; see `Provider.reportsSwept`. */
  readonly countsSwept: () => boolean;
}

/**
 * The latest purges and writes that concerned the cache. A write pays for one small object; what it removed is found
 * out while the store frees the dead entries.
 */
export class Activity {
  readonly #settings: ActivitySettings;
  readonly #purges: ActivityRecord[] = [];
  readonly #writes: ActivityRecord[] = [];
  /** Records by the tags they stamped, oldest first. */
  readonly #byTag = new Map<Tag, ActivityRecord[]>();
  /** Records not yet in `#byTag`: they are put there when the first entry dies. */
  #unindexed: ActivityRecord[] = [];
  /** Purges whose entries were counted when they were made. */
  readonly #counted = new WeakSet<ActivityRecord>();
  readonly #departures = new LRUCache<CacheKey, Departure>({
    max: MAX_DEPARTURES,
    maxSize: MAX_KEY_CHARACTERS,
    sizeCalculation: (_, key) => key.length + 1,
  });
  /** Records in `#byTag` that are in neither list any more. */
  #outdated = 0;
  #lastId = 0;

  constructor(settings: ActivitySettings) {
    this.#settings = settings;
  }

  /** Notes a commit whose tags were stamped. */
  wrote(tags: readonly Tag[], sequence: Sequence | undefined): void {
    this.#note(this.#writes, MAX_WRITES, { tags, sequence, entries: this.#sweptSoFar });
  }

  /** Notes what another process stamped (`undefined`: everything). */
  wroteElsewhere(tags: readonly Tag[] = [EVERYTHING]): void {
    const actor: Actor = { kind: 'other-instance' };
    this.#note(this.#writes, MAX_WRITES, { actor, tags, sequence: undefined, entries: undefined });
  }

  /**
   * Notes a purge by hand.
   *
   * @param entries how many entries it removed, where that was counted; otherwise it is found out as for writes.
   */
  purged(subject: PurgeSubject, tags: readonly Tag[], sequence: Sequence | undefined, entries?: number): void {
    const purged = keptSubject(subject);
    const noted = { purged, tags, sequence, entries: entries ?? this.#sweptSoFar };
    const record = this.#note(this.#purges, MAX_PURGES, noted);
    if (entries !== undefined) this.#counted.add(record);
  }

  /** An entry that had died was freed: finds out what killed it. */
  swept(entry: Entry): void {
    const at = this.#settings.clock.now();
    const record = this.#killerOf(entry);
    if (record === undefined) {
      if (!isYoung(entry, at)) this.#departures.set(entry.key, { cause: 'expired', at });
      return;
    }
    if (record.entries !== undefined && !this.#counted.has(record)) record.entries += 1;
    this.#departures.set(entry.key, { cause: 'changed', at: record.at, record });
  }

  evicted(keys: readonly CacheKey[]): void {
    const at = this.#settings.clock.now();
    for (const key of keys) this.#departures.set(key, { cause: 'evicted', at });
  }

  /** How the latest entry under a key left, as far as it is remembered. */
  departureOf(key: CacheKey): Departure | undefined {
    return this.#departures.get(key);
  }

  /** Newest first. */
  records(): ActivityRecord[] {
    return [...this.#purges, ...this.#writes].sort((one, other) => other.id - one.id);
  }

  /** Entries that a record is known to have removed when it is made. */
  get #sweptSoFar(): number | undefined {
    return this.#settings.countsSwept() ? 0 : undefined;
  }

  #note(
    ring: ActivityRecord[],
    limit: number,
    noted: Omit<ActivityRecord, 'id' | 'at' | 'actor' | 'purged'> & Partial<ActivityRecord>,
  ): ActivityRecord {
    const { clock, currentActor } = this.#settings;
    const tags = noted.tags.slice(0, MAX_TAGS_KEPT);
    this.#lastId += 1;
    const record = { id: this.#lastId, at: clock.now(), actor: currentActor(), purged: undefined, ...noted, tags };
    ring.push(record);
    this.#unindexed.push(record);
    if (ring.length > limit) this.#drop(ring);
    return record;
  }

  #drop(ring: ActivityRecord[]): void {
    ring.shift();
    this.#outdated += 1;
    if (this.#outdated < MAX_OUTDATED) return;
    this.#outdated = 0;
    this.#byTag.clear();
    this.#unindexed = this.records().reverse();
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
    for (const record of this.#unindexed) {
      for (const name of record.tags) {
        const records = this.#byTag.get(name);
        if (records === undefined) this.#byTag.set(name, [record]);
        else records.push(record);
      }
    }
    this.#unindexed = [];
  }
}

const keptSubject = (subject: PurgeSubject): PurgeSubject => {
  switch (subject.kind) {
    case 'documents': {
      const { documentIds } = subject;
      return { ...subject, documentIds: documentIds.slice(0, MAX_DOCUMENTS_KEPT), count: documentIds.length };
    }
    case 'entry':
      return { kind: 'entry', key: keptText(subject.key) as CacheKey };
    case 'content-type': {
      if (subject.params === undefined) return subject;
      const params = Object.entries(subject.params).map(([name, value]) => [name, keptText(value)]);
      return { ...subject, params: Object.fromEntries(params) as typeof subject.params };
    }
    default:
      return subject;
  }
};

const keptText = (written: string | number): string | number =>
  typeof written === 'string' && written.length > MAX_TEXT_KEPT ? `${written.slice(0, MAX_TEXT_KEPT)}…` : written;
