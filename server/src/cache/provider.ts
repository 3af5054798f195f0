import type { ChangedDocument, EdgeDebt, EdgeKey } from './edge-purge';
import type { Entry } from './entry';
import type { EntrySummary, SummaryQuestion } from './entry-summary';
import type { CacheKey } from './key';
import type { Milliseconds } from './milliseconds';
import type { Sentence } from './sentence';
import type { Sequence } from './sequence';
import type { Tag } from './tag';

/** Providers that hold everything in this process answer synchronously; a hit then costs no turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>;

/** The answer to one question: is there a valid entry, and if not, at which sequence number may I start computing? */
export type Lookup =
  | { readonly entry: Entry; readonly sequence?: undefined }
  | { readonly entry?: undefined; readonly sequence: Sequence };

/** Identifies a write that was announced before its commit; see {@link Provider.announce}. */
export type Announcement = string & { readonly __brand: 'announcement' };

/** A further condition for serving an entry: none of `tags` was stamped after `since`. */
export interface Guard {
  readonly tags: readonly Tag[];
  readonly since: Sequence;
  /**
   * For the provider's own use: marks, for example by a sequence number, when the provider last found that the guard
   * holds. Until the next invalidation the guard need not be checked again.
   */
  verifiedAt?: number;
}

/** Whether the provider can be asked right now. */
export interface Health {
  readonly state: 'up' | 'down';
  /** When this state began, in milliseconds since the epoch. */
  readonly since: number;
  /** When down: why, in one sentence without credentials. */
  readonly reason?: string;
  /** The same, for the admin panel to translate. */
  readonly sentence?: Sentence;
}

/**
 * Sums to which all processes of an application add, so that there is one history of metrics for all of them. An
 * interval is named by any short text (`minute:29399812`); its sums are whole numbers by name.
 */
export interface SharedCounters {
  /** Adds to an interval's sums, which are forgotten once nothing has been added for `lifetime`. */
  add(interval: string, increments: Readonly<Record<string, number>>, lifetime: Milliseconds): MaybePromise<void>;
  /** The sums of each interval, in the order of `intervals`; `{}` where nothing was added. */
  read(intervals: readonly string[]): MaybePromise<ReadonlyArray<Readonly<Record<string, number>>>>;
}

/** Short lists to which all processes of an application add. Every process sees them, also after a restart. */
export interface SharedLists {
  /**
   * Adds texts, the latest last. The list keeps the latest `limit` texts, and is forgotten once nothing has been added
   * for `lifetime`.
   */
  add(list: string, texts: readonly string[], limit: number, lifetime: Milliseconds): MaybePromise<void>;
  /** The texts of a list, latest first; empty where nothing was added. */
  read(list: string): MaybePromise<readonly string[]>;
}

/**
 * Notes which keys the processes of an application have issued to caches at the edge, and which keys those caches
 * still have to purge. Whatever the ledger forgets counts as issued, or as still to be purged.
 */
export interface EdgeLedger {
  /**
   * Called before a response with these keys is sent: notes the keys as issued. Resolves to `false` if the edge
   * must not keep the response, because one of the guards no longer holds. Called with every hit, so for keys that are
   * known to be noted it has to return at once.
   */
  issueKeys(keys: readonly EdgeKey[], guards: readonly Guard[]): MaybePromise<boolean>;
  /**
   * Notes that a write concerns these keys. Called when the write is announced and again, with the same `id`, when it
   * is stamped; the later call counts. Resolves to what has to be purged before the write is acknowledged: those of the
   * keys that were issued, and `EVERY_ANSWER` if everything is still to be purged.
   */
  owe(id: string, keys: readonly EdgeKey[], documents: readonly ChangedDocument[]): MaybePromise<readonly EdgeDebt[]>;
  /**
   * The debts of all processes that have not been settled for `minAge`, and `EVERY_ANSWER` if everything is still to be
   * purged, unless another process was told so within `minAge`.
   */
  owed(minAge: Milliseconds): MaybePromise<readonly EdgeDebt[]>;
  /** Called when all targets have purged the keys of this debt. */
  settle(id: string): MaybePromise<void>;
}

/** Callbacks by which a provider reports to its process. Each may be missing. */
export interface ProviderEvents {
  /** Entries were evicted to make room, not because they were outdated. */
  evict?: (keys: readonly CacheKey[]) => void;
  /** A dead entry was found and freed. */
  swept?: (entry: Entry) => void;
  /** Another process stamped these tags (`undefined`: everything). Providers of one process never call it. */
  invalidated?: (tags: readonly Tag[] | undefined) => void;
  state?: (health: Health) => void;
}

