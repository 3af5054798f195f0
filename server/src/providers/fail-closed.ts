import { type EpochMilliseconds, systemClock } from '../cache/clock';
import { withDeadline } from '../cache/deadline';
import type { Entry } from '../cache/entry';
import type { EntrySummary, SummaryQuestion } from '../cache/entry-summary';
import type { CacheKey } from '../cache/key';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import { said } from '../cache/sentence';
import { isSequence, NO_INVALIDATION, type Sequence } from '../cache/sequence';
import type {
  Announcement,
  Health,
  Lookup,
  MaybePromise,
  Provider,
  ProviderEvents,
  SharedCounters,
  SharedLists,
} from '../cache/provider';
import { summariesOf } from '../cache/summaries-of';
import { withoutAddresses } from '../cache/without-addresses';
import { isEntry, isSummary } from './entry-shape';
import { Owed } from './owed';

/** How long the application's end waits for the provider to close. */
const LONGEST_CLOSE = milliseconds(10_000);

const OWED = said('store-owed')`an invalidation could not be delivered to the store yet`;

/** The store has not received an invalidation yet, so nothing is served from it. */
export class InvalidationOwed extends Error {
  constructor() {
    super('An invalidation has not reached the store yet; until it has, Strapi answers without the cache');
    this.name = 'InvalidationOwed';
  }
}

/** A provider returned something that the contract does not allow. */
class BrokenContract extends Error {
  constructor(provider: string, what: string) {
    super(`The provider "${provider}" returned ${what}; Strapi answers without the cache`);
    this.name = 'BrokenContract';
  }
}

/**
 * Wraps a provider that is not built in, whose methods may throw, reject or hang. A write never fails because of the
 * store: an invalidation that fails is owed, and until it has been delivered nothing is looked up or stored. Everything
 * the provider returns is checked before it is used: an invalid entry is deleted and counts as a miss.
 *
 * @param limit milliseconds that a write, or a request of the admin panel, waits for the store.
 */
export const failClosed = (provider: Provider, limit: Milliseconds, onError: (error: unknown) => void): Provider => {
  const { name, reportsSwept, isOfOneProcess, counters, lists, edge } = provider;
  const owed = new Owed();
  /** Since when invalidations have been owed; `undefined` if none are. */
  let owedSince: EpochMilliseconds | undefined;
  /** Entries that were found valid: providers that keep objects return the same ones again. */
  const proven = new WeakSet<object>();

  /** Runs an operation for `limit` at most. Synchronous throws become rejections. */
  const bounded = <T>(operation: () => MaybePromise<T>): Promise<T> => withDeadline((async () => operation())(), limit);

  const pay = async (): Promise<void> => {
    await owed
      .deliver((tags) => bounded(() => provider.invalidate(tags)))
      .catch((error: unknown) => {
        onError(error);
        throw new InvalidationOwed();
      });
    if (owed.size === 0) owedSince = undefined;
  };

  let paying: Promise<void> | undefined;

  /** Delivers owed invalidations, once for all who ask; rejects with {@link InvalidationOwed} if that fails again. */
  const payDebts = async (): Promise<void> => {
    // What is under way may lack the latest of them.
    await paying?.catch(() => undefined);
    if (owed.size > 0) await (paying ??= pay().finally(() => (paying = undefined)));
  };

  /** Runs what answers at once; `otherwise` is the answer where it throws. A promise is no answer, but may reject. */
  const attempt = <T>(operation: () => T, otherwise: T): T => {
    try {
      const answer = operation();
      if (isPromise(answer)) Promise.resolve(answer).catch(onError);
      return answer;
    } catch (error) {
      onError(error);
      return otherwise;
    }
  };

  const knownSequence = (): Sequence => {
    const known: unknown = attempt(() => provider.knownSequence(), undefined);
    return isSequence(known) ? known : NO_INVALIDATION;
  };

  const isProven = (entry: Entry): boolean => {
    if (proven.has(entry)) return true;
    if (!isEntry(entry)) return false;
    proven.add(entry);
    return true;
  };

  /** Deletes what is stored under this key; the lookup is a miss. */
  const discard = async (key: CacheKey): Promise<Lookup> => {
    onError(new BrokenContract(name, `an invalid entry under ${key}`));
    await bounded(() => provider.delete(key)).catch(onError);
    return { sequence: knownSequence() };
  };

  const proveLookup = (key: CacheKey, found: Lookup): MaybePromise<Lookup> => {
    const { entry, sequence } = (found ?? {}) as Partial<Lookup>;
    if (entry === undefined) {
      if (!isSequence(sequence)) throw new BrokenContract(name, 'neither an entry nor a sequence number');
      return found;
    }
    return isProven(entry) && entry.key === key ? found : discard(key);
  };

  async function* entries(): AsyncIterable<Entry> {
    for await (const entry of provider.entries?.() ?? []) if (isProven(entry)) yield entry;
  }

  /** The deadline applies to each slice, not to the whole enumeration. */
  async function* summaries(question: SummaryQuestion): AsyncIterable<readonly EntrySummary[]> {
    await payDebts();
    const steps = (async function* () {
      yield* provider.summaries?.(question) ?? summariesOf({ entries }, question);
    })();
    try {
      for (;;) {
        const { done, value } = await bounded(() => steps.next());
        if (done === true) return;
        yield value.filter((summary) => isSummary(summary, question.lists.length));
      }
    } finally {
      // Not awaited: if a generator hangs, its `return` hangs as well.
      void steps.return().catch(onError);
    }
  }

  return {
    name,
    reportsSwept: reportsSwept === true,
    isOfOneProcess: isOfOneProcess === true,
    ...(counters && { counters: provenCounters(counters, bounded) }),
    ...(lists && { lists: provenLists(lists, bounded) }),
    // Not wrapped: the edge can do without a ledger that fails.
    ...(edge && { edge }),
    ...(provider.holds && {
      holds: (guard) =>
        afterwards<unknown, boolean>(
          owed.size === 0 && provider.holds?.(guard),
          (answer) => answer === true && owed.size === 0,
        ),
    }),
    lookup: (key, guard) => {
      const ask = () => afterwards(provider.lookup(key, guard), (found) => proveLookup(key, found));
      return owed.size === 0 ? ask() : payDebts().then(ask);
    },
    ...(provider.lookupExpired && {
      lookupExpired: async (key) => {
        await payDebts();
        const found = await provider.lookupExpired?.(key);
        return found !== undefined && isProven(found) && found.key === key ? found : undefined;
      },
    }),
    knownSequence,
    store: async (entry) => {
      await payDebts();
      return (await provider.store(entry)) === true;
    },
    announce: async (tags) => {
      const answer: unknown = await bounded(() => provider.announce(tags)).catch(onError);
      return typeof answer === 'string' ? (answer as Announcement) : undefined;
    },
    invalidate: async (tags, announcement) => {
      const stamped = bounded(() => provider.invalidate(tags, announcement));
      const answer: unknown = await stamped.catch((error: unknown) => {
        owed.add(tags);
        owedSince ??= systemClock.now();
        onError(error);
      });
      return isSequence(answer) ? answer : knownSequence();
    },
    delete: async (key) => (await bounded(() => provider.delete(key))) === true,
    summaries,
    usage: async () => {
      const used = await bounded(() => provider.usage());
      const { entries: held, bytes, maxBytes } = used;
      return { entries: numberOr(held, 0), bytes: numberOr(bytes, 0), maxBytes: numberOr(maxBytes, undefined) };
    },
    // A failure only costs memory: whoever clears the store also stamps everything.
    clear: () => bounded(() => provider.clear()).catch(onError),
    health: () => {
      const known = provenHealth(attempt(() => provider.health(), undefined));
      return owedSince === undefined ? known : { state: 'down', since: owedSince, reason: OWED.text, sentence: OWED };
    },
    retire: () => attempt(() => provider.retire?.(), undefined),
    // The end of the application waits for it. What is owed then would never reach other instances.
    close: async () => {
      await payDebts().catch(() => undefined);
      await withDeadline((async () => provider.close())(), LONGEST_CLOSE).catch(onError);
    },
    leave: () => attempt(() => (owed.size === 0 ? provider.leave?.() : undefined), undefined),
  };
};

