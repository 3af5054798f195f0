import { LRUCache } from 'lru-cache';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DeadlineExceeded } from './deadline';
import type { EntrySummary } from './entry-summary';
import { milliseconds } from './milliseconds';
import type { Provider } from './provider';
import { summariesOf } from './summaries-of';
import type { Tag } from './tag';

/** What the panel or a service wants to know of the entries held. */
export interface Inquiry<Answer> {
  /** Inquiries of the same name have the same answer. */
  readonly name: string;
  /** The inquiry concerns entries that carry a tag of one of these lists; `undefined`: every entry. */
  readonly lists?: ReadonlyArray<readonly Tag[]> | undefined;
  /** Whether the answer, which is small, is remembered for {@link Inventory.known}. */
  readonly isKept?: boolean;
  begin(): { add(summary: EntrySummary): void; readonly answer: Answer };
}

interface Asked {
  readonly lists: Inquiry<unknown>['lists'];
  readonly add: (summary: EntrySummary) => void;
  readonly settle: (error?: Error) => void;
}

interface UnderWay {
  readonly state: string;
  readonly answer: Promise<unknown>;
}

interface Kept {
  readonly state: string;
  readonly answer: unknown;
}

/** How many answers are remembered, and for how long, in milliseconds: entries that are stored later are not in them. */
const MAX_KNOWN = 5;
const KNOWN_FOR = 60_000;

/** How long the event loop is held before others have their turn, in milliseconds. */
const SLICE = 4;

/** How long one enumeration may take. */
const PATIENCE = milliseconds(20_000);

/** How long nothing is asked after an enumeration that has failed slowly, in milliseconds. */
const REST = 1000;

/** An enumeration that fails within this time has cost nobody anything. Milliseconds. */
const SOON = 100;

/**
 * Answers what only a look at all entries can answer. One enumeration of the store runs at a time. All inquiries made
 * meanwhile share the next one, and the same inquiry, if nothing has changed since, the one under way. An enumeration
 * leaves the event loop free, ends at a deadline, and is not tried again at once where it was slow to fail. None of this
 * concerns the deadlines of visitors' requests.
 */
export class Inventory {
  readonly #provider: Provider;
  readonly #underWay = new Map<string, UnderWay>();
  readonly #known = new LRUCache<string, Kept>({ max: MAX_KNOWN, ttl: KNOWN_FOR });
  #waiting: Asked[] = [];
  #isRunning = false;
  #changes = 0;
  #failed: { readonly error: Error; readonly until: number } | undefined;

  constructor(provider: Provider) {
    this.#provider = provider;
  }

  /** @throws whatever the store throws, and {@link DeadlineExceeded}. */
  async ask<Answer>({ name, lists, isKept = false, begin }: Inquiry<Answer>): Promise<Answer> {
    if (this.#failed !== undefined && performance.now() < this.#failed.until) throw this.#failed.error;
    const state = this.#state;
    const same = this.#underWay.get(name);
    // The name stands for the type of the answer as well.
    if (same?.state === state) return same.answer as Promise<Answer>;
    const begun = begin();
    const answer = new Promise<Answer>((resolve, reject) => {
      const settle = (error?: Error): void => {
        if (this.#underWay.get(name)?.answer === answer) this.#underWay.delete(name);
        if (error !== undefined) return reject(error);
        if (isKept) this.#known.set(name, { state, answer: begun.answer });
        resolve(begun.answer);
      };
      this.#waiting.push({ lists, add: (summary) => begun.add(summary), settle });
    });
    this.#underWay.set(name, { state, answer });
    if (!this.#isRunning) void this.#run();
    return answer;
  }

  /** A recent answer to an inquiry that is kept, if nothing was invalidated or deleted since. Asks the store nothing. */
  known<Answer>({ name }: Inquiry<Answer>): Answer | undefined {
    const known = this.#known.get(name);
    return known?.state === this.#state ? (known.answer as Answer) : undefined;
  }

  /** Called after entries were deleted: what is under way is not shared with anybody who asks from here on. */
  changed(): void {
    this.#changes += 1;
  }

  /** Changes whenever this process learns that entries were invalidated or deleted. */
  get #state(): string {
    return `${this.#changes} ${this.#provider.knownSequence()}`;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // Whoever asks in the same turn shares the enumeration.
    await nextTurn();
    while (this.#waiting.length > 0) {
      const asked = this.#waiting;
      this.#waiting = [];
      const began = performance.now();
      try {
        await this.#enumerate(asked, began);
        for (const { settle } of asked) settle();
      } catch (thrown) {
        const error = thrown instanceof Error ? thrown : new Error(String(thrown));
        const now = performance.now();
        if (now - began > SOON) this.#failed = { error, until: now + REST };
        for (const { settle } of asked) settle(error);
      }
    }
    this.#isRunning = false;
  }

  async #enumerate(asked: readonly Asked[], began: number): Promise<void> {
    const lists: Array<readonly Tag[]> = [];
    const receivers = asked.map((one) => {
      const from = lists.length;
      lists.push(...(one.lists ?? []));
      return { ...one, from, to: lists.length };
    });
    const all = asked.some((one) => one.lists === undefined);
    let turnBegan = performance.now();
    for await (const slice of summariesOf(this.#provider, { lists, all })) {
      for (const summary of slice) {
        for (const { lists: own, from, to, add } of receivers) {
          const carries = lists.length === to - from ? summary.carries : summary.carries.slice(from, to);
          if (own === undefined || carries.includes(true))
            add(receivers.length === 1 ? summary : { ...summary, carries });
        }
        if (performance.now() - turnBegan < SLICE) continue;
        await nextTurn();
        turnBegan = performance.now();
      }
      if (performance.now() - began > PATIENCE) throw new DeadlineExceeded(PATIENCE);
      if (performance.now() - turnBegan < SLICE) continue;
      await nextTurn();
      turnBegan = performance.now();
    }
  }
}
