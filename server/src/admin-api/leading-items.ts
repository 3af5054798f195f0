/** How many items come before they are sorted; a fraction of a millisecond. Of many, an eighth. */
const CHUNK = 500;

/** The first `limit` of all items added, in order. Sorts as they come, so that no single step takes long. */
export class LeadingItems<Item> {
  readonly #limit: number;
  readonly #compare: (one: Item, other: Item) => number;
  #kept: Item[] = [];
  #unsorted = 0;

  constructor(limit: number, compare: (one: Item, other: Item) => number) {
    this.#limit = limit;
    this.#compare = compare;
  }

  add(item: Item): void {
    this.#kept.push(item);
    this.#unsorted += 1;
    if (this.#unsorted >= Math.max(CHUNK, this.#kept.length / 8)) this.#sort();
  }

  clear(): void {
    this.#kept = [];
  }

  get items(): readonly Item[] {
    this.#sort();
    return this.#kept;
  }

  /** Fast, because all but the latest are in order already. */
  #sort(): void {
    this.#kept = this.#kept.sort(this.#compare).slice(0, this.#limit);
    this.#unsorted = 0;
  }
}
