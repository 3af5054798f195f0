import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../cache/clock';
import type { Entry } from '../../cache/entry';
import type { EntrySummary, SummaryQuestion } from '../../cache/entry-summary';
import { isExpiredButKept, isFromFuture, isYoung, mayBeServed } from '../../cache/freshness';
import type { CacheKey } from '../../cache/key';
import { NoRoom } from '../../cache/no-room';
import type { Sequence } from '../../cache/sequence';
import { EVERYTHING, type Tag } from '../../cache/tag';
import type {
  Announcement,
  EdgeLedger,
  Guard,
  Health,
  Lookup,
  Provider,
  ProviderSettings,
  SharedCounters,
  SharedLists,
} from '../../cache/provider';
import { COPIES, entryTag } from '../../dependencies/tags';
import { HeldEntries } from '../held-entries';
import { openClient } from './client';
import { Commands } from './commands';
import { Following } from './following';
import { KEPT_FOR, keyspaceOf } from './keyspace';
import { Link } from './link';
import { Numbering } from './numbering';
import { resolveRedisOptions } from './options';
import { SharedLedger } from './shared-ledger';
import { SharedLookups } from './shared-lookups';
import { type Timing, timingFor } from './timing';
import { Writes } from './writes';

/** Entries deleted in one go after a clear; a script of this size takes a millisecond or two. */
const SWEEP_SLICE = 500;

const randomName = (): string => randomBytes(9).toString('base64url');

/**
 * Keeps entries, stamps and the sequence number in a Redis that several processes share. This class looks up and
 * stores. The other parts: `scripts/` runs in Redis, one round trip for each script; `link.ts` handles a Redis that is
 * away; `writes.ts` reports the writes of this process; `following.ts` learns of the writes of others.
 */
export class RedisProvider implements Provider {
  readonly name = 'redis';
  readonly counters: SharedCounters = {
    add: (interval, increments, lifetime) =>
      this.#link.look(() => this.#commands.count(interval, increments, lifetime)),
    read: (intervals) => this.#link.look(() => this.#commands.counts(intervals)),
  };
  readonly lists: SharedLists = {
    add: (list, texts, limit, lifetime) => this.#link.look(() => this.#commands.note(list, texts, limit, lifetime)),
    read: (list) => this.#link.look(() => this.#commands.noted(list)),
  };
  readonly edge: EdgeLedger;
  /** Only with a first level: once that is up to date, it knows what was stamped. */
  readonly holds?: (guard: Guard) => Promise<boolean>;
  readonly #clock: Clock;
  readonly #timing: Timing;
  readonly #process = randomName();
  readonly #numbering = new Numbering();
  readonly #commands: Commands;
  readonly #link: Link;
  /** The first level: entries kept in this process as well. The follower tells it what is stamped. */
  readonly #local: HeldEntries | undefined;
  readonly #following: Following;
  readonly #writes: Writes;
  readonly #lookups = new SharedLookups();
  #versions = 0;

