import { NO_INVALIDATION, type Sequence } from './sequence';
import type { Tag } from './tag';

/** Stamps remembered tag by tag; all older ones are represented by one number. About 30 MB when full. */
const MAX_STAMPS = 250_000;

/**
 * The latest number stamped on each tag, in bounded memory. When there are too many stamps, the older half is
 * forgotten, and every tag that is not remembered counts as stamped with the latest forgotten number: entries older
 * than that die early, none lives too long.
 *
 * There are two Maps, because one Map in the order of its stamps would need a deletion and an insertion for each stamp,
 * which makes a write five times as expensive.
 */
export class Stamps {
  readonly #half: number;
  #recent = new Map<Tag, Sequence>();
  #older: ReadonlyMap<Tag, Sequence> = new Map();
  /** The latest number in `#older`. */
  #olderUntil: Sequence;
  #latest: Sequence;
  #forgotten: Sequence;

  /** @param beganAt nothing is known of what was stamped at or before this number. */
  constructor(limit = MAX_STAMPS, beganAt = NO_INVALIDATION) {
    this.#half = Math.floor(limit / 2);
    this.#olderUntil = this.#latest = this.#forgotten = beganAt;
  }

  /** An arrow function, so that it can be passed to `isFresh` unbound. */
  readonly of = (tag: Tag): Sequence => this.#recent.get(tag) ?? this.#older.get(tag) ?? this.#forgotten;

  stamp(tags: readonly Tag[], number: Sequence): void {
    if (this.#recent.size + tags.length > this.#half) this.#forgetOlder();
    // Numbers do not always arrive in order: a later stamp stays.
    const isLate = number < this.#latest;
    if (!isLate) this.#latest = number;
    if (tags.length > this.#half) {
      this.#forgetOlder();
      this.#forgotten = this.#latest;
    } else for (const tag of tags) if (!isLate || this.of(tag) < number) this.#recent.set(tag, number);
  }

  /** The highest number that was stamped. */
  get latest(): Sequence {
    return this.#latest;
  }

  get size(): number {
    return this.#recent.size + this.#older.size;
  }

  #forgetOlder(): void {
    this.#forgotten = this.#olderUntil;
    this.#older = this.#recent;
    this.#olderUntil = this.#latest;
    this.#recent = new Map();
  }
}
