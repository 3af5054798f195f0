import { said } from '../cache/sentence';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
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
  /** How long the edge may keep a response at most while it is behind. */
  readonly whileUnreachable: Milliseconds;
  readonly targets: readonly EdgeTarget[];
  readonly ledger: EdgeLedger;
  readonly documentsOf: (tags: readonly Tag[]) => readonly ChangedDocument[];
  /** Called when response heads made before must not be sent any more: their headers for the edge have changed. */
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
  warning(said('edge-behind')`the edge target ${name} has not accepted all purges: ${behind}. They are sent again until
    it does; meanwhile what it has stored may be stale, and it may store answers for strategy.edge.whileUnreachable at
    most.`);

/** An older debt belongs to a process that has ended or cannot reach its target: every process purges its keys. */
const OVERDUE = milliseconds(6000);

const LOOK_FOR_OVERDUE = milliseconds(2000);

/** Between attempts to ask the ledger at the start. */
const ASK_AGAIN = milliseconds(50);

/** Maximum number of debts that are settled as soon as they are paid. Further ones are paid again when overdue. */
const MAX_UNDER_WAY = 1000;

/** What a ledger is to answer. Only the keys are needed: a store may have damaged the documents. */
const DEBTS = z.array(
  z.object({
    id: z.string(),
    keys: z.array(z.custom<EdgeKey>((key) => typeof key === 'string')),
    documents: z.array(z.object({ contentType: z.string(), documentId: z.string() })).catch([]),
  }),
);

const owesEverything = ({ keys }: EdgeDebt): boolean => keys.includes(EVERY_ANSWER);

/** The keys to send with a response; `undefined` if the edge must not keep the response. */
export type IssuedKeys = readonly EdgeKey[] | undefined;

/** Tells the caches in front of the application which keys a response has, and which keys to purge. */
export class Edge {
  readonly #settings: EdgeSettings;
  readonly #keys: EdgeKeys;
  readonly #queues: readonly TargetQueue[];
  /** Debts whose keys not all targets have purged twice yet. Each promise resolves when writes need not wait for them. */
  readonly #underWay = new Map<string, Promise<unknown>>();
  /** For each write that is announced, what is owed for it as far as is known before its commit. */
  readonly #announced = new Map<string, readonly EdgeDebt[]>();
  /** The tags of the writes made during the boot, by id; `undefined` once they are purged. */
  #early: Map<string, readonly Tag[]> | undefined = new Map();
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

  /** Whether the edge may still serve responses that should be purged. */
  get isBehind(): boolean {
    return this.#queues.some(({ behind }) => behind !== undefined);
  }

  /**
   * How long the edge may keep a response whose advertised max-age is this; `undefined` if not at all. While the edge
   * is behind, the time is short, so that responses that cannot be purged expire by themselves.
   */
  lifetimeOf(maxAge: Milliseconds): Milliseconds | undefined {
    const { whileUnreachable } = this.#settings;
    if (!this.isBehind || maxAge <= whileUnreachable) return maxAge;
    return whileUnreachable > 0 ? whileUnreachable : undefined;
  }

  get header(): string {
    return this.#settings.header;
  }