  /**
   * Connects in the background.
   *
   * @param written `provider.options` as the user wrote it.
   * @throws ConfigurationError if an option is wrong; never because Redis is away.
   */
  constructor(
    written: Readonly<Record<string, unknown>>,
    settings: ProviderSettings,
    clock: Clock,
    timing: Timing = timingFor(settings.getTimeout),
  ) {
    const { events, getTimeout, database } = settings;
    const options = resolveRedisOptions(written);
    this.#clock = clock;
    this.#timing = timing;
    this.#local =
      options.localCache && new HeldEntries({ ...options.localCache, onDead: (entry) => events.swept?.(entry) });
    const keys = keyspaceOf({ ...settings, keyPrefix: options.keyPrefix });
    const opened = openClient(options.target, timing);
    this.#commands = new Commands(opened.client, keys, this.#numbering, () =>
      this.#following.startOver(this.#numbering.highest),
    );
    this.#link = new Link({
      opened,
      getTimeout,
      timing,
      rejoin: () => this.#commands.join(randomName(), this.#process, database),
      deliver: () => this.#writes.deliver(),
      onState: (health) => events.state?.(health),
    });
    const parts = { process: this.#process, link: this.#link, commands: this.#commands, timing };
    this.#following = new Following({ ...parts, events, local: this.#local, announced: () => this.#writes.announced });
    this.#writes = new Writes({ ...parts, following: this.#following });
    this.edge = new SharedLedger(this.#link, this.#commands, this.#numbering);
    if (this.#local !== undefined)
      this.holds = (guard) => this.#following.confirm().then(() => this.#following.holds(guard));
    this.#link.start();
  }

  lookup(key: CacheKey, guard?: Guard): Promise<Lookup> {
    return this.#local?.has(key) === true ? this.#lookupConfirmed(key, guard) : this.#askShared(key, guard);
  }

  /** Asks Redis: the first level need not know of the latest entry. */
  async lookupExpired(key: CacheKey): Promise<Entry | undefined> {
    const { entry } = await this.#find(key);
    return entry !== undefined && isExpiredButKept(entry, this.#clock.now()) ? entry : undefined;
  }

  /** The highest number seen. A number noted in an earlier epoch is below every number of the present one. */
  knownSequence(): Sequence {
    return this.#numbering.highest;
  }

  async store(entry: Entry): Promise<boolean> {
    const { createdAt, maxAge, keptFor = 0 } = entry;
    this.#versions += 1;
    const version = `${this.#process}.${this.#versions.toString(36)}`;
    const left = createdAt + maxAge + keptFor - this.#clock.now();
    if (!(left > 0)) return false;
    const ttl = Math.min(Math.ceil(left), KEPT_FOR);
    const { at, kept, hasRoom } = await this.#link.serve(() =>
      this.#commands.store(entry, entryTag(entry.key), version, ttl),
    );
    if (!hasRoom) throw new NoRoom();
    if (kept) this.#keep(entry, at);
    return kept;
  }

  announce(tags: readonly Tag[]): Promise<Announcement | undefined> {
    return this.#writes.announce(tags);
  }

  /** Resolves to the latest number known if the invalidation could not be delivered. */
  async invalidate(tags: readonly Tag[], announcement?: Announcement): Promise<Sequence> {
    return (await this.#writes.invalidate(tags, announcement)) ?? this.#numbering.highest;
  }

  async delete(key: CacheKey): Promise<boolean> {
    return (await this.#drop(key)).there;
  }

  async #drop(key: CacheKey): ReturnType<Commands['drop']> {
    this.#local?.delete(key);
    const dropped = await this.#link.serve(() => this.#commands.drop(key, entryTag(key)));
    this.#following.wrote([entryTag(key)], dropped.at);
    return dropped;
  }

  async *summaries(question: SummaryQuestion): AsyncIterable<readonly EntrySummary[]> {
    const { lists, all } = question;
    const id = lists.some((tags) => tags.length > 0) ? randomName() : '';
    if (id === '' && !all) return;
    if (id !== '') await this.#link.look(() => this.#commands.question(id, lists));
    // An element of the index may come twice when the index has grown or shrunk.
    const seen = new Set<CacheKey>();
    const ask = (cursor: string): ReturnType<Commands['summaries']> => {
      const reply = this.#link.look(() => this.#commands.summaries(id, question, cursor));
      // Whoever enumerates may have stopped.
      reply.catch(() => undefined);
      return reply;
    };
    for (let reply: ReturnType<typeof ask> | undefined = ask('0'); reply !== undefined; ) {
      const [cursor, read]: Awaited<ReturnType<typeof ask>> = await reply;
      // Redis looks at the next slice while this one is read.
      reply = cursor === '0' ? undefined : ask(cursor);
      const now = this.#clock.now();
      yield read().filter((summary) => !seen.has(summary.key) && seen.add(summary.key) && mayBeServed(summary, now));
    }
  }

  usage(): ReturnType<Commands['usage']> {
    return this.#link.look(() => this.#commands.usage());
  }

  /** Never rejects because Redis is away: as with {@link invalidate}, what could not be delivered is owed. */
  async clear(): Promise<void> {
    const trash = randomName();
    const at = await this.#writes.tell([EVERYTHING], () => this.#commands.clear(trash));
    if (at !== undefined) void this.#sweep(trash);
  }

  health(): Health {
    return this.#link.health();
  }

  retire(): void {
    this.#link.retire();
  }

  async close(): Promise<void> {
    if (this.#writes.areOwed) {
      await this.#link.contactWithin(this.#timing.farewell);
      await this.#link.tell(() => this.#writes.deliver()).catch(() => undefined);
    }
    this.#following.close();
    if (this.#link.isInContact && this.#writes.areAllTold) {
      // A process that signs off owes nothing, so that the others keep their entries.
      await this.#link.tell(() => this.#commands.leave(this.#process)).catch(() => undefined);
    }
    this.#link.close();
  }

  /** As {@link close} signs off. ioredis hands the command to the operating system before this returns. */
  leave(): void {
    if (this.#link.isInContact && this.#writes.areAllTold)
      void this.#commands.leave(this.#process).catch(() => undefined);
  }

  /** Makes only one promise besides that of the shared question, because every hit comes this way. */
  #lookupConfirmed(key: CacheKey, guard?: Guard): Promise<Lookup> {
    return this.#following.confirm().then(() => {
      const now = this.#clock.now();
      const isGuarded = guard === undefined || this.#following.holds(guard);
      const entry = isGuarded ? this.#local?.get(key, now) : undefined;
      // Redis drops entries after that time, whatever their maxAge.
      return entry !== undefined && now - entry.createdAt < KEPT_FOR ? { entry } : this.#askShared(key, guard);
    });
  }

  /** Asks Redis once for all callers that ask the same at the same time. */
  #askShared(key: CacheKey, guard?: Guard): Promise<Lookup> {
    return this.#lookups.ask(key, guard, () => this.#ask(key, guard));
  }

  /** Asks Redis, and puts a valid entry into the first level. */
  async #ask(key: CacheKey, guard?: Guard): Promise<Lookup> {
    const { at, entry } = await this.#find(key, guard);
    if (entry === undefined || !isYoung(entry, this.#clock.now())) return { sequence: at };
    if (this.#local !== undefined) this.#keep(withOwnBody(entry), at);
    return { entry };
  }

  /** Puts an entry into the first level that was valid at the number `at`. */
  #keep(entry: Entry, at: Sequence): void {
    this.#local?.put(entry, at, [...entry.tags, entryTag(entry.key), COPIES]);
  }

  /** The entry of any age that Redis has under a key, if any, and the sequence number in Redis at that time. */
  async #find(key: CacheKey, guard?: Guard): Promise<{ readonly at: Sequence; readonly entry?: Entry }> {
    const { at, found: entry } = await this.#link.serve(() => this.#commands.lookup(key, guard));
    if (entry === 'damaged' || (entry !== undefined && entry.key !== key)) {
      // The bytes are not what was stored: the lookup is a miss, and the entry is deleted.
      return { at: (await this.#drop(key)).at };
    }
    const now = this.#clock.now();
    if (entry === undefined || isFromFuture(entry, now)) return { at };
    // The clock of the process that has made it may be ahead. Copies would then be served for as much longer than maxAge.
    return { at, entry: entry.createdAt <= now ? entry : { ...entry, createdAt: now } };
  }

  /** Deletes cleared entries, a slice at a time. If that fails, the rest expires by itself. */
  async #sweep(trash: string): Promise<void> {
    try {
      while ((await this.#link.serve(() => this.#commands.sweep(trash, SWEEP_SLICE))) > 0) await delay(5);
    } catch {
      // The link is down; the rest expires.
    }
  }
}

/** The parser's buffers are parts of what was read from the socket at once, all of which one of them keeps alive. */
const withOwnBody = (entry: Entry): Entry => {
  const { body } = entry.response;
  const own = Buffer.allocUnsafeSlow(body.byteLength);
  body.copy(own);
  return { ...entry, response: { ...entry.response, body: own } };
};
