import { EVERYTHING, type Tag } from '../cache/tag';

/** More failed invalidations than this are owed as one: everything. */
const MAX_DEBTS = 1000;

/** Invalidations that could not be delivered. Nothing is served or stored by this process while there are any. */
export class Owed {
  /** What each was to stamp. */
  readonly #debts = new Set<readonly Tag[]>();

  add(tags: readonly Tag[]): void {
    const isTooMuch = this.#debts.size >= MAX_DEBTS;
    if (isTooMuch) this.#debts.clear();
    this.#debts.add(isTooMuch ? [EVERYTHING] : [...tags]);
  }

  get size(): number {
    return this.#debts.size;
  }

  /** Delivers what is owed now; what comes meanwhile stays, and so does all of it where the delivery fails. */
  async deliver(stamp: (tags: readonly Tag[]) => Promise<unknown>): Promise<void> {
    const debts = [...this.#debts];
    if (debts.length === 0) return;
    await stamp([...new Set(debts.flat())]);
    // Only what was sent is paid: a write may have failed to stamp the same tags meanwhile.
    for (const debt of debts) this.#debts.delete(debt);
  }
}
