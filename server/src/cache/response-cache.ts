import type { Lookup, MaybePromise, Provider } from './provider';
import { type Clock, elapsed, type EpochMilliseconds } from './clock';
import { withDeadline } from './deadline';
import type { Entry } from './entry';
import { type Flight, Flights } from './flights';
import { isYoung, mayBeServed } from './freshness';
import type { CacheKey } from './key';
import { lruByText } from './lru-by-text';
import { milliseconds, type Milliseconds } from './milliseconds';
import { NoRoom } from './no-room';
import { RecentKeys } from './recent-keys';
import type { Sentence } from './sentence';
import type { Sequence } from './sequence';

/** Keys whose deletion is remembered, for what was being computed by then. Beyond it, every key counts as deleted then. */
const MAX_DELETED = 10_000;

/** How long a key is remembered without another answer that says the same: as Varnish does by default. */
export const UNSHARED_FOR = milliseconds(120_000);

const STORE_AWAY: Reason = { code: 'store-away', detail: 'store unavailable', isPassing: true };
const NO_ROOM: Reason = { code: 'no-room', detail: 'the store has no room for it', isPassing: true };
/** Something that the response was made of was written meanwhile. */
const CHANGED: Reason = { code: 'changed', detail: 'changed meanwhile', isPassing: true };
const SLOW: Reason = { code: 'slow', detail: 'took longer than its maxAge', isPassing: true };

/** A computed response that may be stored: everything of an entry that the engine does not know itself. */
export type StorableComputation = Pick<
  Entry,
  'response' | 'labels' | 'tags' | 'readElsewhere' | 'granted' | 'maxAge' | 'keptFor'
> & {
  /**
   * The sequence number noted before anything the response depends on was read; given only if that may have been before
   * the lookup.
   */
  readonly since?: Sequence | undefined;
  /** The key to store the entry under, if the response does not answer every request with the same key. */
  readonly key?: CacheKey | undefined;
};

/** Why a response is not stored, or the cache is bypassed: a code for programs, and a text for people. */
export interface Reason<Code extends string = string> {
  readonly code: Code;
  readonly detail: string;
  /** What the text names, or says besides the code: for other languages. */
  readonly about?: string | Sentence | undefined;
  /** Whether it lies in the moment (a failure, a client that has left), so that the next response may be storable. */
  readonly isPassing?: boolean | undefined;
}

/** @param about see {@link Reason}. */
export const because = (code: string, why: string | Sentence, about: Reason['about'] = why): Reason => ({
  code,
  detail: typeof why === 'string' ? why : why.text,
  about,
});

/** A computed response that may only be served to its own request, and why. */
export interface UnstorableComputation {
  readonly unstorable: Reason;
}

export type Computation = StorableComputation | UnstorableComputation;

/** Asks the origin. */
export type Compute = (isAlone: boolean) => Promise<Computation>;

/** Whether an entry that is older than its `maxAge`, or what has replaced it meanwhile, may be served. */
export type OnExpired = (entry: Entry) => MaybePromise<boolean>;

/** When a computation began, and how many deletions there had been by then. */
interface Begun {
  readonly at: EpochMilliseconds;
  readonly deletions: number;
}

/** How a request was answered. */
export type Resolution =
  /** From the store, or (`collapsed`) from a computation another request had begun. `expired`: older than its maxAge. */
  | { readonly kind: 'hit'; readonly entry: Entry; readonly collapsed: boolean; readonly expired?: boolean }
  /**
   * Computed for this request and offered to the store. `refused` says why the store did not keep the entry;
   * `outdated` is true if no other request may be given it.
   */
  | { readonly kind: 'miss'; readonly entry: Entry; readonly refused?: Reason | undefined; readonly outdated: boolean }
  /** Computed for this request and not stored. `cost`: how long the computation took, in milliseconds. */
  | { readonly kind: 'uncached'; readonly reason: Reason; readonly cost: Milliseconds };

export type Hit = Extract<Resolution, { kind: 'hit' }>;

export interface ResponseCacheSettings {
  readonly provider: Provider;
  readonly clock: Clock;
  /** How long the store may take before the origin answers instead. */
  readonly getTimeout: Milliseconds;
  /** Called with every failure of the store; the request is answered without it. */
  readonly onStoreError: (error: unknown) => void;
}

/**
 * Answers requests from a provider and hands the rest to the origin, one computation per key at a time. Fails open on
 * availability (the origin answers when the store cannot) and closed on freshness (nothing is stored whose sequence
 * number is not known).
 */
