import { withDeadline } from '../cache/deadline';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { Milliseconds } from '../cache/milliseconds';
import { NO_INVALIDATION, type Sequence } from '../cache/sequence';
import { EVERYTHING, type Tag } from '../cache/tag';
import type { Announcement, Guard, Health, Lookup, MaybePromise, Provider } from './contract';

/** Nothing is served from a store that has not been told of a write. */
export class InvalidationOwed extends Error {
  constructor() {
    super('The store has not taken an invalidation yet; the origin answers until it has');
    this.name = 'InvalidationOwed';
  }
}

/** More failed invalidations than this are owed as one: everything. */
const MAX_DEBTS = 1000;

/**
 * Stands between the plugin and a provider of somebody else's, whose methods may throw, reject or hang. A write never
 * fails because of the store: what could not be stamped is owed, and until it has been delivered nothing is looked up
 * or stored.
 */
export class FailClosedProvider implements Provider {
  readonly name: string;
  readonly reportsSwept: boolean;
  readonly #provider: Provider;
  readonly #limit: Milliseconds;
  readonly #onError: (error: unknown) => void;
  /** What each failed invalidation was to stamp. */
  readonly #debts = new Set<readonly Tag[]>();
  readonly counters?: NonNullable<Provider['counters']>;
  readonly knownSequence?: () => Sequence;
  readonly awaitEntry?: NonNullable<Provider['awaitEntry']>;
  readonly release?: NonNullable<Provider['release']>;
  readonly holds?: NonNullable<Provider['holds']>;

  /** @param limit how long a write waits for the store. */
  constructor(provider: Provider, limit: Milliseconds, onError: (error: unknown) => void) {
    this.name = provider.name;
    this.reportsSwept = provider.reportsSwept === true;
    if (provider.counters !== undefined) this.counters = provider.counters;
    this.#provider = provider;
    this.#limit = limit;
    this.#onError = onError;
    if (provider.knownSequence !== undefined) this.knownSequence = () => provider.knownSequence?.() ?? NO_INVALIDATION;
    if (provider.release !== undefined) this.release = (key) => provider.release?.(key);
    if (provider.holds !== undefined)
      this.holds = (guard) => this.#debts.size === 0 && provider.holds?.(guard) === true;
    const awaitEntry = provider.awaitEntry?.bind(provider);
    if (awaitEntry !== undefined) {
      this.awaitEntry = async (key, lease, limit_) => {
        await this.#settle();
        return awaitEntry(key, lease, limit_);
      };
    }
  }

  lookup(key: CacheKey, guard?: Guard, lease?: Milliseconds): MaybePromise<Lookup> {
    const ask = (): MaybePromise<Lookup> => this.#provider.lookup(key, guard, lease);
    return this.#debts.size === 0 ? ask() : this.#settle().then(ask);
  }

  sequence(): MaybePromise<Sequence> {
    return this.#provider.sequence();
  }

  store(entry: Entry): MaybePromise<boolean> {
    const ask = (): MaybePromise<boolean> => this.#provider.store(entry);
    return this.#debts.size === 0 ? ask() : this.#settle().then(ask);
  }

  isStamped(tags: readonly Tag[], since: Sequence): MaybePromise<boolean> {
    return this.#debts.size > 0 || this.#provider.isStamped(tags, since);
  }

  async announce(tags: readonly Tag[]): Promise<Announcement | undefined> {
    try {
      return await this.#bounded(() => this.#provider.announce(tags));
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }

  async invalidate(tags: readonly Tag[], announcement?: Announcement): Promise<Sequence> {
    try {
      return await this.#bounded(() => this.#provider.invalidate(tags, announcement));
    } catch (error) {
      this.#owe(tags);
      this.#onError(error);
      return this.knownSequence?.() ?? NO_INVALIDATION;
    }
  }

  delete(key: CacheKey): MaybePromise<boolean> {
    return this.#provider.delete(key);
  }

  async *entries(): AsyncIterable<Entry> {
    await this.#settle();
    yield* this.#provider.entries();
  }

  usage(): ReturnType<Provider['usage']> {
    return this.#provider.usage();
  }

  clear(): MaybePromise<void> {
    return this.#provider.clear();
  }

  health(): Health {
    return this.#provider.health();
  }

  close(): MaybePromise<void> {
    return this.#provider.close();
  }

  /** Delivers what is owed; throws {@link InvalidationOwed} where that fails once more. */
  async #settle(): Promise<void> {
    const debts = [...this.#debts];
    if (debts.length === 0) return;
    try {
      await this.#bounded(() => this.#provider.invalidate([...new Set(debts.flat())]));
    } catch (error) {
      this.#onError(error);
      throw new InvalidationOwed();
    }
    // Only what was sent is paid: a write may have failed to stamp the same tags meanwhile.
    for (const debt of debts) this.#debts.delete(debt);
  }

  #owe(tags: readonly Tag[]): void {
    if (this.#debts.size >= MAX_DEBTS) {
      this.#debts.clear();
      this.#debts.add([EVERYTHING]);
    } else {
      this.#debts.add([...tags]);
    }
  }

  /** Synchronous throws become rejections, and nothing takes longer than it may. */
  async #bounded<T>(operation: () => MaybePromise<T>): Promise<T> {
    return withDeadline((async () => operation())(), this.#limit);
  }
}
