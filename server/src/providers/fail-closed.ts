import { type EpochMilliseconds, systemClock } from '../cache/clock';
import { withDeadline } from '../cache/deadline';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { Milliseconds } from '../cache/milliseconds';
import { isSequence, NO_INVALIDATION, type Sequence } from '../cache/sequence';
import { EVERYTHING, type Tag } from '../cache/tag';
import type {
  Announcement,
  Guard,
  Health,
  Lookup,
  MaybePromise,
  Provider,
  SharedCounters,
  SharedLists,
} from '../cache/provider';
import { isEntry } from './entry-shape';

/** Nothing is served from a store that has not been told of a write. */
export class InvalidationOwed extends Error {
  constructor() {
    super('The store has not taken an invalidation yet; the origin answers until it has');
    this.name = 'InvalidationOwed';
  }
}

/** What a provider returned is not what the contract says it returns. */
class BrokenContract extends Error {
  constructor(provider: string, what: string) {
    super(`The provider "${provider}" returned ${what}; the origin answers`);
    this.name = 'BrokenContract';
  }
}

/** More failed invalidations than this are owed as one: everything. */
const MAX_DEBTS = 1000;

/**
 * Stands between the plugin and a provider of somebody else's, whose methods may throw, reject or hang. A write never
 * fails because of the store: what could not be stamped is owed, and until it has been delivered nothing is looked up
 * or stored. Whatever it returns is looked at before it is used: an entry that is none is deleted and missed.
 */
export class FailClosedProvider implements Provider {
  readonly name: string;
  readonly reportsSwept: boolean;
  readonly isOfOneProcess: boolean;
  readonly #provider: Provider;
  readonly #limit: Milliseconds;
  readonly #onError: (error: unknown) => void;
  /** What each failed invalidation was to stamp. */
  readonly #debts = new Set<readonly Tag[]>();
  /** Since when there have been debts, if there are any. */
  #owedSince: EpochMilliseconds | undefined;
  /** Entries that have been looked at: providers that keep objects return the same ones again. */
  readonly #proven = new WeakSet<object>();
  readonly counters?: NonNullable<Provider['counters']>;
  readonly lists?: NonNullable<Provider['lists']>;
  readonly edge?: NonNullable<Provider['edge']>;
  readonly awaitEntry?: NonNullable<Provider['awaitEntry']>;
  readonly release?: NonNullable<Provider['release']>;
  readonly holds?: NonNullable<Provider['holds']>;

  /** @param limit how long a write waits for the store, and a person who asks what is in it. */
  constructor(provider: Provider, limit: Milliseconds, onError: (error: unknown) => void) {
    this.name = provider.name;
    this.reportsSwept = provider.reportsSwept === true;
    this.isOfOneProcess = provider.isOfOneProcess === true;
    if (provider.counters !== undefined) this.counters = provenCounters(provider.counters, limit);
    if (provider.lists !== undefined) this.lists = provenLists(provider.lists, limit);
    // The edge itself goes on without one that fails.
    if (provider.edge !== undefined) this.edge = provider.edge;
    this.#provider = provider;
    this.#limit = limit;
    this.#onError = onError;
    if (provider.release !== undefined) this.release = (key) => provider.release?.(key);
    if (provider.holds !== undefined)
      this.holds = (guard) => this.#debts.size === 0 && provider.holds?.(guard) === true;
    const awaitEntry = provider.awaitEntry?.bind(provider);
    if (awaitEntry !== undefined) {
      this.awaitEntry = async (key, lease, limit_) => {
        await this.#payDebts();
        return this.#proveLookup(key, await awaitEntry(key, lease, limit_));
      };
    }
  }

