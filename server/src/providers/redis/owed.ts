import { EVERYTHING, type Tag } from '../../cache/tag';

/** Tags kept one by one; more than these become one stamp on everything. */
const MAX_OWED = 10_000;

/** Invalidations that could not be delivered. Nothing is served or stored by this process while there are any. */
export class Owed {
  #tags = new Set<Tag>();

  add(tags: readonly Tag[]): void {
    for (const tag of tags) this.#tags.add(tag);
    if (this.#tags.size > MAX_OWED) this.#tags = new Set([EVERYTHING]);
  }

  get size(): number {
    return this.#tags.size;
  }

  /** Delivers until nothing is owed; what a failed delivery carried is owed again. */
  async deliver(stamp: (tags: readonly Tag[]) => Promise<unknown>): Promise<void> {
    while (this.#tags.size > 0) {
      const carried = [...this.#tags];
      this.#tags = new Set();
      try {
        await stamp(carried);
      } catch (error) {
        this.add(carried);
        throw error;
      }
    }
  }
}