export class ResponseCache {
  readonly #settings: ResponseCacheSettings;
  readonly #flights: Flights;
  /**
   * The keys whose latest answer was not storable (hit-for-miss). Nobody is to wait for a computation under such a key,
   * because each waiting request would have to compute its own answer after it.
   */
  readonly #unshared: RecentKeys;
  /** The number of the deletion of each key; those that were forgotten count as deletions of every key. */
  readonly #deleted = lruByText<CacheKey, number>(MAX_DELETED, undefined, (number) => (this.#allDeleted = number));
  #allDeleted = 0;
  #deletions = 0;

  constructor(settings: ResponseCacheSettings) {
    this.#settings = settings;
    this.#flights = new Flights(settings.clock);
    this.#unshared = new RecentKeys(settings.clock, UNSHARED_FOR);
  }

  /**
   * @param compute asks the origin, for this very request; called at most once. It is told whether the request neither
   * waits for another nor is waited for, because the latest answer under its key was not storable.
   * @param onExpired left out where no entry is served that is older than its `maxAge`.
   * @throws what `compute` throws.
   */
  resolve(key: CacheKey, compute: Compute, onExpired?: OnExpired): Promise<Resolution> {
    // Every promise saved counts: a store that answers synchronously is not awaited.
    const lookup = this.#lookup(key);
    return lookup instanceof Promise
      ? lookup.then((found) => this.#proceed(key, found, compute, onExpired))
      : this.#proceed(key, lookup, compute, onExpired);
  }

  /**
   * Asks the origin although there is an entry, because the caller may not be given that. What may be stored replaces it.
   *
   * @throws what `compute` throws.
   */
  async replace(key: CacheKey, compute: Compute): Promise<Resolution> {
    const sequence = await this.#asked<Sequence | undefined>(() => this.#settings.provider.knownSequence(), nothing);
    if (sequence === undefined) return this.#computeUnkept(compute);
    const begun = this.#begin();
    return this.#finish(key, sequence, begun, await compute(false));
  }

  /**
   * The hit under `key`, if there is one. For HEAD requests, which compute nothing themselves.
   *
   * @param onExpired as for {@link resolve}.
   */
  async peek(key: CacheKey, onExpired?: OnExpired): Promise<Hit | undefined> {
    const lookup = await this.#lookup(key);
    if (lookup?.entry !== undefined) return { kind: 'hit', entry: lookup.entry, collapsed: false };
    if (lookup === undefined || onExpired === undefined) return undefined;
    const old = await this.#expired(key);
    return old && ((await this.#served(old, onExpired)) ?? this.peek(key));
  }

  /** Deletes an entry. What this process is computing under its key by then is neither stored nor shared. */
  delete(key: CacheKey): MaybePromise<boolean> {
    this.#deletions += 1;
    this.#deleted.set(key, this.#deletions);
    return this.#settings.provider.delete(key);
  }

  /** Notes why the answer under `key` is not storable, where `compute` is going to throw and cannot say so itself. */
  noteUnstorable(key: CacheKey, { isPassing = false }: Reason): void {
    if (!isPassing) this.#unshared.add(key);
  }

  /** `undefined` where the store cannot be asked. */
  #lookup(key: CacheKey): MaybePromise<Lookup | undefined> {
    return this.#asked<Lookup | undefined>(() => this.#settings.provider.lookup(key), nothing);
  }

  #proceed(
    key: CacheKey,
    lookup: Lookup | undefined,
    compute: Compute,
    onExpired: OnExpired | undefined,
  ): Promise<Resolution> {
    if (lookup === undefined) return this.#computeUnkept(compute);
    if (lookup.entry !== undefined) return Promise.resolve({ kind: 'hit', entry: lookup.entry, collapsed: false });
    return onExpired === undefined
      ? this.#miss(key, lookup, compute)
      : this.#orExpired(key, lookup, compute, onExpired);
  }

  async #orExpired(
    key: CacheKey,
    lookup: Extract<Lookup, { sequence: Sequence }>,
    compute: Compute,
    onExpired: OnExpired,
  ): Promise<Resolution> {
    const old = await this.#expired(key);
    if (old === undefined) return this.#miss(key, lookup, compute);
    return (await this.#served(old, onExpired)) ?? this.resolve(key, compute);
  }

  /** What is served is unstamped at that moment: the store is asked anew where the decision took time. */
  async #served(old: Entry, onExpired: OnExpired): Promise<Hit | undefined> {
    const deciding = onExpired(old);
    if (!(await deciding)) return undefined;
    const entry = deciding instanceof Promise ? await this.#expired(old.key) : old;
    return entry && { kind: 'hit', entry, collapsed: false, expired: true };
  }

