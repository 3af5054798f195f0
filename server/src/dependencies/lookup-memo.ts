import { LRUCache } from 'lru-cache';
import type { Clock } from '../cache/clock';
import { milliseconds } from '../cache/milliseconds';
import type { Guard } from '../cache/provider';
import type { Row } from '../sql/column-value';
import type { Query } from '../sql/statement';

/** Rows that a look-up gave, and what has to hold for it to give them again. */
export interface KeptLookUp {
  readonly rows: readonly Row[];
  readonly guard: Guard;
}

/** Rows kept before the least recently repeated look-ups go. */
const MAX_ROWS = 20_000;

/** Not because they would go stale: whoever writes past the plugin is heard of in a minute, as with verdicts. */
const LONGEST = milliseconds(60_000);

/**
 * Look-ups that decide whether a caller may see an answer, and what they gave: the same question of the same tables is
 * answered again without the database, as long as none of what it depends on has been stamped.
 */
export class LookUpMemo {
  readonly #kept = new LRUCache<string, KeptLookUp & { readonly until: number }>({
    maxSize: MAX_ROWS,
    sizeCalculation: ({ rows }) => rows.length + 1,
  });
  readonly #holds: (guard: Guard) => boolean;
  readonly #clock: Clock;

  /** @param holds whether nothing in a guard's tags was stamped since; see {@link Provider.holds}. */
  constructor(holds: (guard: Guard) => boolean, clock: Clock) {
    this.#holds = holds;
    this.#clock = clock;
  }

  /** Rows of the asker's own, with the guard that holds for them. */
  find(key: string): KeptLookUp | undefined {
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (kept.until > this.#clock.now() && this.#holds(kept.guard))
      return { rows: kept.rows.map(copyOf), guard: kept.guard };
    this.#kept.delete(key);
    return undefined;
  }

  /**
   * @param guard what the look-up depends on, with the number noted before it was made
   */
  keep(key: string, rows: readonly Row[], guard: Guard): void {
    if (!rows.every(isCopyable)) return;
    this.#kept.set(key, { rows: rows.map(copyOf), guard, until: this.#clock.now() + LONGEST });
  }
}

/**
 * What tells a look-up from every other: what the connection has been set to, the text and the bindings. `undefined`
 * where a binding is more than a text, a number or a truth value.
 */
export const lookUpKey = (session: string, { sql, bindings }: Query): string | undefined =>
  bindings.every(isPlain) ? JSON.stringify([session, sql, ...bindings]) : undefined;

const isPlain = (value: unknown): boolean =>
  value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);

const isCopyable = (row: Row): boolean =>
  Object.values(row).every((value) => value === undefined || isPlain(value) || value instanceof Date);

/** Whoever gets rows may change them. */
const copyOf = (row: Row): Row => {
  const copy = { ...row };
  for (const name in copy) {
    const value = copy[name];
    if (value instanceof Date) copy[name] = new Date(value);
  }
  return copy;
};
