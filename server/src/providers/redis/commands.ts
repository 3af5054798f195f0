import type { EdgeKey } from '../../cache/edge-purge';
import type { Entry } from '../../cache/entry';
import { listsByTag, type EntrySummary, type SummaryQuestion } from '../../cache/entry-summary';
import type { CacheKey } from '../../cache/key';
import type { Milliseconds } from '../../cache/milliseconds';
import type { Announcement, Guard } from '../../cache/provider';
import { sequence, type Sequence } from '../../cache/sequence';
import { tag, type Tag } from '../../cache/tag';
import type { RedisClient } from './client';
import { decodeEntry, decodeSummary, encodeEntry } from './codec';
import type { Keyspace } from './keyspace';
import type { Numbering } from './numbering';
import { SCRIPTS } from './scripts';
import { BadReply, CONNECTION_LOST, StoreUnavailable } from './unavailable';

/** Entries that one script looks at for the panel. */
const SUMMARY_SLICE = 200;

/** How many tags of a question are sent at once. */
const QUESTION_PART = 20_000;

type ScriptName = keyof typeof SCRIPTS;
type Argument = string | number | Buffer;
type Reply = ReadonlyArray<string | number | null>;

export interface FollowReply {
  readonly at: Sequence;
  /** Number of open announcements of all processes. */
  readonly open: number;
  /** Tags stamped since, with their numbers; `undefined` if they could not all be listed. */
  readonly changes: ReadonlyArray<readonly [tag: Tag, number: Sequence]> | undefined;
}

/**
 * Every command that is sent to Redis, typed, with sequence numbers as the engine knows them. One method is one round
 * trip; none of them waits, retries or decides. `at`, or a resolved `Sequence`, is the sequence number in Redis.
 */
export class Commands {
  readonly #client: RedisClient;
  readonly #keys: Keyspace;
  readonly #numbering: Numbering;
  readonly #onNewEpoch: () => void;

  /** @param onNewEpoch called when a new epoch has begun: nothing known before holds any more. */
  constructor(client: RedisClient, keys: Keyspace, numbering: Numbering, onNewEpoch: () => void) {
    this.#client = client;
    this.#keys = keys;
    this.#numbering = numbering;
    this.#onNewEpoch = onNewEpoch;
    // ioredis sends EVAL once per connection and script, EVALSHA from then on, and recovers from NOSCRIPT itself.
    for (const [name, definition] of Object.entries(SCRIPTS)) client.defineCommand(name, definition);
  }