/** Whether this is a promise of any library. */
const isPromise = <T>(answer: MaybePromise<T>): answer is Promise<T> =>
  typeof (answer as Partial<Promise<T>> | null | undefined)?.then === 'function';

/** At once for an answer that is there, later for a promise. */
const afterwards = <T, R>(answer: MaybePromise<T>, next: (answer: T) => MaybePromise<R>): MaybePromise<R> =>
  isPromise(answer) ? Promise.resolve(answer).then(next) : next(answer);

/** A provider written in JavaScript may return nothing. */
const provenHealth = (told: unknown): Health => {
  const { state, since, reason } = Object(told) as Partial<Health>;
  // Some numbers are no time.
  const at = new Date(numberOr(since, 0)).getTime() || 0;
  if (state === 'up') return { state, since: at };
  const known = typeof reason === 'string' ? withoutAddresses(reason) : 'the provider gives no reason';
  return { state: 'down', since: at, reason: known };
};

const isText = (value: unknown): boolean => typeof value === 'string';

/** The callbacks for a provider that is not built in: it may report anything. What it says of a stamp is not lost. */
export const provenEvents = ({ evict, swept, invalidated, state }: ProviderEvents): ProviderEvents => ({
  evict: (keys: unknown) => evict?.(Array.isArray(keys) ? keys.filter(isText) : []),
  swept: (entry) => (isEntry(entry) ? swept?.(entry) : undefined),
  invalidated: (tags: unknown) => invalidated?.(Array.isArray(tags) && tags.every(isText) ? tags : undefined),
  state: (health) => state?.(provenHealth(health)),
});

const numberOr = <T>(value: unknown, otherwise: T): number | T =>
  typeof value === 'number' && Number.isFinite(value) ? value : otherwise;

type Bounded = <T>(operation: () => MaybePromise<T>) => Promise<T>;

const provenCounters = (counters: SharedCounters, bounded: Bounded): SharedCounters => ({
  add: (interval, increments, lifetime) => bounded(() => counters.add(interval, increments, lifetime)),
  read: async (intervals) => {
    const sums: readonly unknown[] = await bounded(() => counters.read(intervals));
    const isSum = ([, sum]: [string, unknown]): boolean => Number.isFinite(sum);
    return intervals.map((_, index) => Object.fromEntries(Object.entries(sums[index] ?? {}).filter(isSum)));
  },
});

const provenLists = (lists: SharedLists, bounded: Bounded): SharedLists => ({
  add: (list, ...texts) => bounded(() => lists.add(list, ...texts)),
  read: async (list) => {
    const texts: readonly unknown[] = await bounded(() => lists.read(list));
    return texts.filter((text): text is string => isText(text));
  },
});
