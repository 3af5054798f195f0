import { randomUUID } from 'node:crypto';
import { withDeadline } from '../cache/deadline';
import { EVERY_ANSWER, type ChangedDocument, type EdgeDebt, type EdgeKey, type EdgeTarget } from '../cache/edge-purge';
import type { Entry } from '../cache/entry';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import type { Announcement, EdgeLedger, Guard, MaybePromise } from '../cache/provider';
import type { Tag } from '../cache/tag';
import { warning, type Warning } from '../config/warning';
import type { InvalidationSink } from '../observe/commit-and-stamp';
import { EdgeKeys } from './edge-keys';
import { TargetQueue } from './target-queue';

export interface EdgeSettings {
  /** The response header that carries keys. */
  readonly header: string;
  readonly maxHeaderBytes: number;
  readonly keysPrefix: string;
  readonly timeout: Milliseconds;
  readonly targets: readonly EdgeTarget[];
  readonly ledger: EdgeLedger;
  readonly documentsOf: (tags: readonly Tag[]) => readonly ChangedDocument[];
  /** Called when response heads made before must not be sent any more: what they tell the edge has changed. */
  readonly onHeadsChanged: () => void;
  readonly onState: (target: string, behind: string | undefined) => void;
}

export interface TargetState {
  readonly name: string;
  /** Why the target is behind with its purges; `undefined` if it is not. */
  readonly behind: string | undefined;
  /** Number of keys that wait to be sent to the target, without those that are being sent. */
  readonly waiting: number;
}

/** The warning that a target is behind with its purges, for the log and the panel. */
export const behindWarning = (name: string, behind: string): Warning =>
  warning(
    'edge-behind',
    `the edge target ${name} has not accepted all purges: ${behind}. They are sent again until it does; meanwhile the edge ` +
      'is told to store nothing new, and what it has stored may be stale.',
  );

/** An older debt belongs to a process that has ended or cannot reach its target: every process purges its keys. */
const OVERDUE = milliseconds(6000);

const LOOK_FOR_OVERDUE = milliseconds(2000);

/** Maximum number of debts that are settled as soon as they are paid. Further ones are paid again when overdue. */
const MAX_UNDER_WAY = 1000;

/** The keys to send with a response; `undefined` if the edge must not keep the response. */
export type HandedOut = readonly EdgeKey[] | undefined;

/** Tells the caches in front of the application which keys a response has, and which keys to purge. */
export class Edge {
  readonly #settings: EdgeSettings;
  readonly #keys: EdgeKeys;
  readonly #queues: readonly TargetQueue[];
  /** Ids of debts whose keys not all targets have purged yet. */
  readonly #underWay = new Set<string>();
  #looking: NodeJS.Timeout | undefined;

