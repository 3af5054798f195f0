import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../cache/clock';
import { sizeOf, type Entry } from '../../cache/entry';
import { isYoung } from '../../cache/freshness';
import type { CacheKey } from '../../cache/key';
import { milliseconds, type Milliseconds } from '../../cache/milliseconds';
import type { Sequence } from '../../cache/sequence';
import { EVERYTHING, tag, type Tag } from '../../cache/tag';
import type {
  Announcement,
  Guard,
  Health,
  Lookup,
  MaybePromise,
  Provider,
  ProviderSettings,
  SharedCounters,
} from '../../cache/provider';
import { Announcements } from './announcements';
import { openClient, openSubscriber, type Opened, type RedisClient } from './client';
import { decodeEntry, encodeEntry } from './codec';
import { Commands, type FollowReply } from './commands';
import { Follower } from './follower';
import { Keyspace } from './keyspace';
import { Link } from './link';
import { KEPT_FOR } from './lifetime';
import { keyTag, LocalLevel } from './local-level';
import { Numbering, type Position } from './numbering';
import { resolveRedisOptions, type ResolvedRedisOptions } from './options';
import { Owed } from './owed';
import { SharedLookups } from './shared-lookups';
import { TIMING, type Timing } from './timing';
import { StoreUnavailable } from './unavailable';

/** For so long nobody waits for a response that turned out not to be storable. */
const UNSTORABLE_FOR = milliseconds(10_000);

/** Leases last a second: what has piled up beyond this has run out. */
const MAX_LEASES_LEFT = 1000;

/** Entries deleted in one go after a clear; a script of this size takes a millisecond or two. */
const SWEEP_SLICE = 500;

const randomName = (): string => randomBytes(9).toString('base64url');

/**
 * @param options `provider.options` as the user wrote it; throws where it makes no sense, never because Redis is away
 */
export const createRedisProvider = (
  options: Readonly<Record<string, unknown>>,
  settings: ProviderSettings,
  clock: Clock,
  timing: Timing = TIMING,
): RedisProvider => {
  const probeLimit = milliseconds(Math.max(timing.probeLimit, settings.getTimeout));
  return new RedisProvider(resolveRedisOptions(options), settings, clock, { ...timing, probeLimit });
};

/**
 * Entries, stamps and the sequence number in a Redis that several processes share. What is asked of Redis stands in
 * `scripts/`, one round trip each; what happens while it is away stands in `link.ts`; this class puts them together.
 */
export class RedisProvider implements Provider {
  readonly name = 'redis';
  readonly counters: SharedCounters = {
    add: (interval, increments, lifetime) =>
      this.#link.serve(() => this.#commands.count(interval, increments, lifetime)),
    read: (intervals) => this.#link.serve(() => this.#commands.counts(intervals)),
  };
  readonly #settings: ProviderSettings;
  readonly #clock: Clock;
  readonly #timing: Timing;
  readonly #compression: ResolvedRedisOptions['compression'];
  readonly #mode: 'strict' | 'bounded' | undefined;
  readonly #process = randomName();
  readonly #keys: Keyspace;
  readonly #opened: Opened;
  readonly #commands: Commands;
  readonly #link: Link;
  readonly #numbering = new Numbering();
  readonly #owed = new Owed();
  /** Keys whose leases this process may hold without being able to tell that it does not use them. */
  readonly #leasesLeft = new Set<CacheKey>();
  readonly #announcements = new Announcements(this.#process);
  readonly #follower: Follower;
  readonly #local: LocalLevel | undefined;
  readonly #lookups = new SharedLookups();
  readonly #beat: NodeJS.Timeout | undefined;
  readonly #renewal: NodeJS.Timeout;
  readonly #subscriber: RedisClient | undefined;
  /** Numbers of this process's own invalidations that have not come back through the follower yet. */
  readonly #own = new Set<Sequence>();
  /** Announcements are open somewhere, so that a guard cannot be decided here. */
  #someAnnounced = false;
  #versions = 0;
  #hasJoined = false;
  #beating = false;

