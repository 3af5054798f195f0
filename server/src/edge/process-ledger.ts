import { EVERY_ANSWER, type ChangedDocument, type EdgeDebt, type EdgeKey } from '../cache/edge-purge';
import type { EdgeLedger, Guard } from '../cache/provider';

/** Maximum number of issued keys that are remembered, some 40 bytes each. Beyond it, every key counts as issued. */
const MAX_ISSUED = 200_000;

/**
 * The ledger of a single process. It does not know which keys earlier processes have issued and may still have to
 * purge, so its first debt is everything.
 */
export class ProcessLedger implements EdgeLedger {
  readonly #holds: (guard: Guard) => boolean;
  readonly #limit: number;
  readonly #issued = new Set<EdgeKey>();
  #owesEverything = true;

  /** @param limit maximum number of keys that are remembered; 0 if other processes issue keys as well. */
  constructor(holds: (guard: Guard) => boolean, limit = MAX_ISSUED) {
    this.#holds = holds;
    this.#limit = limit;
  }

  issueKeys(keys: readonly EdgeKey[], guards: readonly Guard[]): boolean {
    if (keys.every((key) => this.#isIssued(key))) return true;
    // The entry was found before a write whose purge is over, and left out this key because it was not issued then.
    if (!guards.every(this.#holds)) return false;
    for (const key of keys) this.#issued.add(key);
    return true;
  }

  owe(id: string, keys: readonly EdgeKey[], documents: readonly ChangedDocument[]): readonly EdgeDebt[] {
    const known = keys.filter((key) => this.#isIssued(key));
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

  #isIssued(key: EdgeKey): boolean {
    return this.#issued.size >= this.#limit || this.#issued.has(key);
  }
}