  constructor(settings: EdgeSettings) {
    const { header, maxHeaderBytes, keysPrefix, targets, timeout, onHeadsChanged, onState } = settings;
    this.#settings = settings;
    this.#keys = new EdgeKeys(header, maxHeaderBytes, keysPrefix);
    this.#queues = targets.map(
      (target) =>
        new TargetQueue({
          target,
          timeout,
          everything: this.#keys.everything,
          onState: (behind) => {
            onHeadsChanged();
            onState(target.name, behind);
          },
        }),
    );
  }

  /** Whether the edge may still serve responses that should be purged. Until it has caught up, it must keep no more. */
  get isBehind(): boolean {
    return this.#queues.some(({ behind }) => behind !== undefined);
  }

  get header(): string {
    return this.#settings.header;
  }

  /**
   * Notes the keys of a response that is about to be sent. Resolves to the keys to send with it.
   *
   * @param guard what was read to decide that every caller may have the response.
   */
  handOut({ tags, sequence }: Pick<Entry, 'tags' | 'sequence'>, guard: Guard): MaybePromise<HandedOut> {
    const keys = this.#keys.ofAnswer([...tags, ...guard.tags]);
    try {
      const noted = this.#settings.ledger.handOut(keys, [{ tags, since: sequence }, guard]);
      if (!(noted instanceof Promise)) return noted ? keys : undefined;
      return withDeadline(noted, this.#settings.timeout).then(
        (isNoted) => (isNoted ? keys : undefined),
        () => undefined,
      );
    } catch {
      return undefined;
    }
  }

  /** The header's value. `own` is the value that the handler has set, `''` if it has set none. */
  format(keys: readonly EdgeKey[], own: string): string {
    return this.#keys.format(keys, own);
  }

  /** Called before a commit: notes what these tags purge, so that another process purges it if this one ends. */
  async announce(tags: readonly Tag[], announcement: Announcement): Promise<void> {
    await this.#owe(tags, announcement);
  }

  /**
   * Purges the responses with any of these tags. Resolves when every target has accepted the purge or need not be
   * waited for. Never rejects.
   */
  async purge(tags: readonly Tag[], announcement?: Announcement): Promise<void> {
    await this.#pay(await this.#owe(tags, announcement ?? randomUUID()));
  }

  /** Called at the start: purges what earlier processes owe, and from then on looks for overdue debts. */
  async start(): Promise<void> {
    const everything = [{ id: EVERY_ANSWER, keys: [EVERY_ANSWER], documents: [] }];
    const debts = await this.#asked((ledger) => ledger.owed(milliseconds(0)), everything);
    // Other debts may belong to living processes that are about to commit: they stay until they are overdue.
    const settled = debts.filter(({ keys }) => keys.includes(EVERY_ANSWER));
    this.#looking = setInterval(() => {
      void this.#asked((ledger) => ledger.owed(OVERDUE)).then((late) =>
        this.#pay(late.filter(({ id }) => !this.#underWay.has(id))),
      );
    }, LOOK_FOR_OVERDUE).unref();
    await this.#pay(debts, settled);
  }

  /** Notes the keys as owed. Resolves to what has to be purged: every key, if the ledger cannot be asked. */
  async #owe(tags: readonly Tag[], id: string): Promise<readonly EdgeDebt[]> {
    const debt = { id, keys: [...this.#keys.ofPurge(tags)], documents: this.#settings.documentsOf(tags) };
    return this.#asked((ledger) => ledger.owe(debt.id, debt.keys, debt.documents), [debt]);
  }

  /** Asks the ledger, and goes on with `otherwise` if that fails: a write must not fail because of the ledger. */
  async #asked(
    ask: (ledger: EdgeLedger) => MaybePromise<readonly EdgeDebt[] | void>,
    otherwise: readonly EdgeDebt[] = [],
  ): Promise<readonly EdgeDebt[]> {
    const { ledger, timeout } = this.#settings;
    const answer: unknown = await withDeadline((async () => ask(ledger))(), timeout).catch(() => undefined);
    return Array.isArray(answer) ? (answer as readonly EdgeDebt[]) : otherwise;
  }

  /** @param settled the debts that are settled once their keys are purged. */
  async #pay(debts: readonly EdgeDebt[], settled = debts): Promise<void> {
    if (debts.length === 0) return;
    const keys = debts.flatMap((debt) => debt.keys);
    const named = keys.includes(EVERY_ANSWER) ? [this.#keys.everything] : keys;
    const documents = debts.flatMap((debt) => debt.documents);
    const onTaken = this.#underWay.size < MAX_UNDER_WAY ? this.#onceAllHave(settled) : undefined;
    await Promise.all(this.#queues.map((queue) => queue.purge(named, documents, onTaken)));
  }

  /** Returns a callback that each target calls when it has purged the keys; the last call settles the debts. */
  #onceAllHave(debts: readonly EdgeDebt[]): () => void {
    for (const { id } of debts) this.#underWay.add(id);
    let left = this.#queues.length;
    return () => {
      left -= 1;
      if (left > 0) return;
      for (const { id } of debts) {
        this.#underWay.delete(id);
        void this.#asked((ledger) => ledger.settle(id));
      }
    };
  }

  /** The state of each target. */
  get targets(): readonly TargetState[] {
    return this.#queues.map(({ behind, waiting }, index) => ({
      name: this.#settings.targets[index]?.name ?? '',
      behind,
      waiting,
    }));
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    await Promise.all(this.#queues.map((queue) => queue.close()));
  }
}

/**
 * A sink that announces and stamps as `sink` does, and purges the edge as well: its `invalidate` resolves when the edge
 * is purged or need not be waited for.
 */
export const purgingTheEdge = (sink: InvalidationSink, edge: Edge | undefined): InvalidationSink =>
  edge === undefined
    ? sink
    : {
        announce: async (tags) => {
          const announcement = await sink.announce(tags);
          if (announcement !== undefined) await edge.announce(tags, announcement);
          return announcement;
        },
        invalidate: async (tags, announcement) => {
          try {
            return await sink.invalidate(tags, announcement);
          } finally {
            await edge.purge(tags, announcement);
          }
        },
      };
