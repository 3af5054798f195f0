import type { ChangedDocument, EdgeDebt, EdgeKey } from './edge-purge';
import type { Entry } from './entry';
import type { CacheKey } from './key';
import type { Milliseconds } from './milliseconds';
import type { Sequence } from './sequence';
import type { Tag } from './tag';

/** Providers that hold everything in this process answer at once; a hit then costs no turn of the event loop. */
export type MaybePromise<T> = T | Promise<T>;

/** The answer to one question: is there a valid entry, and if not, at which sequence number may I start computing? */
export type Lookup =
  | { readonly entry: Entry; readonly sequence?: undefined }
  | { readonly entry?: undefined; readonly sequence: Sequence };

/** Handle of writes announced before their commit; see {@link Provider.announce}. */
export type Announcement = string & { readonly __brand: 'announcement' };

/** What else must still hold for an entry to be served: nothing in `tags` stamped after `since`. */
export interface Guard {
  readonly tags: readonly Tag[];
  readonly since: Sequence;
  /**
   * For the provider's own use: the state of its knowledge in which it last found the guard to hold, such as a sequence
   * number. Nothing can have changed until the next invalidation.
   */
  verifiedAt?: number;
}

/** Whether the provider can be asked right now. */
export interface Health {
  readonly state: 'up' | 'down';
  /** Since when, in milliseconds since the epoch. */
  readonly since: number;
  /** One sentence without credentials, when down. */
  readonly reason?: string;
}

/**
 * Sums to which all processes of an application add, for a metrics history over all of them. An interval is any short
 * text (`minute:29399812`); its sums are whole numbers by name.
 */
export interface SharedCounters {
  /** Adds to an interval's sums; they are forgotten when nothing was added for `lifetime`. */
  add(interval: string, increments: Readonly<Record<string, number>>, lifetime: Milliseconds): MaybePromise<void>;
  /** The sums of each interval in the order asked for; `{}` where nothing was added. */
  read(intervals: readonly string[]): MaybePromise<ReadonlyArray<Readonly<Record<string, number>>>>;
}

/** Short lists to which all processes of an application add, for what is to be seen in each of them and after a restart. */
export interface SharedLists {
  /** Adds texts, the latest last. The list keeps the latest `limit`, and is forgotten when nothing was added for `lifetime`. */
  add(list: string, texts: readonly string[], limit: number, lifetime: Milliseconds): MaybePromise<void>;
  /** Latest first; nothing where nothing was added. */
  read(list: string): MaybePromise<readonly string[]>;
}

/**
 * Which keys caches at the edge were given by all processes of an application, and which they still have to purge. What
 * is forgotten counts as given, or as still to be purged.
 */
export interface EdgeLedger {
  /**
   * Before an answer with these keys leaves: notes that it does. Resolves to `false` where the edge must not keep it,
   * because one of the guards does not hold any more. For keys that are known to be noted it has to tell at once: it is
   * asked with every hit.
   */
  handOut(keys: readonly EdgeKey[], guards: readonly Guard[]): MaybePromise<boolean>;
  /**
   * Notes that a write concerns these keys, once with its announcement and once, under the same `id`, with its stamp; the
   * later call counts. Resolves to what has to be purged before the write is acknowledged: those keys of it that were
   * handed out, and everything, where that is still to be purged.
   */
  owe(id: string, keys: readonly EdgeKey[], documents: readonly ChangedDocument[]): MaybePromise<readonly EdgeDebt[]>;
  /** What has not been settled for so long, by whichever process, and everything, where that is still to be purged. */
  owed(minAge: Milliseconds): MaybePromise<readonly EdgeDebt[]>;
  /** All targets have purged these. */
  settle(id: string): MaybePromise<void>;
}

/** What a provider tells its process; all optional to listen to. */
export interface ProviderEvents {
  /** Entries were evicted to make room, not because they were outdated. */
  evict?: (keys: readonly CacheKey[]) => void;
  /** An entry that had died earlier was found and freed. */
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
  /** Whether `events.swept` is called for every entry that an invalidation has killed, sooner or later. */
  readonly reportsSwept?: boolean;
  /** Whether every entry in it was made by this process: none depends on what the process has never read. */
  readonly isOfOneProcess?: boolean;
  /** For providers that several processes share. */
  readonly counters?: SharedCounters;
  readonly lists?: SharedLists;
  /** Where it is missing, and there are caches at the edge to be purged, these are told every key of each write. */
  readonly edge?: EdgeLedger;
  /**
   * The valid entry under `key`, or the current sequence number for whoever is going to compute one.
   * With a guard, an entry is returned only if the guard holds too; a failed guard is a miss.
   */
  lookup(key: CacheKey, guard?: Guard): MaybePromise<Lookup>;
  /** The latest number this process knows of, without asking: never one that is still to come. */
  knownSequence(): Sequence;
  /** Keeps an entry unless one of its tags has been stamped since its sequence number. Resolves to whether it did. */
  store(entry: Entry): MaybePromise<boolean>;
  /**
   * Whether a guard holds; `false` where that cannot be told. Providers that have no cheaper way to know than to look for
   * all of its tags leave it out; callers are then asked for anew on their way to a route.
   */
  holds?(guard: Guard): MaybePromise<boolean>;
  /**
   * Before a commit: says that `tags` are about to change, so that a process that dies between its commit and its
   * stamp leaves nothing stale behind. Providers that die with the process have nothing to do and return `undefined`.
   */
  announce(tags: readonly Tag[]): MaybePromise<Announcement | undefined>;
  /**
   * After the commit, also one that has failed (it may have reached the database all the same): stamps `tags` with the
   * next sequence number and closes the announcement.
   */
  invalidate(tags: readonly Tag[], announcement?: Announcement): MaybePromise<Sequence>;
  delete(key: CacheKey): MaybePromise<boolean>;
  /** Every valid entry. Enumerates the store: for stats and the admin panel, never on a request's path. */
  entries(): AsyncIterable<Entry> | Iterable<Entry>;
  /** Entries held and bytes, from counters; may include dead entries not yet swept. */
  usage(): MaybePromise<{ readonly entries: number; readonly bytes: number; readonly maxBytes: number | undefined }>;
  /** Forgets every entry of this application, and nothing else in a shared store. */
  clear(): MaybePromise<void>;
  health(): Health;
  /**
   * The application is about to stop: nothing has to be served or stored from here on, but writes go on for a while, and
   * `announce` and `invalidate` are called until `close`.
   */
  retire?(): void;
  /** After the last write. */
  close(): MaybePromise<void>;
}

/** What every provider is built from. */
export interface ProviderSettings {
  /** `strategy.keysPrefix`: separates applications that share a store. */
  readonly keysPrefix: string;
  /** `provider.getTimeout`: the deadline of every single operation. */
  readonly getTimeout: Milliseconds;
  /** Changes whenever what shaped the entries changes: code, versions, content types, schema, configuration. */
  readonly fingerprint: string;
  /** Changes whenever the database was migrated or its schema changed, for all instances at once. */
  readonly database: string;
  readonly events: ProviderEvents;
}
