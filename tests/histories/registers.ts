/** One value in the database, as all writers and readers know it. */
export class Register {
  /** The greatest version whose write was acknowledged. */
  acknowledged = 0;
  #issued = 0;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(
    readonly documentId: string,
    readonly kind: 'article' | 'author',
  ) {}

  /** A version greater than all before. */
  issue(): number {
    this.#issued += 1;
    return this.#issued;
  }

  /** Runs writes of this register one after the other, so that later versions overwrite earlier ones. */
  exclusively<T>(write: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(write);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}

/** Holds several registers at once, always in the same order. */
export const holding = <T>(registers: readonly Register[], write: () => Promise<T>): Promise<T> => {
  const [first, ...rest] = registers;
  return first === undefined ? write() : first.exclusively(() => holding(rest, write));
};

/** Written and rolled back: nobody may ever read it. */
export const NEVER = -1;