  constructor(options: ResolvedRedisOptions, settings: ProviderSettings, clock: Clock, timing: Timing) {
    this.#settings = settings;
    this.#clock = clock;
    this.#timing = timing;
    this.#compression = options.compression;
    this.#mode = options.localCache?.mode;
    this.#local = options.localCache && new LocalLevel(options.localCache, (entry) => settings.events.swept?.(entry));
    this.#keys = new Keyspace({ ...settings, keyPrefix: options.keyPrefix });
    this.#opened = openClient(options.target, timing);
    this.#commands = new Commands(this.#opened.client, this.#keys);
    this.#follower = new Follower(() => this.#follow(), timing.trust);
    this.#link = new Link({
      opened: this.#opened,
      getTimeout: settings.getTimeout,
      timing,
      rejoin: () => this.#rejoin(),
      onState: (health) => settings.events.state?.(health),
      onDown: () => this.#follower.distrust(),
    });
    this.#renewal = setInterval(() => void this.#renew(), timing.renewal);
    this.#renewal.unref();
    if (timing.beat > 0) {
      this.#beat = setInterval(() => void this.#giveSignOfLife(), timing.beat);
      this.#beat.unref();
    }
    this.#subscriber = this.#mode === 'bounded' ? this.#subscribe() : undefined;
    this.#link.start();
  }

  /** Resolves when the cache is in use. Nobody has to wait for it. */
  whenUp(): Promise<void> {
    return this.#link.whenUp();
  }

  lookup(key: CacheKey, guard?: Guard, lease?: Milliseconds): MaybePromise<Lookup> {
    if (this.#local === undefined || !this.#local.has(key)) return this.#askShared(key, guard, lease);
    if (this.#mode === 'strict') return this.#lookupConfirmed(key, guard, lease);
    const entry = this.#isTrusted ? this.#lookupLocally(key, guard) : undefined;
    return entry === undefined ? this.#askShared(key, guard, lease) : { entry };
  }

  async awaitEntry(key: CacheKey, lease: Milliseconds, limit: Milliseconds): Promise<Lookup> {
    const until = performance.now() + limit;
    for (;;) {
      await delay(this.#timing.poll);
      const found = await this.#ask(key, undefined, lease);
      if (found.entry !== undefined || found.leased !== false) return found;
      if (performance.now() + this.#timing.poll >= until) return { sequence: found.sequence };
    }
  }

  async release(key: CacheKey): Promise<void> {
    await this.#holding(key, () => this.#link.serve(() => this.#commands.unlease(key, UNSTORABLE_FOR)));
  }

  async sequence(): Promise<Sequence> {
    await this.#follower.confirm();
    return this.#numbering.highest;
  }

  /** Highest of all numbers heard of; one noted before a fault that ended its epoch is below every later one. */
  knownSequence(): Sequence {
    return this.#numbering.highest;
  }

  store(entry: Entry): Promise<boolean> {
    return this.#holding(entry.key, () => this.#store(entry));
  }

  async #store(entry: Entry): Promise<boolean> {
    if (!this.#link.isUp) throw new StoreUnavailable(this.#link.health().reason ?? 'not connected');
    this.#versions += 1;
    const version = `${this.#process}.${this.#versions.toString(36)}`;
    const encoded = await encodeEntry(entry, version, this.#compression);
    const number = this.#numbering.toRedis(entry.sequence);
    const ttl = Math.ceil(entry.createdAt + entry.maxAge - this.#clock.now());
    if (number === undefined || !(ttl > 0)) {
      await this.#link.serve(() => this.#commands.unlease(entry.key, 1));
      return false;
    }
    const { position, kept } = await this.#link.serve(() =>
      this.#commands.store(this.#numbering.remembered, entry.key, {
        ...encoded,
        number,
        version,
        ttl: Math.min(ttl, KEPT_FOR),
        kibibytes: Math.ceil((sizeOf(entry) - entry.response.body.byteLength + encoded.body.byteLength) / 1024),
        tags: entry.tags,
      }),
    );
    this.#accept(position);
    if (kept) this.#local?.put(entry, this.#numbering.toEngine(position.number));
    return kept;
  }

  /** Only a level that may be trusted without asking tells at once. */
  holds(guard: Guard): boolean {
    return this.#mode === 'bounded' && this.#isTrusted && this.#holdsLocally(guard);
  }

  /** Never rejects: a write does not fail because a cache is away. What could not be announced is owed. */
  async announce(tags: readonly Tag[]): Promise<Announcement | undefined> {
    const announcement = this.#announcements.open(tags);
    try {
      const position = await this.#link.tell(() =>
        this.#commands.announce(this.#numbering.remembered, announcement, this.#timing.announcement, tags),
      );
      this.#told(tags, position);
      this.#someAnnounced = true;
      return announcement;
    } catch (error) {
      // The write goes on without. What it is about to change is stamped first thing when Redis is back.
      this.#announcements.close(announcement);
      this.#owe(tags, error);
      return undefined;
    }
  }

  /**
   * Never rejects: what could not be delivered is owed, and this process serves and stores nothing until it is. The
   * number is then the latest one known.
   */
  async invalidate(tags: readonly Tag[], announcement?: Announcement): Promise<Sequence> {
    const announced = announcement === undefined ? [] : this.#announcements.close(announcement);
    try {
      const position = await this.#link.tell(() =>
        this.#commands.invalidate(this.#numbering.remembered, tags, announcement && { id: announcement, announced }),
      );
      this.#told(tags, position);
      return this.#numbering.toEngine(position.number);
    } catch (error) {
      this.#owe(tags, error);
      return this.#numbering.highest;
    }
  }

  async delete(key: CacheKey): Promise<boolean> {
    this.#local?.forget(key);
    const { position, there } = await this.#link.serve(() =>
      this.#commands.drop(this.#numbering.remembered, key, keyTag(key)),
    );
    this.#told([keyTag(key)], position);
    return there;
  }

  async *entries(): AsyncIterable<Entry> {
    const seen = new Set<CacheKey>();
    let cursor = '0';
    do {
      const at = cursor;
      const [next, keys] = await this.#link.serve(() => this.#commands.names(at));
      cursor = next;
      const unseen = keys.filter((key) => !seen.has(key) && seen.add(key));
      const found = await Promise.all(unseen.map((key) => this.#find(key)));
      for (const { entry } of found) if (entry !== undefined) yield entry;
    } while (cursor !== '0');
  }

  async usage(): Promise<{ entries: number; bytes: number; maxBytes: undefined }> {
    const { entries, kibibytes } = await this.#link.serve(() => this.#commands.usage());
    return { entries, bytes: kibibytes * 1024, maxBytes: undefined };
  }

  /** Never rejects, for the reason {@link invalidate} does not. */
  async clear(): Promise<void> {
    const trash = randomName();
    try {
      const position = await this.#link.tell(() => this.#commands.clear(this.#numbering.remembered, trash));
      this.#told([EVERYTHING], position);
    } catch (error) {
      this.#owe([EVERYTHING], error);
      return;
    }
    void this.#sweep(trash);
  }

  health(): Health {
    return this.#link.health();
  }

  retire(): void {
    this.#link.retire();
  }

  async close(): Promise<void> {
    // Back in contact, the link delivers what is owed first.
    if (this.#owed.size > 0) await this.#link.contactWithin(this.#timing.farewell);
    clearInterval(this.#beat);
    clearInterval(this.#renewal);
    if (this.#link.isInContact && this.#owed.size === 0 && this.#announcements.ids.length === 0) {
      // Whoever leaves like this has nothing untold: the others keep the cache.
      await this.#link.tell(() => this.#commands.leave(this.#process)).catch(() => undefined);
    }
    this.#subscriber?.disconnect();
    this.#link.close();
  }

  /** One promise beside the shared question's: this is every hit's way. */
  #lookupConfirmed(key: CacheKey, guard?: Guard, lease?: Milliseconds): Promise<Lookup> {
    return this.#follower.confirm().then(() => {
      const entry = this.#lookupLocally(key, guard);
      return entry === undefined ? this.#askShared(key, guard, lease) : { entry };
    });
  }

  /** Whether the first level knows, as of a moment ago, what was invalidated. */
  get #isTrusted(): boolean {
    return this.#link.isUp && this.#follower.isTrusted;
  }

  #lookupLocally(key: CacheKey, guard: Guard | undefined): Entry | undefined {
    if (guard !== undefined && !this.#holdsLocally(guard)) return undefined;
    return this.#local?.get(key, this.#clock.now());
  }

  #holdsLocally(guard: Guard): boolean {
    return !this.#someAnnounced && this.#local !== undefined && this.#local.isUnchanged(guard);
  }

  /** What many ask for at once crosses the network once. */
  #askShared(key: CacheKey, guard?: Guard, lease?: Milliseconds): Promise<Lookup> {
    return this.#lookups.ask(key, { guard, lease }, () => this.#ask(key, guard, lease));
  }

  /** Redis's answer; an entry that it has is kept in the first level. */
  async #ask(key: CacheKey, guard?: Guard, lease?: Milliseconds): Promise<Lookup> {
    const { validAt, ...found } = await this.#find(key, guard, lease);
    if (found.entry !== undefined && validAt !== undefined) this.#local?.put(found.entry, validAt);
    return found;
  }

  async #find(key: CacheKey, guard?: Guard, lease?: Milliseconds): Promise<Lookup & { readonly validAt?: Sequence }> {
    const ask = (): Promise<Awaited<ReturnType<Commands['lookup']>>> =>
      this.#link.serve(() =>
        this.#commands.lookup(
          this.#numbering.remembered,
          key,
          lease ?? 0,
          guard && { tags: guard.tags, since: this.#numbering.toRedis(guard.since) ?? -1 },
        ),
      );
    // What is not sent is given no lease.
    const reply = await (lease === undefined || !this.#link.isUp ? ask() : this.#holding(key, ask));
    this.#accept(reply.position);
    const sequence = this.#numbering.toEngine(reply.position.number);
    if (!('version' in reply)) return { sequence, ...(reply.leased === undefined ? {} : { leased: reply.leased }) };
    const entry = await decodeEntry(reply, reply.version, this.#numbering.toEngine(reply.number));
    if (entry === 'damaged' || (entry !== undefined && entry.key !== key)) {
      // Bytes that are not what was stored are no entry: the origin answers, and nobody meets them again.
      await this.delete(key);
      return { sequence };
    }
    if (entry === undefined || !isYoung(entry, this.#clock.now())) return { sequence };
    return { entry, validAt: sequence };
  }

  /** Takes notice of where Redis stands; a new epoch means that nothing known before holds any more. */
  #accept(position: Position): void {
    const outcome = this.#numbering.accept(position);
    if (outcome === 'old') throw new StoreUnavailable('the answer is older than a fault that has been mended since');
    if (outcome === 'new') this.#startOver();
  }

  #startOver(): void {
    const { highest } = this.#numbering;
    this.#local?.startOver(highest);
    this.#follower.known = highest;
    this.#own.clear();
    this.#settings.events.invalidated?.(undefined);
  }

  /** The link is down by now and comes up only after what is owed has been delivered. */
  #owe(tags: readonly Tag[], error: unknown): void {
    if (!(error instanceof StoreUnavailable)) throw error;
    this.#owed.add(tags);
  }

  /** This process's own write has reached Redis at `position`. */
  #told(tags: readonly Tag[], position: Position): void {
    this.#accept(position);
    const number = this.#numbering.toEngine(position.number);
    this.#own.add(number);
    this.#local?.stamp(tags, number);
  }

  async #follow(): Promise<void> {
    const sentAt = performance.now();
    const reply = await this.#link.serve(() =>
      this.#commands.follow(this.#numbering.remembered, this.#numbering.toRedis(this.#follower.known) ?? -1),
    );
    this.#takeIn(reply, sentAt);
  }

  async #giveSignOfLife(): Promise<void> {
    if (this.#beating || !this.#link.isInContact) return;
    this.#beating = true;
    try {
      const sentAt = performance.now();
      const reply = await this.#link.tell(() =>
        this.#commands.beat(
          this.#numbering.remembered,
          this.#numbering.toRedis(this.#follower.known) ?? -1,
          this.#process,
          this.#timing.silence,
        ),
      );
      this.#takeIn(reply, sentAt);
    } catch {
      // Where Redis is the reason, the link knows; whatever else it was, work in the background must not end the process.
    } finally {
      this.#beating = false;
    }
  }

  #takeIn({ position, open, changes }: FollowReply, sentAt: number): void {
    this.#accept(position);
    const number = this.#numbering.toEngine(position.number);
    // A cluster may redirect a question, so that its answer comes after a later one's.
    if (number < this.#follower.known) return;
    this.#someAnnounced = open > 0;
    this.#follower.confirmed(sentAt);
    if (number === this.#follower.known) return;
    this.#follower.known = number;
    if (changes === undefined) {
      this.#local?.startOver(number);
      this.#settings.events.invalidated?.(undefined);
    } else {
      const foreign: Tag[] = [];
      for (const [name, stampedAt] of changes) {
        const at = this.#numbering.toEngine(stampedAt);
        this.#local?.stamp([tag(name)], at);
        if (!this.#own.has(at)) foreign.push(tag(name));
      }
      if (foreign.length > 0) this.#settings.events.invalidated?.(foreign);
    }
    for (const own of this.#own) if (own <= number) this.#own.delete(own);
  }

  /** Does what may give a lease or give it back. Where that fails, others must not wait for it once Redis is back. */
  async #holding<T>(key: CacheKey, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (this.#leasesLeft.size < MAX_LEASES_LEFT) this.#leasesLeft.add(key);
      // It may have failed before the link went down, and be heard of when it is on its way up again.
      if (this.#link.isInContact) void this.#returnLeases().catch(() => undefined);
      throw error;
    }
  }

  async #returnLeases(): Promise<void> {
    const left = [...this.#leasesLeft];
    this.#leasesLeft.clear();
    await Promise.all(
      left.map(async (key) => {
        try {
          await this.#commands.unlease(key, 1);
        } catch (error) {
          this.#leasesLeft.add(key);
          throw error;
        }
      }),
    );
  }

  async #rejoin(): Promise<boolean> {
    const [, generation] = this.#numbering.remembered;
    const { position, begun, young } = await this.#commands.join(
      this.#numbering.remembered,
      randomName(),
      this.#process,
      this.#settings.database,
      !this.#hasJoined,
    );
    this.#hasJoined = true;
    this.#accept(position);
    await this.#owed.deliver(async (tags) => {
      this.#told(tags, await this.#commands.invalidate(this.#numbering.remembered, tags));
    });
    for (const [id, tags] of this.#announcements.all) {
      const { remembered } = this.#numbering;
      this.#told(tags, await this.#commands.announce(remembered, id, this.#timing.announcement, tags));
    }
    await this.#returnLeases();
    return young || (begun && generation > 0);
  }

  async #renew(): Promise<void> {
    const { ids } = this.#announcements;
    if (ids.length === 0 || !this.#link.isInContact) return;
    try {
      const holds = this.#timing.announcement;
      this.#accept(await this.#link.tell(() => this.#commands.renew(this.#numbering.remembered, holds, ids)));
    } catch {
      // Announced again when the link is back.
    }
  }

  /** Deletes what was cleared, a slice at a time. What is left when it fails expires by itself. */
  async #sweep(trash: string): Promise<void> {
    try {
      while ((await this.#link.serve(() => this.#commands.sweep(trash, SWEEP_SLICE))) > 0) await delay(5);
    } catch {
      // The link is down; expiry does the rest.
    }
  }

  /** A hint on the channel is a reason to ask, no more: what is missed is caught up with by the next sign of life. */
  #subscribe(): RedisClient {
    const subscriber = openSubscriber(this.#opened.client);
    subscriber.on('error', () => undefined);
    subscriber.on('ready', () => void subscriber.subscribe(this.#keys.channel).catch(() => undefined));
    subscriber.on('message', () => {
      if (this.#link.isUp) this.#follower.confirm().catch(() => undefined);
    });
    if (subscriber.status === 'wait') subscriber.connect().catch(() => undefined);
    return subscriber;
  }
}
