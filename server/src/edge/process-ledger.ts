import { EVERY_ANSWER, type ChangedDocument, type EdgeDebt, type EdgeKey } from '../cache/edge-purge';
import type { EdgeLedger, Guard } from '../cache/provider';

/** Keys remembered as handed out, some 40 bytes each; past them every key counts as handed out. */
const MAX_HANDED_OUT = 200_000;

/**
 * What one process has handed out. What those before it have, and may still have had to purge, it does not know: its
 * first debt is everything.
 */
export class ProcessLedger implements EdgeLedger {
  readonly #holds: (guard: Guard) => boolean;
  readonly #limit: number;
  readonly #handedOut = new Set<EdgeKey>();
  #owesEverything = true;

  /** @param limit of keys that are remembered; 0 where others hand out keys as well. */
  constructor(holds: (guard: Guard) => boolean, limit = MAX_HANDED_OUT) {
    this.#holds = holds;
    this.#limit = limit;
  }

  handOut(keys: readonly EdgeKey[], guards: readonly Guard[]): boolean {
    if (keys.every((key) => this.#isHandedOut(key))) return true;
    // Found before a write that has been purged by now, under a key that was nobody's then.
    if (!guards.every(this.#holds)) return false;
    for (const key of keys) this.#handedOut.add(key);
    return true;
  }

  owe(id: string, keys: readonly EdgeKey[], documents: readonly ChangedDocument[]): readonly EdgeDebt[] {
    const known = keys.filter((key) => this.#isHandedOut(key));
    return known.length === 0 ? [] : [{ id, keys: known, documents }];
  }

  owed(): readonly EdgeDebt[] {
    if (!this.#owesEverything) return [];
    this.#owesEverything = false;
    return [{ id: EVERY_ANSWER, keys: [EVERY_ANSWER], documents: [] }];
  }

  settle(): void {
    // Whoever owes it sends it until it is taken, or ends, and what was owed with it.
  }

  #isHandedOut(key: EdgeKey): boolean {
    return this.#handedOut.size >= this.#limit || this.#handedOut.has(key);
  }
}