  /**
   * Two commands, one round trip: the script validates the entry; the body does not pass through Lua. Resolves to the
   * valid entry, if there is one.
   */
  async lookup(
    key: CacheKey,
    guard?: Guard,
  ): Promise<{ readonly at: Sequence; readonly found?: ReturnType<typeof decodeEntry> }> {
    const guarded = guard === undefined ? [''] : [this.#numbering.toRedis(guard.since), ...guard.tags];
    const decided = this.#ask('restCacheLookup', [key, ...guarded], [this.#keys.entry(key)]);
    const fetched = this.#client.hmgetBuffer(this.#keys.entry(key), 'm', 'b').catch(orNothing);
    // Both were sent: if the first fails, a failure of the second must not become an unhandled rejection.
    fetched.catch(() => undefined);
    const [at, isFound, distance, version] = await decided;
    if (isFound !== 1) return { at };
    const [meta, body] = (await fetched) ?? [];
    // The entry was deleted, expired or evicted in between.
    if (meta == null || body == null) return { at };
    return { at, found: decodeEntry(sequence(at - Number(distance)), String(version), meta, body) };
  }

  /**
   * @param nameTag as of {@link drop}.
   * @param version distinguishes this entry from every other that was ever stored under its key.
   * @param ttl milliseconds.
   */
  async store(
    entry: Entry,
    nameTag: Tag,
    version: string,
    ttl: number,
  ): Promise<{ readonly at: Sequence; readonly kept: boolean; readonly hasRoom: boolean }> {
    const { key, sequence, response, tags } = entry;
    const { meta, summary, kibibytes } = encodeEntry(entry, version);
    const number = this.#numbering.toRedis(sequence);
    const facts = [key, number, version, ttl, kibibytes, meta, response.body, summary, nameTag];
    const keys = [this.#keys.entry(key), this.#keys.entryPrefix];
    const [at, kept] = await this.#ask('restCacheStore', [...facts, ...tags], keys);
    return { at, kept: kept === 1, hasRoom: kept !== 2 };
  }

  async announce(id: Announcement, holds: number, tags: readonly Tag[]): Promise<Sequence> {
    const [at] = await this.#ask('restCacheAnnounce', [id, holds, ...tags]);
    return at;
  }

  /**
   * @param id the announcement to close, `''` for none.
   * @param announced the tags of that announcement.
   */
  async invalidate(tags: readonly Tag[], id = '', announced: readonly Tag[] = []): Promise<Sequence> {
    const [at] = await this.#ask('restCacheInvalidate', [id, announced.length, ...announced, ...tags]);
    return at;
  }

  async follow(since: Sequence): Promise<FollowReply> {
    return this.#followed(await this.#ask('restCacheFollow', [this.#numbering.toRedis(since)]));
  }

  /**
   * @param silence milliseconds after which a silent process counts as dead.
   * @param holds milliseconds for which the announcements hold from now on.
   * @param announced the open announcements of this process.
   */
  async beat(
    since: Sequence,
    process: string,
    silence: number,
    holds: number,
    announced: Iterable<Announcement>,
  ): Promise<FollowReply> {
    const member = this.#keys.member(process);
    return this.#followed(
      await this.#ask('restCacheBeat', [this.#numbering.toRedis(since), member, silence, holds, ...announced]),
    );
  }

  /** Resolves to whether other processes may still be reconnecting with undelivered invalidations. */
  async join(newEpoch: string, process: string, database: string): Promise<boolean> {
    const [epoch, generation] = this.#numbering.remembered;
    const member = this.#keys.member(process);
    const [, begun, young] = await this.#ask('restCacheJoin', [newEpoch, member, database, epoch === '' ? 1 : 0]);
    return young === 1 || (begun === 1 && generation > 0);
  }

  async leave(process: string): Promise<void> {
    await this.#client.zrem(this.#keys.members, this.#keys.member(process));
  }

  async clear(trash: string): Promise<Sequence> {
    const [at] = await this.#ask('restCacheClear', [], [this.#keys.trash(trash)]);
    return at;
  }

  /** Resolves to the number of entries that are left. */
  async sweep(trash: string, slice: number): Promise<number> {
    const { index, entryPrefix } = this.#keys;
    const left: unknown = await this.#run('restCacheSweep', [this.#keys.trash(trash), index, entryPrefix], [slice]);
    return Number(left);
  }

  /** @param nameTag the tag by which the first level of each process knows the entry. */
  async drop(key: CacheKey, nameTag: Tag): Promise<{ readonly at: Sequence; readonly there: boolean }> {
    const [at, there] = await this.#ask('restCacheDrop', [key, nameTag], [this.#keys.entry(key)]);
    return { at, there: there === 1 };
  }

  /** Resolves to whether the keys may be issued. */
  async issueKeys(keys: readonly EdgeKey[], guards: readonly Guard[]): Promise<boolean> {
    const held = guards.flatMap(({ since, tags }) => [this.#numbering.toRedis(since), tags.length, ...tags]);
    const noted = [keys.length, ...keys, ...held];
    const [, kept] = await this.#ask('restCacheIssue', noted);
    return kept === 1;
  }

  /** Resolves to the id under which everything is owed, `''` if it is not, and those of the keys that were issued. */
  async owe(id: string, keys: readonly EdgeKey[], documents: string): Promise<string[]> {
    const [, ...owed] = await this.#ask('restCacheOwe', [id, documents, ...keys]);
    return owed.map(String);
  }

  /** Resolves to the id under which everything is owed, and of each debt its id and the text that Redis keeps of it. */
  async owed(minAge: Milliseconds, isStarting: boolean): Promise<string[]> {
    const [, ...owed] = await this.#ask('restCacheOwed', [minAge, this.#keys.release, isStarting ? 1 : 0]);
    return owed.map(String);
  }

  async settle(id: string): Promise<void> {
    await this.#ask('restCacheSettle', [id]);
  }

  async usage(): Promise<{ readonly entries: number; readonly bytes: number; readonly maxBytes: undefined }> {
    const [members, total] = await Promise.all([
      this.#client.zcard(this.#keys.index),
      this.#client.zscore(this.#keys.index, ''),
    ]);
    const bytes = Math.abs(Number(total ?? 0)) * 1024;
    const entries = total === null ? members : members - 1;
    return { entries, bytes: Number.isFinite(bytes) ? bytes : 0, maxBytes: undefined };
  }

  async count(interval: string, increments: Readonly<Record<string, number>>, lasts: number): Promise<void> {
    await this.#run('restCacheCount', [this.#keys.counters(interval)], [lasts, ...Object.entries(increments).flat()]);
  }

  async counts(intervals: readonly string[]): Promise<Array<Record<string, number>>> {
    const sums = await Promise.all(
      intervals.map((interval) => this.#client.hgetall(this.#keys.counters(interval)).catch(orNothing)),
    );
    return sums.map((sum) =>
      Object.fromEntries(
        Object.entries(sum ?? {})
          .map(([name, value]) => [name, Number(value)] as const)
          .filter(([, value]) => Number.isFinite(value)),
      ),
    );
  }

  async note(list: string, texts: readonly string[], limit: number, lasts: number): Promise<void> {
    await this.#run('restCacheNote', [this.#keys.list(list)], [limit, lasts, ...texts]);
  }

  async noted(list: string): Promise<readonly string[]> {
    return (await this.#client.lrange(this.#keys.list(list), 0, -1).catch(orNothing)) ?? [];
  }

  /** Notes for a minute which tags are asked about, as `id`. */
  async question(id: string, lists: ReadonlyArray<readonly Tag[]>): Promise<void> {
    const { state, question } = this.#keys;
    const noted = [...listsByTag(lists)].map(([name, numbers]) => [name, numbers.join(',')] as const);
    for (let first = 0; first < noted.length; first += QUESTION_PART) {
      const part = noted.slice(first, first + QUESTION_PART).flat();
      await this.#run('restCacheQuestion', [state, question(id)], [60_000, first, ...part]);
    }
  }

  /**
   * Looks at a slice of the entries, and resolves to those that are valid; the cursor is '0' at the end. Their summaries
   * are read when they are asked for, because Redis can be looking at the next slice by then.
   *
   * @param id of the question noted before; `''` if no tags are asked about.
   */
  async summaries(
    id: string,
    { lists, all }: SummaryQuestion,
    cursor: string,
  ): Promise<readonly [cursor: string, read: () => readonly EntrySummary[]]> {
    const asked = [cursor, SUMMARY_SLICE, all ? 1 : 0, id === '' ? 0 : 1];
    const keys = [this.#keys.question(id), this.#keys.entryPrefix];
    const [at, next, ...reply] = await this.#ask('restCacheSummaries', asked, keys);
    const read = (): readonly EntrySummary[] => {
      const found: EntrySummary[] = [];
      for (let first = 0; first + 3 < reply.length; first += 4) {
        const [key, distance, carried, summary] = reply.slice(first, first + 4).map(String);
        const described = decodeSummary(summary ?? '', carried ?? '', lists.length);
        found.push({ key: key as CacheKey, sequence: sequence(at - Number(distance)), ...described });
      }
      return found;
    };
    return [String(next), read];
  }

  /**
   * Runs a script that replies the position of Redis first, and takes notice of the position. Resolves to the sequence
   * number, followed by the rest of the reply. That says of entries how far their numbers lie back: when it is read,
   * another reply may have begun a new epoch, in which the same numbers mean others.
   */
  async #ask(
    name: ScriptName,
    rest: readonly Argument[],
    ownKeys: readonly string[] = [],
  ): Promise<[Sequence, ...Reply]> {
    const keys = [...this.#keys.bookkeeping, ...ownKeys];
    const [epoch, generation, number, ...more] = await this.#run(name, keys, [...this.#numbering.remembered, ...rest]);
    // No script of ours replies anything else.
    if (typeof epoch !== 'string' || !isCount(generation) || !isCount(number)) throw new BadReply();
    const outcome = this.#numbering.accept({ epoch, generation, number });
    // The reply was on its way when Redis failed.
    if (outcome === 'old') throw new StoreUnavailable(CONNECTION_LOST);
    if (outcome === 'new') this.#onNewEpoch();
    return [this.#numbering.toEngine(number), ...more];
  }

  #followed([at, open, isComplete, ...list]: [Sequence, ...Reply]): FollowReply {
    if (isComplete !== 1) return { at, open: Number(open), changes: undefined };
    const changes: Array<readonly [Tag, Sequence]> = [];
    for (let i = 0; i + 1 < list.length; i += 2) {
      const number = Number(list[i + 1]);
      if (!isCount(number)) throw new BadReply();
      changes.push([tag(String(list[i])), this.#numbering.toEngine(number)]);
    }
    return { at, open: Number(open), changes };
  }

  #run(name: ScriptName, keys: readonly string[], rest: readonly Argument[]): Promise<Reply> {
    // defineCommand has put a method of this name on the client.
    const scripts = this.#client as unknown as Record<ScriptName, (...parameters: Argument[]) => Promise<Reply>>;
    return scripts[name](...keys, ...rest);
  }
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** A key of the wrong type counts as empty. */
const orNothing = (error: unknown): undefined => {
  if (error instanceof Error && error.message.startsWith('WRONGTYPE')) return undefined;
  throw error;
};
