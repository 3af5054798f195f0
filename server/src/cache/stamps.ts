import { NO_INVALIDATION, type Sequence } from './sequence';
import type { Tag } from './tag';

/** Stamps remembered one by one; older ones are summed up in one number. About 30 MB when full. */
const MAX_STAMPS = 250_000;

/**
 * The latest number stamped on each tag, in bounded memory. When there are too many, the oldest are forgotten and every
 * tag that is not remembered counts as stamped at the latest forgotten number: entries older than that die early,
 * none lives too long.
 */
export class Stamps {
  readonly #byTag = new Map<Tag, Sequence>();
  readonly #limit: number;
  #forgotten: Sequence = NO_INVALIDATION;

  constructor(limit = MAX_STAMPS) {
    this.#limit = limit;
  }

  /** Bound, so that it can be handed to the rule of freshness as it is. */
  readonly of = (tag: Tag): Sequence => this.#byTag.get(tag) ?? this.#forgotten;

  stamp(tags: readonly Tag[], number: Sequence): void {
    for (const tag of tags) {
      // Deleted first: a Map keeps the order of insertion, and the oldest stamps must come first.
      this.#byTag.delete(tag);
      this.#byTag.set(tag, number);
    }
    for (const [tag, stamped] of this.#byTag) {
      if (this.#byTag.size <= this.#limit) break;
      this.#byTag.delete(tag);
      this.#forgotten = stamped;
    }
  }

  get size(): number {
    return this.#byTag.size;
  }
}
