import { randomBytes } from 'node:crypto';
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
  /** Heads that were made before are not to be sent any more: what they say of the edge has changed. */
  readonly onHeadsChanged: () => void;
  readonly onState: (target: string, behind: string | undefined) => void;
}

export interface TargetState {
  readonly name: string;
  /** Why it is behind with its purges; `undefined` where it is not. */
  readonly behind: string | undefined;
  /** Keys that it still has to take. */
  readonly waiting: number;
}

/** In words, for the log and the panel. */
export const behindWarning = (name: string, behind: string): Warning =>
  warning(
    'edge-behind',
    `the edge target ${name} is behind with its purges: ${behind}. It is asked again until it takes them; meanwhile the edge ` +
      'is told to keep nothing new, and what it keeps may be stale.',
  );

/** A debt that is older is somebody's who has ended, or whose target is away: every process makes up for it. */
const OVERDUE = milliseconds(6000);

const LOOK_FOR_OVERDUE = milliseconds(2000);

/** Debts under way; more are found again when they are overdue. */
const MAX_UNDER_WAY = 1000;

/** The keys to say; `undefined` where the edge must not keep the answer. */
export type HandedOut = readonly EdgeKey[] | undefined;

/** What caches in front of the application are told: which keys an answer has, and which have to go. */
export class Edge {
  readonly #settings: EdgeSettings;
  readonly #keys: EdgeKeys;
  readonly #queues: readonly TargetQueue[];
  readonly #process = randomBytes(9).toString('base64url');
  /** Debts that not all targets have taken yet. */
  readonly #underWay = new Set<string>();
  #debts = 0;
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

  /** Whether something that should be gone may still be answered by the edge, which is then not to keep more. */
  get isBehind(): boolean {
    return this.#queues.some(({ behind }) => behind !== undefined);
  }

  get header(): string {
    return this.#settings.header;
  }

  /**
   * Notes the keys of an answer that is about to be handed out.
   *
   * @param guard what was read to let everybody have it.
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

  /** The header's value; `own`: what the handler has set there, `''` for nothing. */
  format(keys: readonly EdgeKey[], own: string): string {
    return this.#keys.format(keys, own);
  }

  /** Before a commit: what is made of any of these is going to be purged, by another process if this one ends. */
  async announce(tags: readonly Tag[], announcement: Announcement): Promise<void> {
    await this.#owe(tags, announcement);
  }

  /**
   * Purges what was made of any of these; resolves when every target has taken it, or need not be waited for. Never
   * rejects.
   */
  async purge(tags: readonly Tag[], announcement?: Announcement): Promise<void> {
    this.#debts += 1;
    await this.#pay(await this.#owe(tags, announcement ?? `${this.#process}.${this.#debts.toString(36)}`));
  }

  /** At the start: what an earlier process has left. */
  async start(): Promise<void> {
    const debts = await this.#owed(milliseconds(0), [{ id: EVERY_ANSWER, keys: [EVERY_ANSWER], documents: [] }]);
    // The writers of others may be alive, and about to commit: these stay until they are overdue.
    const settled = debts.filter(({ keys }) => keys.includes(EVERY_ANSWER));
    this.#looking = setInterval(() => {
      void this.#owed(OVERDUE).then((late) => this.#pay(late.filter(({ id }) => !this.#underWay.has(id))));
    }, LOOK_FOR_OVERDUE).unref();
    await this.#pay(debts, settled);
  }

  /** Where it cannot be noted, every key is purged. */
  async #owe(tags: readonly Tag[], id: string): Promise<readonly EdgeDebt[]> {
    const debt = { id, keys: [...this.#keys.ofPurge(tags)], documents: this.#settings.documentsOf(tags) };
    return this.#asked((ledger) => ledger.owe(debt.id, debt.keys, debt.documents), [debt]);
  }

  #owed(minAge: Milliseconds, otherwise?: readonly EdgeDebt[]): Promise<readonly EdgeDebt[]> {
    return this.#asked((ledger) => ledger.owed(minAge), otherwise);
  }

  /** Whatever it does, nobody's write fails for it. */
  async #asked(
    ask: (ledger: EdgeLedger) => MaybePromise<readonly EdgeDebt[] | void>,
    otherwise: readonly EdgeDebt[] = [],
  ): Promise<readonly EdgeDebt[]> {
    const { ledger, timeout } = this.#settings;
    const answer: unknown = await withDeadline((async () => ask(ledger))(), timeout).catch(() => undefined);
    return Array.isArray(answer) ? (answer as readonly EdgeDebt[]) : otherwise;
  }

  /** @param settled which of them are done with then. */
  async #pay(debts: readonly EdgeDebt[], settled = debts): Promise<void> {
    if (debts.length === 0) return;
    const keys = debts.flatMap((debt) => debt.keys);
    const named = keys.includes(EVERY_ANSWER) ? [this.#keys.everything] : keys;
    const documents = debts.flatMap((debt) => debt.documents);
    const onTaken = this.#underWay.size < MAX_UNDER_WAY ? this.#onceAllHave(settled) : undefined;
    await Promise.all(this.#queues.map((queue) => queue.purge(named, documents, onTaken)));
  }

  /** To be told by each target when it is done with these. */
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

  /** How each target is doing. */
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

/** What announces and stamps as `sink` does, and has purged the edge as well when it resolves, or need not wait for it. */
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
