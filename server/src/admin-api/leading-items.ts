/** How many items are sorted at once; a fraction of a millisecond. */
const CHUNK = 500;

/** The first `limit` of all items added, in order. Sorts as they come, so that no single step takes long. */
export class LeadingItems<Item> {
  readonly #limit: number;
  readonly #compare: (one: Item, other: Item) => number;
  #kept: Item[] = [];
  #fresh: Item[] = [];

  constructor(limit: number, compare: (one: Item, other: Item) => number) {
    this.#limit = limit;
    this.#compare = compare;
  }

  add(item: Item): void {
    const last = this.#kept.length < this.#limit ? undefined : this.#kept.at(-1);
    if (last !== undefined && this.#compare(item, last) >= 0) return;
    this.#fresh.push(item);
    if (this.#fresh.length >= CHUNK) this.#merge();
  }

  clear(): void {
    this.#kept = [];
    this.#fresh = [];
  }

  get items(): readonly Item[] {
    this.#merge();
    return this.#kept;
  }

  #merge(): void {
    if (this.#fresh.length === 0) return;
    const fresh = this.#fresh.sort(this.#compare);
    const kept = this.#kept;
    const merged: Item[] = [];
    let at = 0;
    for (const item of fresh) {
      for (let next = kept[at]; next !== undefined && this.#compare(next, item) <= 0; next = kept[at]) {
        merged.push(next);
        at += 1;
      }
      merged.push(item);
    }
    for (; at < kept.length && merged.length < this.#limit; at += 1) merged.push(kept[at] as Item);
    this.#kept = merged.length > this.#limit ? merged.slice(0, this.#limit) : merged;
    this.#fresh = [];
  }
}
