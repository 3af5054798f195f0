import { EVERY_ANSWER, type ChangedDocument, type EdgeDebt, type EdgeKey } from '../cache/edge-purge';
import type { EdgeLedger, Guard } from '../cache/provider';

/** Maximum number of keys remembered as handed out, some 40 bytes each. If it is reached, every key counts as such. */
const MAX_HANDED_OUT = 200_000;

/**
 * The ledger of a single process. It does not know what earlier processes have handed out and may still have to purge,
 * so its first debt is everything.
 */
export class ProcessLedger implements EdgeLedger {
  readonly #holds: (guard: Guard) => boolean;
  readonly #limit: number;
  readonly #handedOut = new Set<EdgeKey>();
  #owesEverything = true;

  /** @param limit maximum number of keys that are remembered; 0 if other processes hand out keys as well. */
  constructor(holds: (guard: Guard) => boolean, limit = MAX_HANDED_OUT) {
    this.#holds = holds;
    this.#limit = limit;
  }

  handOut(keys: readonly EdgeKey[], guards: readonly Guard[]): boolean {
    if (keys.every((key) => this.#isHandedOut(key))) return true;
    // The entry was found before a write whose purge is over, and left out this key because it was not handed out then.
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
    // Nothing to note: this process sends a purge until it is accepted, and its debts end with the process.
  }

  #isHandedOut(key: EdgeKey): boolean {
    return this.#handedOut.size >= this.#limit || this.#handedOut.has(key);
  }
}