/**
 * Where entries, stamps and the sequence number live. The contract in one paragraph: `lookup` returns only entries
 * that {@link isFresh} holds for; `invalidate` takes the next sequence number and stamps every tag with it before it
 * resolves; `store` keeps nothing that is already dead. Any method may throw or reject when the store cannot be asked;
 * the engine then lets the origin answer.
 */
export interface Provider {
  readonly name: string;
  /** Whether `events.swept` is called, sooner or later, for every entry that an invalidation has made stale. */
  readonly reportsSwept?: boolean;
  /** Whether this process made every entry of the store, so that none depends on a table the process has never read. */
  readonly isOfOneProcess?: boolean;
  /** `counters` and `lists` are for stores that several processes share. */
  readonly counters?: SharedCounters;
  readonly lists?: SharedLists;
  /** Without a ledger, caches at the edge are sent every key of each write. */
  readonly edge?: EdgeLedger;
  /**
   * The valid entry under `key`, or the current sequence number, which the caller needs to compute one.
   * With a guard, an entry is returned only if the guard holds too; a failed guard is a miss.
   */
  lookup(key: CacheKey, guard?: Guard): MaybePromise<Lookup>;
  /**
   * The entry under `key` that is older than its `maxAge` but within `keptFor`, and none of whose tags was stamped; see
   * {@link isExpiredButKept}. A provider without this method keeps nothing beyond its `maxAge`.
   */
  lookupExpired?(key: CacheKey): MaybePromise<Entry | undefined>;
  /** The latest sequence number this process knows without asking the store. Never higher than the current one. */
  knownSequence(): Sequence;
  /**
   * Stores an entry unless one of its tags was stamped after its sequence number. Resolves to whether it was stored.
   */
  store(entry: Entry): MaybePromise<boolean>;
  /**
   * Whether a guard holds; `false` where that is not known. Providers that would have to look up each of its tags leave
   * this method out; callers are then authenticated anew for every request that reaches the router.
   */
  holds?(guard: Guard): MaybePromise<boolean>;
  /**
   * Called before a commit: announces that `tags` are about to change, so that a process that dies between its commit
   * and its stamp leaves nothing stale behind. Providers whose entries die with the process do nothing and return
   * `undefined`.
   */
  announce(tags: readonly Tag[]): MaybePromise<Announcement | undefined>;
  /**
   * Called after the commit, even if it failed, since it may have reached the database nevertheless. Stamps `tags` with
   * the next sequence number and closes the announcement.
   */
  invalidate(tags: readonly Tag[], announcement?: Announcement): MaybePromise<Sequence>;
  delete(key: CacheKey): MaybePromise<boolean>;
  /**
   * Summaries of the entries that the question concerns and that may be served (valid ones, and those that
   * `lookupExpired` returns), for statistics, the admin panel and purges by key. They come in slices
   * of any length, also empty ones, of which each takes a few milliseconds at most: between two of them, everything
   * else has its turn. Bodies are not touched. A provider without this method has `entries`.
   */
  summaries?(question: SummaryQuestion): AsyncIterable<readonly EntrySummary[]> | Iterable<readonly EntrySummary[]>;
  /** Every entry that may be served. Asked only where there is no `summaries`, which costs less. */
  entries?(): AsyncIterable<Entry> | Iterable<Entry>;
  /** Numbers of entries and bytes held, from counters; may include dead entries not yet swept. */
  usage(): MaybePromise<{ readonly entries: number; readonly bytes: number; readonly maxBytes: number | undefined }>;
  /** Forgets every entry of this application, and nothing else in a shared store. */
  clear(): MaybePromise<void>;
  health(): Health;
  /**
   * Called when the application is about to stop. From then on nothing has to be served or stored, but writes continue
   * for a while: `announce` and `invalidate` are called until `close`.
   */
  retire?(): void;
  /** Called after the last write. */
  close(): MaybePromise<void>;
  /** Called instead of `close` when the process ends at once: only what is done before it returns is done. */
  leave?(): void;
}

/** The settings that every provider is created with. */
export interface ProviderSettings {
  /** `strategy.keysPrefix`: separates applications that share a store. */
  readonly keysPrefix: string;
  /** `provider.getTimeout`: the deadline of every single operation. */
  readonly getTimeout: Milliseconds;
  /** Changes whenever anything that shapes entries changes: code, versions, content types, schema, configuration. */
  readonly fingerprint: string;
  /** Changes whenever the database is migrated or its schema changes, for all instances at once. */
  readonly database: string;
  readonly events: ProviderEvents;
}
