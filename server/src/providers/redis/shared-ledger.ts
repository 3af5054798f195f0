import { EVERY_ANSWER, type ChangedDocument, type EdgeDebt, type EdgeKey } from '../../cache/edge-purge';
import type { Milliseconds } from '../../cache/milliseconds';
import type { EdgeLedger, Guard, MaybePromise } from '../../cache/provider';
import type { Commands } from './commands';
import type { Link } from './link';
import type { Numbering } from './numbering';

/** How many keys are remembered as noted in Redis; some 40 bytes each. */
const MAX_KNOWN = 200_000;

/**
 * The keys that all processes on one Redis have issued to the edge, and the purges they owe. What is noted in Redis
 * holds until its epoch ends.
 */
export class SharedLedger implements EdgeLedger {
  readonly #link: Link;
  readonly #commands: Commands;
  readonly #numbering: Numbering;
  readonly #known = new Set<EdgeKey>();
  #epoch = '';
  #isStarted = false;

  constructor(link: Link, commands: Commands, numbering: Numbering) {
    this.#link = link;
    this.#commands = commands;
    this.#numbering = numbering;
  }

  issueKeys(keys: readonly EdgeKey[], guards: readonly Guard[]): MaybePromise<boolean> {
    const { epoch } = this.#numbering;
    if (epoch !== this.#epoch || this.#known.size > MAX_KNOWN) this.#known.clear();
    this.#epoch = epoch;
    const unknown = keys.filter((key) => !this.#known.has(key));
    return unknown.length === 0 || this.#issueKeys(unknown, guards, epoch);
  }

  async owe(id: string, keys: readonly EdgeKey[], documents: readonly ChangedDocument[]): Promise<readonly EdgeDebt[]> {
    const [everything, ...owed] = await this.#link.tell(() => this.#commands.owe(id, keys, JSON.stringify(documents)));
    return [...everythingAs(everything), ...(owed.length === 0 ? [] : [{ id, keys: owed as EdgeKey[], documents }])];
  }

  async owed(minAge: Milliseconds): Promise<readonly EdgeDebt[]> {
    const [everything, ...owed] = await this.#link.tell(() => this.#commands.owed(minAge, !this.#isStarted));
    this.#isStarted = true;
    const debts = [...everythingAs(everything)];
    for (let at = 0; at + 1 < owed.length; at += 2) debts.push(debtOf(owed[at] ?? '', owed[at + 1] ?? ''));
    return debts;
  }

  async settle(id: string): Promise<void> {
    await this.#link.tell(() => this.#commands.settle(id));
  }

  async #issueKeys(keys: readonly EdgeKey[], guards: readonly Guard[], epoch: string): Promise<boolean> {
    const isNoted = await this.#link.serve(() => this.#commands.issueKeys(keys, guards));
    // A new epoch has begun meanwhile, and its ledger lacks these keys.
    if (!isNoted || this.#numbering.epoch !== epoch || this.#epoch !== epoch) return false;
    for (const key of keys) this.#known.add(key);
    return true;
  }
}

const everythingAs = (id = ''): EdgeDebt[] => (id === '' ? [] : [{ id, keys: [EVERY_ANSWER], documents: [] }]);

/** Reads a debt that `owe.lua` has written. */
const debtOf = (id: string, text: string): EdgeDebt => {
  const [first = '', documents = ''] = text.split('\n');
  const [, ...keys] = first.split(' ');
  return { id, keys: keys as EdgeKey[], documents: documentsIn(documents) };
};

/** Empty if the text is not JSON. That does no harm: a purge needs only the keys. */
const documentsIn = (text: string): ChangedDocument[] => {
  try {
    return JSON.parse(text) as ChangedDocument[];
  } catch {
    return [];
  }
};