  lookup(key: CacheKey, guard?: Guard, lease?: Milliseconds): MaybePromise<Lookup> {
    const ask = (): MaybePromise<Lookup> => {
      const found = this.#provider.lookup(key, guard, lease);
      return isPromise(found)
        ? Promise.resolve(found).then((later) => this.#proveLookup(key, later))
        : this.#proveLookup(key, found);
    };
    return this.#debts.size === 0 ? ask() : this.#payDebts().then(ask);
  }

  knownSequence(): Sequence {
    const known: unknown = this.#provider.knownSequence();
    return isSequence(known) ? known : NO_INVALIDATION;
  }

  async store(entry: Entry): Promise<boolean> {
    await this.#payDebts();
    return (await this.#provider.store(entry)) === true;
  }

  async announce(tags: readonly Tag[]): Promise<Announcement | undefined> {
    const answer: unknown = await this.#bounded(() => this.#provider.announce(tags)).catch(this.#onError);
    return typeof answer === 'string' ? (answer as Announcement) : undefined;
  }

  async invalidate(tags: readonly Tag[], announcement?: Announcement): Promise<Sequence> {
    const stamped = this.#bounded(() => this.#provider.invalidate(tags, announcement));
    const answer: unknown = await stamped.catch((error: unknown) => {
      this.#owe(tags);
      this.#onError(error);
    });
    return isSequence(answer) ? answer : this.knownSequence();
  }

  async delete(key: CacheKey): Promise<boolean> {
    return (await this.#bounded(() => this.#provider.delete(key))) === true;
  }

  /** Each entry has to come in time, not all of them. */
  async *entries(): AsyncIterable<Entry> {
    await this.#payDebts();
    const entries = this.#provider.entries();
    const steps: AsyncIterator<Entry> | Iterator<Entry> =
      Symbol.asyncIterator in entries ? entries[Symbol.asyncIterator]() : entries[Symbol.iterator]();
    try {
      for (;;) {
        const { done, value } = await this.#bounded<IteratorResult<Entry, unknown>>(() => steps.next());
        if (done === true) return;
        if (this.#isProven(value)) yield value;
      }
    } finally {
      // Not waited for: of a generator that hangs, the end hangs as well.
      void (async () => steps.return?.())().catch(this.#onError);
    }
  }

  async usage(): Promise<Awaited<ReturnType<Provider['usage']>>> {
    const { entries, bytes, maxBytes } = await this.#bounded(() => this.#provider.usage());
    return { entries: numberOr(entries, 0), bytes: numberOr(bytes, 0), maxBytes: numberOr(maxBytes, undefined) };
  }

  /** Costs room where it fails, no more: what is cleared has been invalidated before. */
  async clear(): Promise<void> {
    await this.#bounded(() => this.#provider.clear()).catch(this.#onError);
  }

  health(): Health {
    const { state, since, reason } = this.#provider.health();
    const at = numberOr(since, 0);
    if (this.#owedSince !== undefined)
      return { state: 'down', since: this.#owedSince, reason: 'it has not taken an invalidation yet' };
    if (state === 'up') return { state, since: at };
    return { state: 'down', since: at, reason: typeof reason === 'string' ? reason : 'the provider does not say why' };
  }

  retire(): void {
    this.#provider.retire?.();
  }

  close(): MaybePromise<void> {
    return this.#provider.close();
  }

  #proveLookup(key: CacheKey, found: Lookup): MaybePromise<Lookup> {
    const { entry, sequence } = (found ?? {}) as Partial<Lookup>;
    if (entry === undefined) {
      if (!isSequence(sequence)) throw new BrokenContract(this.name, 'neither an entry nor a sequence number');
      return found;
    }
    if (this.#isProven(entry) && entry.key === key) return found;
    return this.#discard(key);
  }

  #isProven(entry: Entry): boolean {
    if (this.#proven.has(entry)) return true;
    if (!isEntry(entry)) return false;
    this.#proven.add(entry);
    return true;
  }

  /** One damaged entry costs that entry. */
  async #discard(key: CacheKey): Promise<Lookup> {
    this.#onError(new BrokenContract(this.name, `something under ${key} that is no entry`));
    await this.#bounded(() => this.#provider.delete(key)).catch(this.#onError);
    return { sequence: this.knownSequence() };
  }

  /** Delivers what is owed; throws {@link InvalidationOwed} where that fails once more. */
  async #payDebts(): Promise<void> {
    const debts = [...this.#debts];
    if (debts.length === 0) return;
    await this.#bounded(() => this.#provider.invalidate([...new Set(debts.flat())])).catch((error: unknown) => {
      this.#onError(error);
      throw new InvalidationOwed();
    });
    // Only what was sent is paid: a write may have failed to stamp the same tags meanwhile.
    for (const debt of debts) this.#debts.delete(debt);
    if (this.#debts.size === 0) this.#owedSince = undefined;
  }

  #owe(tags: readonly Tag[]): void {
    const isTooMuch = this.#debts.size >= MAX_DEBTS;
    if (isTooMuch) this.#debts.clear();
    this.#debts.add(isTooMuch ? [EVERYTHING] : [...tags]);
    this.#owedSince ??= systemClock.now();
  }

  /** Synchronous throws become rejections, and nothing takes longer than it may. */
  async #bounded<T>(operation: () => MaybePromise<T>): Promise<T> {
    return withDeadline((async () => operation())(), this.#limit);
  }
}

/** Of whatever library. */
const isPromise = <T>(value: MaybePromise<T>): value is Promise<T> =>
  typeof (value as Partial<Promise<T>> | null)?.then === 'function';

const numberOr = <T>(value: unknown, otherwise: T): number | T =>
  typeof value === 'number' && Number.isFinite(value) ? value : otherwise;

const provenCounters = (counters: SharedCounters, limit: Milliseconds): SharedCounters => ({
  add: (interval, increments, lifetime) => counters.add(interval, increments, lifetime),
  read: async (intervals) => {
    const sums: readonly unknown[] = await withDeadline((async () => counters.read(intervals))(), limit);
    const isSum = ([, sum]: [string, unknown]): boolean => Number.isFinite(sum);
    return intervals.map((_, index) => Object.fromEntries(Object.entries(sums[index] ?? {}).filter(isSum)));
  },
});

const provenLists = (lists: SharedLists, limit: Milliseconds): SharedLists => ({
  add: (list, ...texts) => withDeadline((async () => lists.add(list, ...texts))(), limit),
  read: async (list) => {
    const texts: readonly unknown[] = await withDeadline((async () => lists.read(list))(), limit);
    return texts.filter((text) => typeof text === 'string');
  },
});
