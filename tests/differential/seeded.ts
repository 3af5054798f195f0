/** Pseudo-random choices. The same seed gives the same choices, so that a run can be replayed. */
export class Seeded {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number in [0, 1), by the mulberry32 generator. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to `end`, which is excluded. */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** @throws Error when there is nothing to choose from. */
  pick<T>(list: readonly T[]): T {
    const chosen = list[this.below(list.length)];
    if (chosen === undefined) throw new Error('nothing to pick from');
    return chosen;
  }

  /** Up to `count` different elements. */
  sample<T>(list: readonly T[], count: number): T[] {
    const rest = [...list];
    return Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(this.below(rest.length), 1)).flat();
  }

  /** A text that other rows may have as well, or that a database takes for equal, so that sorted lists have ties. */
  commonText(): string {
    return this.below(3) === 0
      ? this.words()
      : this.pick([
          'Harbour',
          'harbour',
          'Hárbour',
          'Tide',
          'Tide ',
          'Tidé',
          'Straße',
          'Strasse',
          'Fog ' + 'and fog '.repeat(12),
        ]);
  }

  /** A number that other rows may have as well. */
  commonNumber(): number {
    return this.below(2) === 0 ? this.below(4) : this.below(20_000);
  }

  /** A few words that no earlier call has returned. */
  words(): string {
    const vocabulary = ['Salt', 'Fog', 'Harbour', 'Keeper', 'Lantern', 'Rope', 'Tide', 'Quay', 'Gull', 'Mast'];
    return `${this.pick(vocabulary)} ${this.pick(vocabulary)} ${this.below(1e9).toString(36)}`;
  }
}