  /**
   * Notes the keys of a response that is about to be sent. Resolves to the keys to send with it.
   *
   * @param guard what was read to decide that every caller may have the response.
   */
  issueKeys({ tags, sequence }: Pick<Entry, 'tags' | 'sequence'>, guard: Guard): MaybePromise<IssuedKeys> {
    const keys = this.#keys.ofAnswer([...tags, ...guard.tags]);
    try {
      const noted = this.#settings.ledger.issueKeys(keys, [{ tags, since: sequence }, guard]);
      if (noted === true) return keys;
      // Promises of other libraries are no `Promise`.
      return withDeadline((async () => noted)(), this.#settings.timeout).then(
        (isNoted) => (isNoted === true ? keys : undefined),
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
    const owed = await this.#owe(tags, announcement, []);
    this.#announced.set(announcement, owed);
    // A debt of everything is paid at once: the commit may take long.
    if (this.#early === undefined) void this.#pay(owed.filter(owesEverything));
  }

  /**
   * Purges the responses with any of these tags. Resolves when every target has accepted the purge or need not be
   * waited for. Never rejects. What is written during the boot is purged by {@link start}: the store may not be connected
   * before that, so the issued keys are not known.
   */
  async purge(tags: readonly Tag[], announcement?: Announcement): Promise<void> {
    const id = announcement ?? randomUUID();
    const before = this.#announced.get(id) ?? [];
    this.#announced.delete(id);
    if (this.#early !== undefined) {
      this.#early.set(id, tags);
      return;
    }
    const owed = await this.#owe(tags, id, this.#documentsShown(tags, before));
    await this.#pay(
      owed.map((debt) => (debt.id === id ? { ...debt, documents: this.#documentsShown(tags, [debt]) } : debt)),
    );
  }

  /** Called at the start: purges what earlier processes owe, and from then on looks for overdue debts. */
  async start(): Promise<void> {
    const debts = await this.#owedAtStart();
    const early = [...(this.#early ?? [])];
    this.#early = undefined;
    // Other debts may belong to living processes that are about to commit: they stay until they are overdue.
    const settled = debts.filter(owesEverything);
    this.#looking = setInterval(() => {
      void this.#asked((ledger) => ledger.owed(OVERDUE)).then((late) =>
        this.#pay(late.filter(({ id }) => !this.#underWay.has(id))),
      );
    }, LOOK_FOR_OVERDUE).unref();
    if (settled.length === 0) {
      await Promise.all([this.#pay(debts, []), ...early.map(([id, tags]) => this.purge(tags, id as Announcement))]);
      return;
    }
    const coveredToo = early.map(([id]) => ({ id, keys: [], documents: [] }));
    await this.#pay(debts, [...settled, ...coveredToo]);
  }

  /** Everything, if the ledger cannot be asked: its store may still be connecting, so that is tried for a while. */
  async #owedAtStart(): Promise<readonly EdgeDebt[]> {
    const until = performance.now() + this.#settings.timeout;
    const none: readonly EdgeDebt[] = [];
    for (;;) {
      const debts = await this.#asked((ledger) => ledger.owed(milliseconds(0)), none);
      if (debts !== none) return debts;
      if (performance.now() >= until) return [{ id: EVERY_ANSWER, keys: [EVERY_ANSWER], documents: [] }];
      await delay(ASK_AGAIN);
    }
  }

  /** Notes the keys as owed. Resolves to what has to be purged: every key, if the ledger cannot be asked. */
  async #owe(tags: readonly Tag[], id: string, documents: readonly ChangedDocument[]): Promise<readonly EdgeDebt[]> {
    const debt = { id, keys: [...this.#keys.ofPurge(tags)], documents };
    return this.#asked((ledger) => ledger.owe(debt.id, debt.keys, debt.documents), [debt]);
  }

  /** The written documents of the tables and content types of which, by these debts, the edge was given a response. */
  #documentsShown(tags: readonly Tag[], debts: readonly EdgeDebt[]): readonly ChangedDocument[] {
    const given = new Set(debts.flatMap(({ keys }) => keys));
    return given.size === 0 ? [] : this.#settings.documentsOf(this.#keys.ofShown(tags, given));
  }

  /**
   * Asks the ledger, and goes on with `otherwise` if that fails or answers anything else: a write must not fail because
   * of the ledger.
   */
  async #asked(
    ask: (ledger: EdgeLedger) => MaybePromise<readonly EdgeDebt[] | void>,
    otherwise: readonly EdgeDebt[] = [],
  ): Promise<readonly EdgeDebt[]> {
    const { ledger, timeout } = this.#settings;
    const answer: unknown = await withDeadline((async () => ask(ledger))(), timeout).catch(() => undefined);
    const { success, data } = DEBTS.safeParse(answer);
    return success ? data : otherwise;
  }

  /**
   * A purge of everything that is under way already is waited for and not sent again: nothing else covers the keys that
   * an earlier epoch has issued.
   *
   * @param settled the debts that are settled once their keys are purged.
   */
  async #pay(debts: readonly EdgeDebt[], settled = debts): Promise<void> {
    const paid = debts.filter((debt) => owesEverything(debt) && this.#underWay.has(debt.id));
    const others = (debt: EdgeDebt): boolean => !paid.includes(debt);
    const waited = paid.map(({ id }) => this.#underWay.get(id));
    await Promise.all([...waited, this.#send(debts.filter(others), settled.filter(others))]);
  }

  async #send(debts: readonly EdgeDebt[], settled: readonly EdgeDebt[]): Promise<void> {
    if (debts.length === 0) return;
    const keys = debts.flatMap((debt) => debt.keys);
    const named = debts.some(owesEverything) ? [this.#keys.everything] : keys;
    const documents = debts.flatMap((debt) => debt.documents);
    const isNoted = this.#underWay.size < MAX_UNDER_WAY;
    const onTaken = isNoted ? this.#onceAllHave(settled) : undefined;
    const sent = Promise.all(this.#queues.map((queue) => queue.purge(named, documents, onTaken)));
    if (isNoted) for (const { id } of settled) this.#underWay.set(id, sent);
    await sent;
  }

  /** Returns a callback that each target calls when it has purged the keys twice; the last call settles the debts. */
  #onceAllHave(debts: readonly EdgeDebt[]): () => void {
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
    return this.#queues.map(({ name, behind, waiting }) => ({ name, behind, waiting }));
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
