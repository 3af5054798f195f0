import type { EdgeKey } from '../cache/edge-purge';

/** Keys that wait for a target; of more, everything is purged. */
const MAX_WAITING = 10_000;

interface Waiter {
  /** How many keys had been added, in all, when it was. */
  readonly after: number;
  readonly onTaken: () => void;
}

/** Keys in the order they came, and who is to be told when all up to theirs have been taken. */
export class Backlog {
  readonly #everything: EdgeKey;
  #keys = new Set<EdgeKey>();
  #added = 0;
  #waiters: Waiter[] = [];

  /** @param everything stands for all keys, where there are too many. */
  constructor(everything: EdgeKey) {
    this.#everything = everything;
  }

  get size(): number {
    return this.#keys.size;
  }

  add(keys: Iterable<EdgeKey>, onTaken?: () => void): void {
    for (const key of keys) this.#append(key);
    if (this.#keys.size > MAX_WAITING) {
      this.#keys.clear();
      this.#append(this.#everything);
    }
    if (onTaken !== undefined) this.#waiters.push({ after: this.#added, onTaken });
  }

  /** Takes the first ones out, to be sent. */
  take(count: number): readonly EdgeKey[] {
    const keys = [...this.#keys].slice(0, count);
    for (const key of keys) this.#keys.delete(key);
    return keys;
  }

  /** What was taken out has not been taken by the target: it comes first again. */
  putBack(keys: readonly EdgeKey[]): void {
    this.#keys = new Set([...keys, ...this.#keys]);
  }

  /** What was taken out has been taken by the target. Returns who is to be told. */
  taken(): ReadonlyArray<() => void> {
    const done = this.#added - this.#keys.size;
    const told = this.#waiters.filter(({ after }) => after <= done);
    this.#waiters = this.#waiters.filter(({ after }) => after > done);
    return told.map(({ onTaken }) => onTaken);
  }

  #append(key: EdgeKey): void {
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    this.#added += 1;
  }
}
