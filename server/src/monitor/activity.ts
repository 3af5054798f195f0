import type { Clock } from '../cache/clock';
import type { Entry } from '../cache/entry';
import { isYoung } from '../cache/freshness';
import type { CacheKey } from '../cache/key';
import { milliseconds } from '../cache/milliseconds';
import type { SharedLists } from '../cache/provider';
import type { Reason } from '../cache/response-cache';
import type { Sequence } from '../cache/sequence';
import { EVERYTHING, type Tag } from '../cache/tag';
import { namedBy, pathOf } from '../dependencies/tags';
import type { Actor } from './actor';
import { MAX_TAGS_KEPT, type ActivityRecord, type PurgeSubject } from './activity-record';
import { NewValues } from './new-values';
import { RecordList } from './record-list';
import { rememberedKeys, type Absence, type Stored } from './remembered-keys';

/** Maximum number of characters in the names of parameters that are counted as a reason. */
const MAX_NAMES = 100;

/** A record, and the tag by which it concerned an entry. */
interface Killer {
  readonly record: ActivityRecord;
  readonly tag: Tag;
}

const changedBy = ({ id, at, actor, purged }: ActivityRecord, tag?: Tag): Absence =>
  purged === undefined
    ? { cause: 'write', at, record: id, detail: tag === undefined ? '' : (namedBy(tag).table ?? pathOf(tag) ?? '') }
    : { cause: 'purge', at, record: id, detail: `${actor.kind}:${actor.name ?? actor.id ?? ''}` };

/** The reason of a miss that followed this absence. */
const missedBecause = (absence: Absence): Reason => ({
  code: absence.cause === 'refused' ? 'unkept' : absence.cause,
  detail: 'detail' in absence ? absence.detail : '',
});

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
  /** Purges for which the removed entries were counted when the purge was made. */
  readonly #counted = new WeakSet<ActivityRecord>();
  readonly #keys = rememberedKeys();
  readonly #newValues = new NewValues();
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
   * @param keys the keys of single entries that were removed.
   */
  purged(
    purged: PurgeSubject,
    tags: readonly Tag[],
    sequence: Sequence | undefined,
    entries?: number,
    keys: readonly CacheKey[] = [],
  ): void {
    const noted = { purged, tags, sequence, entries: entries ?? this.#sweptSoFar };
    const record = this.#note(this.#purges, noted);
    if (entries !== undefined) this.#counted.add(record);
    for (const key of keys) this.#left(key, changedBy(record));
  }

  /** Called when a dead entry was freed: finds the record of the purge or write that made it stale. */
  swept(entry: Entry): void {
    const at = this.#settings.clock.now();
    const killer = this.#killerOf(entry);
    // An entry may be kept for a while after its maxAge: a write then takes nothing from anybody.
    if (killer === undefined || !isYoung(entry, milliseconds(killer.record.at))) {
      if (!isYoung(entry, at)) this.#left(entry.key, { cause: 'expired', at });
      return;
    }
    const { record } = killer;
    if (record.entries !== undefined && !this.#counted.has(record)) record.entries += 1;
    this.#left(entry.key, changedBy(record, killer.tag));
  }

  evicted(keys: readonly CacheKey[]): void {
    const at = this.#settings.clock.now();
    for (const key of keys) this.#left(key, { cause: 'evicted', at });
  }

  #left(key: CacheKey, absence: Absence): void {
    // A dead entry is freed in the background, so a response that was refused since is the latest under its key.
    const known = this.#keys.get(key);
    if (known === undefined || !('reason' in known)) this.#keys.set(key, absence);
  }

  /** Called when a response was not stored. */
  refused(key: CacheKey, reason: Reason): void {
    this.#keys.set(key, { cause: 'refused', at: this.#settings.clock.now(), reason });
  }

  /**
   * Called when a response was stored.
   *
   * @returns why there was no entry before: the reason of the miss.
   */
  stored(entry: Entry): Reason {
    const { key, tags, createdAt, maxAge, sequence } = entry;
    const absence = this.absenceOf(key, tags);
    this.#keys.set(key, { createdAt, maxAge, sequence });
    if (absence !== undefined) return missedBecause(absence);
    const names = this.#newValues.note(key);
    return names === undefined
      ? { code: 'first', detail: '' }
      : { code: 'new-value', detail: names.join(', ').slice(0, MAX_NAMES) };
  }

  /**
   * Why there is no entry under a key, as far as it is remembered.
   *
   * @param tags what the latest entry was made from, as far as that is known.
   */
  absenceOf(key: CacheKey, tags: readonly Tag[] = [EVERYTHING]): Absence | undefined {
    const known = this.#keys.get(key);
    return known === undefined || 'cause' in known ? known : this.#absenceOf(known, tags);
  }

  /** Whether an earlier request was the same as this one, or differed only in parameters that the key leaves out. */
  knows(key: CacheKey): boolean {
    return this.#newValues.knows(key);
  }

  /** Why an entry is not in the store any more, of which nobody has reported how it left. */
  #absenceOf(stored: Stored, tags: readonly Tag[]): Absence {
    const now = this.#settings.clock.now();
    const killer = this.#killerOf({ ...stored, tags });
    if (killer !== undefined) return changedBy(killer.record, killer.tag);
    return isYoung(stored, now)
      ? { cause: 'gone', at: now }
      : { cause: 'expired', at: stored.createdAt + stored.maxAge };
  }

  /** The records of this process, newest first. */
  records(): ActivityRecord[] {
    return [...this.#purges.records, ...this.#writes.records].sort((one, other) => other.id - one.id);
  }

  /** The record of a purge or write that removed an entry; `undefined` if none did, or if it was dropped since. */
  recordOf(absence: Absence | undefined): ActivityRecord | undefined {
    return this.records().find(({ id }) => absence !== undefined && 'record' in absence && id === absence.record);
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
    for (const name of tags) {
      const records = this.#byTag.get(name);
      if (records === undefined) this.#byTag.set(name, [record]);
      else records.push(record);
    }
    const dropped = list.add(record);
    if (dropped !== undefined) this.#forget(dropped);
    return record;
  }

  /** The first record since the entry was computed that stamped one of its tags. */
  #killerOf({ tags, sequence, createdAt }: Pick<Entry, 'tags' | 'sequence' | 'createdAt'>): Killer | undefined {
    // What another process stamped has no number here.
    const isLater = (record: ActivityRecord): boolean =>
      record.sequence === undefined ? record.at >= createdAt : record.sequence > sequence;
    let killer: Killer | undefined;
    for (const name of tags) {
      const record = this.#byTag.get(name)?.find(isLater);
      if (record !== undefined && (killer === undefined || record.id < killer.record.id))
        killer = { record, tag: name };
    }
    return killer;
  }

  #forget(dropped: ActivityRecord): void {
    for (const name of dropped.tags) {
      const records = this.#byTag.get(name) ?? [];
      // As a rule the oldest one is dropped, which costs less.
      if (records[0] === dropped) records.shift();
      else records.splice(records.indexOf(dropped), 1);
      if (records.length === 0) this.#byTag.delete(name);
    }
  }
}
