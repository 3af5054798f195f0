import { EVERYTHING, type Tag } from '../cache/tag';

/** If more invalidations than this are owed, a single one of everything replaces them. */
const MAX_DEBTS = 1000;

/** Invalidations that could not be delivered. Nothing is served or stored by this process while there are any. */
export class Owed {
  /** The tags of each owed invalidation. */
  readonly #debts = new Set<readonly Tag[]>();

  add(tags: readonly Tag[]): void {
    const isTooMuch = this.#debts.size >= MAX_DEBTS;
    if (isTooMuch) this.#debts.clear();
    this.#debts.add(isTooMuch ? [EVERYTHING] : [...tags]);
  }

  get size(): number {
    return this.#debts.size;
  }

  /** Delivers the present debts. Debts added meanwhile stay owed; if the delivery fails, all do. */
  async deliver(stamp: (tags: readonly Tag[]) => Promise<unknown>): Promise<void> {
    const debts = [...this.#debts];
    if (debts.length === 0) return;
    await stamp([...new Set(debts.flat())]);
    // Only the delivered debts are removed: a further write may have failed to stamp the same tags meanwhile.
    for (const debt of debts) this.#debts.delete(debt);
  }
}
