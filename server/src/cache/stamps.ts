import { NO_INVALIDATION, type Sequence } from './sequence';
import type { Tag } from './tag';

/** Stamps remembered one by one; older ones are summed up in one number. About 30 MB when full. */
const MAX_STAMPS = 250_000;

/**
 * The latest number stamped on each tag, in bounded memory. When there are too many, the older half is forgotten, and every
 * tag that is not remembered counts as stamped at the latest forgotten number: entries older than that die early,
 * none lives too long.
 *
 * Two Maps instead of one in the order of its stamps: that one would be deleted from and added to for each stamp, which
 * costs a write five times as much.
 */
export class Stamps {
  readonly #half: number;
  #recent = new Map<Tag, Sequence>();
  #older: ReadonlyMap<Tag, Sequence> = new Map();
  /** The latest of the older ones. */
  #olderUntil: Sequence = NO_INVALIDATION;
  #latest: Sequence = NO_INVALIDATION;
  #forgotten: Sequence = NO_INVALIDATION;

  constructor(limit = MAX_STAMPS) {
    this.#half = Math.floor(limit / 2);
  }

  /** Bound, so that it can be handed to the rule of freshness as it is. */
  readonly of = (tag: Tag): Sequence => this.#recent.get(tag) ?? this.#older.get(tag) ?? this.#forgotten;

  stamp(tags: readonly Tag[], number: Sequence): void {
    if (this.#recent.size + tags.length > this.#half) this.#forgetOlder();
    if (number > this.#latest) this.#latest = number;
    if (tags.length > this.#half) {
      this.#forgetOlder();
      this.#forgotten = this.#latest;
    } else for (const tag of tags) this.#recent.set(tag, number);
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