  #expired(key: CacheKey): MaybePromise<Entry | undefined> {
    return this.#asked<Entry | undefined>(() => this.#settings.provider.lookupExpired?.(key), nothing);
  }

  #miss(key: CacheKey, lookup: Extract<Lookup, { sequence: Sequence }>, compute: Compute): Promise<Resolution> {
    if (this.#unshared.has(key)) return this.#computeAlone(key, lookup.sequence, compute);
    const flight = this.#flights.joinable(key, lookup.sequence);
    return flight === undefined
      ? this.#lead(key, lookup.sequence, compute)
      : this.#join(flight, key, lookup.sequence, compute);
  }

  async #computeUnkept(compute: Compute): Promise<Resolution> {
    const begun = this.#begin();
    const computation = await compute(false);
    return this.#unkept('unstorable' in computation ? computation.unstorable : STORE_AWAY, begun);
  }

  async #computeAlone(key: CacheKey, sequence: Sequence, compute: Compute): Promise<Resolution> {
    const begun = this.#begin();
    return this.#finish(key, sequence, begun, await compute(true));
  }

  #begin(): Begun {
    return { at: this.#settings.clock.now(), deletions: this.#deletions };
  }

  #unkept(reason: Reason, { at }: Begun): Extract<Resolution, { kind: 'uncached' }> {
    return { kind: 'uncached', reason, cost: elapsed(this.#settings.clock, at) };
  }

  async #join(flight: Flight, key: CacheKey, sequence: Sequence, compute: Compute): Promise<Resolution> {
    const joinedAt = this.#settings.clock.now();
    const entry = await flight.landed();
    // The computation may have run for longer than the entry's maxAge when this request joined it.
    if (entry !== undefined && isYoung(entry, joinedAt)) return { kind: 'hit', entry, collapsed: true };
    const begun = this.#begin();
    return this.#finish(key, sequence, begun, await compute(false));
  }

  async #lead(key: CacheKey, sequence: Sequence, compute: Compute): Promise<Resolution> {
    const land = this.#flights.open(key, sequence);
    let landed: Entry | undefined;
    try {
      const begun = this.#begin();
      const finished = this.#finish(key, sequence, begun, await compute(false));
      const resolution = finished instanceof Promise ? await finished : finished;
      if (resolution.kind === 'miss' && !resolution.outdated && resolution.entry.key === key) landed = resolution.entry;
      return resolution;
    } finally {
      land(landed);
    }
  }

  /** Offers what was computed to the store. */
  #finish(
    key: CacheKey,
    sequence: Sequence,
    begun: Begun,
    computation: Computation,
  ): MaybePromise<Exclude<Resolution, Hit>> {
    if ('unstorable' in computation) {
      this.noteUnstorable(key, computation.unstorable);
      return this.#unkept(computation.unstorable, begun);
    }
    this.#unshared.delete(key);
    const { since = sequence, ...storable } = computation;
    const isOlder = since < sequence;
    const isDeleted = Math.max(this.#allDeleted, this.#deleted.peek(storable.key ?? key) ?? 0) > begun.deletions;
    const entry: Entry = {
      ...storable,
      key: storable.key ?? key,
      sequence: isOlder ? since : sequence,
      createdAt: begun.at,
      cost: elapsed(this.#settings.clock, begun.at),
    };
    const offered = (answer: boolean | Reason): Exclude<Resolution, Hit> => {
      if (answer === true) return { kind: 'miss', entry, outdated: false };
      // What was read before the lookup may have been stamped before it.
      const refused = mayBeServed(entry, this.#settings.clock.now()) ? CHANGED : SLOW;
      return { kind: 'miss', entry, refused: answer === false ? refused : answer, outdated: isOlder || isDeleted };
    };
    const store = (): MaybePromise<boolean> => !isDeleted && this.#settings.provider.store(entry);
    const answer = this.#asked<boolean | Reason>(store, whyNotStored);
    return answer instanceof Promise ? answer.then(offered) : offered(answer);
  }

  /** The store's answer; what `otherwise` returns if the store fails or takes longer than `getTimeout`. */
  #asked<T>(ask: () => MaybePromise<T>, otherwise: (error: unknown) => T): MaybePromise<T> {
    const failed = (error: unknown): T => {
      this.#settings.onStoreError(error);
      return otherwise(error);
    };
    try {
      const answer = ask();
      return answer instanceof Promise ? withDeadline(answer, this.#settings.getTimeout).catch(failed) : answer;
    } catch (error) {
      return failed(error);
    }
  }
}

const nothing = (): undefined => undefined;

const whyNotStored = (error: unknown): Reason => (error instanceof NoRoom ? NO_ROOM : STORE_AWAY);
