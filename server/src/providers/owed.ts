import { EVERYTHING, type Tag } from '../cache/tag';

/** If more tags than this are owed, that of everything replaces them: they have to be delivered within one deadline. */
const MAX_TAGS = 20_000;

/** Invalidations that could not be delivered. Nothing is served or stored by this process while there are any. */
export class Owed {
  /** The tags of each owed invalidation. */
  readonly #debts = new Set<readonly Tag[]>();
  /** The number of tags in all of them. */
  #count = 0;

  add(tags: readonly Tag[]): void {
    const isTooMuch = this.#count + tags.length > MAX_TAGS;
    if (isTooMuch) for (const debt of this.#debts) this.#remove(debt);
    const debt = isTooMuch ? [EVERYTHING] : [...tags];
    this.#debts.add(debt);
    this.#count += debt.length;
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
    for (const debt of debts) this.#remove(debt);
  }

  #remove(debt: readonly Tag[]): void {
    if (this.#debts.delete(debt)) this.#count -= debt.length;
  }
}
