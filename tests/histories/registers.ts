/** One value in the database, shared by all writers and readers. */
export class Register {
  /** The greatest version whose write was acknowledged. */
  acknowledged = 0;
  #issued = 0;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(
    readonly documentId: string,
    readonly kind: 'article' | 'author',
  ) {}

  /** A version greater than all earlier ones. */
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

/** Runs a write that has exclusive access to several registers, always acquired in the same order. */
export const holding = <T>(registers: readonly Register[], write: () => Promise<T>): Promise<T> => {
  const [first, ...rest] = registers;
  return first === undefined ? write() : first.exclusively(() => holding(rest, write));
};

/** A version that is written and rolled back. No reader may ever see it. */
export const NEVER = -1;
