import { LRUCache } from 'lru-cache';
import type { EpochMilliseconds } from '../../cache/clock';
import { sizeOf, type Entry } from '../../cache/entry';
import { isUnchanged, isYoung } from '../../cache/freshness';
import type { CacheKey } from '../../cache/key';
import { NO_INVALIDATION, type Sequence } from '../../cache/sequence';
import { EVERYTHING, tag, type Tag } from '../../cache/tag';
import type { Guard } from '../../cache/provider';
import { Stamps } from '../../cache/stamps';

interface Held {
  readonly entry: Entry;
  readonly size: number;
  /** The sequence number at which Redis reported the entry as valid. */
  readonly validAt: Sequence;
  /** The revision of the stamps at which the entry was last found unchanged. */
  checkedAt: number;
}

/** The tag of one entry. Deleting the entry stamps it, so that other processes drop the entry too. */
export const nameTag = (key: CacheKey): Tag => tag(`entry:${key}`);

/**
 * The first level: entries kept in this process as well. It remembers what has been stamped since it began, and is
 * exactly as fresh as that knowledge, which the follower keeps up to date.
 */
export class LocalLevel {
  readonly #held: LRUCache<CacheKey, Held>;
  #stamps = new Stamps();
  /** Changes with every stamp; until then, findings stay valid. Sequence numbers do not always arrive in order. */
  #revision = 1;
  /** Nothing is known about what was stamped at or before this number. */
  #beganAt: Sequence = NO_INVALIDATION;
  readonly #onDead: (entry: Entry) => void;

  /** @param onDead called with an entry that was looked up and is not valid any more. */
  constructor(
    { maxSize, maxBytes }: { readonly maxSize: number; readonly maxBytes: number },
    onDead: (entry: Entry) => void = () => undefined,
  ) {
    this.#onDead = onDead;
    this.#held = new LRUCache<CacheKey, Held>({ max: maxSize, maxSize: maxBytes, sizeCalculation: ({ size }) => size });
  }

  has(key: CacheKey): boolean {
    return this.#held.has(key);
  }

  get(key: CacheKey, now: EpochMilliseconds): Entry | undefined {
    const held = this.#held.get(key);
    if (held === undefined) return undefined;
    const { entry } = held;
    if (isYoung(entry, now) && this.#isStillValid(held)) return entry;
    this.#held.delete(key);
    this.#onDead(entry);
    return undefined;
  }

  put(entry: Entry, validAt: Sequence): void {
    if (validAt < this.#beganAt) return;
    const size = sizeOf(entry);
    this.#held.set(entry.key, { entry, size, validAt, checkedAt: 0 });
  }

  /** Whether the guard certainly holds; `false` also if the first level cannot tell. */
  isUnchanged(guard: Guard): boolean {
    if (guard.verifiedAt === this.#revision) return true;
    if (!this.#knowsOfNone(guard.tags, guard.since)) return false;
    guard.verifiedAt = this.#revision;
    return true;
  }

  stamp(tags: readonly Tag[], number: Sequence): void {
    if (tags.includes(EVERYTHING)) {
      this.startOver(number);
      return;
    }
    this.#revision += 1;
    this.#stamps.stamp(
      tags.filter((name) => this.#stamps.of(name) < number),
      number,
    );
  }

  forget(key: CacheKey): void {
    this.#held.delete(key);
  }

  startOver(beganAt: Sequence): void {
    this.#held.clear();
    this.#stamps = new Stamps();
    this.#beganAt = beganAt;
    this.#revision += 1;
  }

  #isStillValid(held: Held): boolean {
    const { entry, validAt, checkedAt } = held;
    if (checkedAt === this.#revision) return true;
    if (!this.#knowsOfNone(entry.tags, validAt) || !this.#knowsOfNone([nameTag(entry.key)], validAt)) return false;
    held.checkedAt = this.#revision;
    return true;
  }

  #knowsOfNone(tags: readonly Tag[], since: Sequence): boolean {
    return since >= this.#beganAt && isUnchanged(tags, since, this.#stamps.of);
  }
}
