import type { Entry } from '../../server/src/cache/entry';
import type { EntrySummary, SummaryQuestion } from '../../server/src/cache/entry-summary';
import type { CacheKey } from '../../server/src/cache/key';
import { NO_INVALIDATION, type Sequence } from '../../server/src/cache/sequence';
import type { Tag } from '../../server/src/cache/tag';
import type { Announcement, Guard, Health, Lookup, Provider } from '../../server/src/cache/provider';
import type { Interleaving } from './interleaving';
import type { Process } from './process';
import type { SharedStore } from './shared-store';

/** What happens to one message to the store. */
export type MessageFate =
  | 'answered'
  /** It takes a long time to arrive. */
  | 'slow'
  /** It never arrives. */
  | 'lost'
  /** It is carried out, but its answer never arrives. */
  | 'unanswered'
  /** The sender gives up waiting, but the message is carried out all the same, at any later time. */
  | 'late';

/**
 * The store could not be reached. This also stands for timeouts: the engine measures its deadlines by a wall clock,
 * which no schedule can order, so giving up is one more event at some moment of the schedule.
 */
export class StoreUnreachable extends Error {}

/**
 * Hands out the fates of a schedule's messages, in the order in which the messages are sent. Messages after the last
 * fate are answered.
 */
export class Fortune {
  readonly #fates: readonly MessageFate[];
  #dealt = 0;

  constructor(fates: readonly MessageFate[]) {
    this.#fates = fates;
  }

  /** From now on, all messages are answered. */
  end(): void {
    this.#dealt = this.#fates.length;
  }

  next(): MessageFate {
    this.#dealt += 1;
    return this.#fates[this.#dealt - 1] ?? 'answered';
  }
}

/** The connection of a process to the store. */
export interface Connection {
  /** Whether messages are carried out and answered in the order they were sent in, as on one connection to Redis. */
  readonly inOrder: boolean;
}

/** One process's connection to a remote store: every message takes time, and some fail. */
export class ChaosProvider implements Provider {
  readonly name = 'chaos';
  readonly #store: SharedStore;
  readonly #process: Process;
  readonly #interleaving: Interleaving;
  readonly #fortune: Fortune;
  readonly #connection: Connection;
  #lastArrival: Promise<void> = Promise.resolve();
  #lastAnswer: Promise<void> = Promise.resolve();

  constructor(
    store: SharedStore,
    process: Process,
    interleaving: Interleaving,
    fortune: Fortune,
    connection: Connection = { inOrder: false },
  ) {
    this.#store = store;
    this.#process = process;
    this.#interleaving = interleaving;
    this.#fortune = fortune;
    this.#connection = connection;
  }

  lookup(key: CacheKey, guard?: Guard): Promise<Lookup> {
    return this.#send('lookup', () => this.#store.lookup(key, guard));
  }

  /** What the process knows depends on the schedule, and the engine does not ask for it. */
  knownSequence(): Sequence {
    return NO_INVALIDATION;
  }

  store(entry: Entry): Promise<boolean> {
    return this.#send('store', () => this.#store.store(entry));
  }

  announce(tags: readonly Tag[]): Promise<Announcement> {
    return this.#send('announce', () => this.#store.announce(tags, this.#process));
  }

  invalidate(tags: readonly Tag[], announcement?: Announcement): Promise<Sequence> {
    return this.#send('invalidate', () => this.#store.invalidate(tags, announcement));
  }

  delete(key: CacheKey): Promise<boolean> {
    return this.#send('delete', () => this.#store.memory.delete(key));
  }

  summaries(question: SummaryQuestion): Iterable<readonly EntrySummary[]> {
    return this.#store.memory.summaries(question);
  }

  usage(): { entries: number; bytes: number; maxBytes: number } {
    return this.#store.memory.usage();
  }

  clear(): Promise<void> {
    return this.#send('clear', () => this.#store.memory.clear());
  }

  health(): Health {
    return this.#store.memory.health();
  }

  close(): void {
    // All processes share the store; the world closes it.
  }

  async #send<T>(name: string, carryOut: () => T): Promise<T> {
    this.#process.mustBeAlive();
    const fate = this.#fortune.next();
    if (fate === 'late') {
      void this.#interleaving.pause(`${name} arrives late`).then(carryOut);
      await this.#interleaving.pause(`${name} is given up`);
      throw new StoreUnreachable(`${name} timed out`);
    }
    if (fate === 'slow') await this.#interleaving.longPause(`${name} is on its way`);
    await this.#arrival(name);
    if (fate === 'lost') throw new StoreUnreachable(`${name} was lost`);
    const answer = carryOut();
    await this.#answer(name);
    this.#process.mustBeAlive();
    if (fate === 'unanswered') throw new StoreUnreachable(`the answer to ${name} was lost`);
    return answer;
  }

  #arrival(name: string): Promise<void> {
    const arrive = (): Promise<void> => this.#interleaving.pause(`${name} arrives`);
    if (!this.#connection.inOrder) return arrive();
    this.#lastArrival = this.#lastArrival.then(arrive);
    return this.#lastArrival;
  }

  #answer(name: string): Promise<void> {
    const answer = (): Promise<void> => this.#interleaving.pause(`${name} is answered`);
    if (!this.#connection.inOrder) return answer();
    this.#lastAnswer = this.#lastAnswer.then(answer);
    return this.#lastAnswer;
  }
}
