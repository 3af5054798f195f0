import { LRUCache } from 'lru-cache';
import type { EpochMilliseconds } from '../cache/clock';
import { LEAST_SIZE, sizeOf, type Entry } from '../cache/entry';
import { summariser, type EntrySummary, type SummaryQuestion } from '../cache/entry-summary';
import { isExpiredButKept, isFresh, isUnchanged, isYoung, mayBeServed } from '../cache/freshness';
import type { CacheKey } from '../cache/key';
import type { Guard } from '../cache/provider';
import type { Sequence } from '../cache/sequence';
import { Stamps } from '../cache/stamps';
import { EVERYTHING, type Tag } from '../cache/tag';

interface Held {
  readonly entry: Entry;
  readonly size: number;
  /** The tags of which a stamp ends the entry. */
  readonly tags: readonly Tag[];
  /** A sequence number at which the entry was valid. */
  readonly validAt: Sequence;
  /** The revision of the stamps at which the entry was last found unchanged. */
  checkedAt: number;
}

interface HeldEntriesSettings {
  /** Entries held before the least recently used go. */
  readonly maxSize: number;
  /** Bytes held before the least recently used go. */
  readonly maxBytes: number;
  /** Called with an entry that was found to be valid no more, and was freed. */
  readonly onDead?: ((entry: Entry) => void) | undefined;
  readonly onEvicted?: ((key: CacheKey) => void) | undefined;
}

/** Entries that are looked at in one go; well under a millisecond. */
const SLICE = 200;

/** Entries held in this process, and what has been stamped since: they are exactly as fresh as that knowledge. */
export class HeldEntries {
  readonly #held: LRUCache<CacheKey, Held>;
  /** The same, to walk through: a walk that pauses goes on where it was, whatever is used or removed meanwhile. */
  readonly #all = new Map<CacheKey, Held>();
  readonly #onDead: HeldEntriesSettings['onDead'];
  #stamps = new Stamps();
  /** Changes with every stamp; until then, findings stay valid. Sequence numbers do not always arrive in order. */
  #revision = 1;

  constructor({ maxSize, maxBytes, onDead, onEvicted }: HeldEntriesSettings) {
    this.#onDead = onDead;
    this.#held = new LRUCache<CacheKey, Held>({
      // It reserves memory for as many at once: for more than there can be, a number that was meant as bytes took all there is.
      max: Math.min(maxSize, Math.ceil(maxBytes / LEAST_SIZE)),
      maxSize: maxBytes,
      sizeCalculation: ({ size }) => size,
      dispose: (_held, key, reason) => {
        if (reason !== 'set') this.#all.delete(key);
        if (reason === 'evict') onEvicted?.(key);
      },
    });
  }

  get count(): number {
    return this.#held.size;
  }

  get maxBytes(): number {
    return this.#held.maxSize;
  }

  get bytes(): number {
    return this.#held.calculatedSize;
  }

  has(key: CacheKey): boolean {
    return this.#held.has(key);
  }

  get(key: CacheKey, now: EpochMilliseconds): Entry | undefined {
    const held = this.#held.get(key);
    if (held === undefined) return undefined;
    if (this.#isValid(held, now)) return held.entry;
    this.#freeUnlessKept(held, now);
    return undefined;
  }

  /** The entry that is too old to be valid, but is kept, and was not invalidated. */
  getExpired(key: CacheKey, now: EpochMilliseconds): Entry | undefined {
    const held = this.#held.get(key);
    return held !== undefined && isExpiredButKept(held.entry, now) && this.#isUnchanged(held) ? held.entry : undefined;
  }

  /**
   * @param validAt a sequence number at which the entry was valid.
   * @param tags the tags of which a stamp ends it.
   * @returns whether it is held: not if it has been invalidated since, or is too large.
   */
  put(entry: Entry, validAt: Sequence, tags = entry.tags): boolean {
    const size = sizeOf(entry);
    if (size > this.maxBytes || !this.#areUnchanged(tags, validAt)) return false;
    const held = { entry, size, tags, validAt, checkedAt: this.#revision };
    this.#held.set(entry.key, held);
    this.#all.set(entry.key, held);
    return true;
  }

  delete(key: CacheKey): boolean {
    return this.#held.delete(key);
  }

  /** Whether the guard certainly holds. */
  holds(guard: Guard): boolean {
    if (guard.verifiedAt === this.#revision) return true;
    if (!this.#areUnchanged(guard.tags, guard.since)) return false;
    guard.verifiedAt = this.#revision;
    return true;
  }

  stamp(tags: readonly Tag[], number: Sequence): void {
    this.#revision += 1;
    this.#stamps.stamp(tags, number);
  }

  /** Summaries of the entries that may be served, a slice at a time. */
  *summaries(question: SummaryQuestion, now: () => EpochMilliseconds): Iterable<readonly EntrySummary[]> {
    const summarise = summariser(question);
    for (const slice of this.#slices()) {
      const at = now();
      const served = slice.filter((held) => mayBeServed(held.entry, at) && this.#isUnchanged(held));
      yield served.flatMap(({ entry }) => summarise(entry) ?? []);
    }
  }

  /** Frees dead entries, a slice with each step. */
  *sweep(now: () => EpochMilliseconds): Generator<undefined> {
    for (const slice of this.#slices()) {
      const at = now();
      for (const held of slice) if (!this.#isValid(held, at)) this.#freeUnlessKept(held, at);
      yield;
    }
  }

  *#slices(): Iterable<readonly Held[]> {
    let slice: Held[] = [];
    for (const held of this.#all.values()) {
      slice.push(held);
      if (slice.length < SLICE) continue;
      yield slice;
      slice = [];
    }
    yield slice;
  }

  clear(): void {
    this.#held.clear();
  }

  /** Forgets everything. Nothing is known of what was stamped at or before `beganAt`. */
  startOver(beganAt: Sequence): void {
    this.#held.clear();
    this.#stamps = new Stamps(undefined, beganAt);
    this.#revision += 1;
  }

  #freeUnlessKept(held: Held, now: EpochMilliseconds): void {
    if (isExpiredButKept(held.entry, now) && this.#isUnchanged(held)) return;
    this.#held.delete(held.entry.key);
    this.#onDead?.(held.entry);
  }

  #isValid(held: Held, now: EpochMilliseconds): boolean {
    const { entry, tags, validAt } = held;
    if (held.checkedAt === this.#revision) return isYoung(entry, now);
    const { createdAt, maxAge } = entry;
    if (!isFresh({ createdAt, maxAge, tags, sequence: validAt }, now, this.#stamps.of)) return false;
    held.checkedAt = this.#revision;
    return true;
  }

  #isUnchanged(held: Held): boolean {
    if (held.checkedAt === this.#revision) return true;
    if (!isUnchanged(held.tags, held.validAt, this.#stamps.of)) return false;
    held.checkedAt = this.#revision;
    return true;
  }

  /** Entries carry the tag of everything themselves, guards do not. */
  #areUnchanged(tags: readonly Tag[], since: Sequence): boolean {
    if (this.#stamps.latest <= since) return true;
    return this.#stamps.of(EVERYTHING) <= since && isUnchanged(tags, since, this.#stamps.of);
  }
}
