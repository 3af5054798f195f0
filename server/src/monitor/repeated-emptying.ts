/** This often, and whatever empties the cache is no migration. */
const OFTEN = 10;

/** Causes that are counted at a time. */
const MAX_CAUSES = 200;

/** Notices when the same thing empties the cache again and again, and says so once. */
export class RepeatedEmptying {
  readonly #counts = new Map<string, number>();
  readonly #say: (text: string) => void;

  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  /** @param cause in a few words: `the function touch()`. */
  note(cause: string): void {
    const count = (this.#counts.get(cause) ?? 0) + 1;
    if (this.#counts.size >= MAX_CAUSES && count === 1) this.#counts.clear();
    this.#counts.set(cause, count);
    if (count === OFTEN)
      this.#say(`everything was invalidated ${OFTEN} times because of ${cause}: nobody can tell what that changes`);
  }
}
