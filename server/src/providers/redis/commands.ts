import type { CacheKey } from '../../cache/key';
import type { Tag } from '../../cache/tag';
import type { RedisClient } from './client';
import type { Keyspace } from './keyspace';
import type { Position } from './numbering';
import { SCRIPTS } from './scripts';
import { BadReply } from './unavailable';

type ScriptName = keyof typeof SCRIPTS;
type Argument = string | number | Buffer;
type Reply = ReadonlyArray<string | number | null>;
type Remembered = readonly [epoch: string, generation: number, highest: number];

export interface FoundReply {
  readonly position: Position;
  readonly number: number;
  readonly version: string;
  readonly meta: Buffer;
  readonly body: Buffer;
}

export interface MissedReply {
  readonly position: Position;
  readonly leased: boolean | undefined;
}

export interface FollowReply {
  readonly position: Position;
  /** Announcements open anywhere. */
  readonly open: number;
  /** Tags stamped since, with their numbers; `undefined` when there were too many to tell. */
  readonly changes: ReadonlyArray<readonly [tag: string, number: number]> | undefined;
}

/** Every question that is put to Redis, typed. One method is one round trip; none of them waits, retries or decides. */
export class Commands {
  readonly #client: RedisClient;
  readonly #keys: Keyspace;

  constructor(client: RedisClient, keys: Keyspace) {
    this.#client = client;
    this.#keys = keys;
    // ioredis sends EVAL once per connection and script, EVALSHA from then on, and recovers from NOSCRIPT itself.
    for (const [name, definition] of Object.entries(SCRIPTS)) client.defineCommand(name, definition);
  }

  /** Two commands, one round trip: the script decides, the body follows without passing through Lua. */
  async lookup(
    remembered: Remembered,
    key: CacheKey,
    lease: number,
    guard?: { readonly since: number; readonly tags: readonly Tag[] },
  ): Promise<FoundReply | MissedReply> {
    const guarded = guard === undefined ? [''] : [guard.since, ...guard.tags];
    const decided = this.#run('restCacheLookup', this.#entryKeys(key), [...remembered, key, lease, ...guarded]);
    const fetched = this.#client.hmgetBuffer(this.#keys.entry(key), 'm', 'b').catch(orNothing);
    // Both were sent; the second's failure must not surface unhandled when the first fails too.
    fetched.catch(() => undefined);
    const reply = await decided;
    const position = positionOf(reply);
    if (reply[3] !== 1) return { position, leased: reply[4] === undefined ? undefined : reply[4] === 1 };
    const [meta, body] = (await fetched) ?? [];
    // Deleted, expired or evicted in between.
    if (meta == null || body == null) return { position, leased: undefined };
    return { position, number: Number(reply[4]), version: String(reply[5]), meta, body };
  }

  async store(
    remembered: Remembered,
    key: CacheKey,
    entry: {
      readonly number: number;
      readonly version: string;
      /** Milliseconds. */
      readonly ttl: number;
      readonly kibibytes: number;
      readonly meta: string;
      readonly body: Buffer;
      readonly tags: readonly Tag[];
    },
  ): Promise<{ readonly position: Position; readonly kept: boolean }> {
    const { number, version, ttl, kibibytes, meta, body, tags } = entry;
    const reply = await this.#run('restCacheStore', this.#entryKeys(key), [
      ...[...remembered, key, number, version, ttl, kibibytes, meta, body],
      ...tags,
    ]);
    return { position: positionOf(reply), kept: reply[3] === 1 };
  }

  async announce(remembered: Remembered, id: string, holds: number, tags: readonly Tag[]): Promise<Position> {
    return positionOf(await this.#run('restCacheAnnounce', this.#stampKeys, [...remembered, id, holds, ...tags]));
  }

  async invalidate(
    remembered: Remembered,
    tags: readonly Tag[],
    closing?: { readonly id: string; readonly announced: readonly Tag[] },
  ): Promise<Position> {
    const { id, announced } = closing ?? { id: '', announced: [] };
    const rest = [id, announced.length, ...announced, ...tags];
    return positionOf(await this.#run('restCacheInvalidate', this.#stampKeys, [...remembered, ...rest]));
  }

  async renew(remembered: Remembered, holds: number, ids: readonly string[]): Promise<Position> {
    return positionOf(await this.#run('restCacheRenew', this.#stampKeys, [...remembered, holds, ...ids]));
  }

  async follow(remembered: Remembered, since: number): Promise<FollowReply> {
    const { state, stamps, announced } = this.#keys;
    return followed(await this.#run('restCacheFollow', [state, stamps, announced], [...remembered, since]));
  }

  async beat(remembered: Remembered, since: number, member: string, silence: number): Promise<FollowReply> {
    const keys = [...this.#stampKeys, this.#keys.members];
    return followed(await this.#run('restCacheBeat', keys, [...remembered, since, member, silence]));
  }

  async join(
    remembered: Remembered,
    newEpoch: string,
    member: string,
    database: string,
    isFirst: boolean,
  ): Promise<{ readonly position: Position; readonly begun: boolean; readonly young: boolean }> {
    const { state, stamps, announced, members, index, channel } = this.#keys;
    const reply = await this.#run(
      'restCacheJoin',
      [state, stamps, announced, members, index, channel],
      [...remembered, newEpoch, member, database, isFirst ? 1 : 0],
    );
    return { position: positionOf(reply), begun: reply[3] === 1, young: reply[4] === 1 };
  }

  async leave(member: string): Promise<void> {
    await this.#run('restCacheLeave', [this.#keys.members], [member]);
  }

  async clear(remembered: Remembered, trash: string): Promise<Position> {
    const keys = [...this.#stampKeys, this.#keys.trash(trash), this.#keys.index];
    return positionOf(await this.#run('restCacheClear', keys, [...remembered]));
  }

  /** Resolves to how many are left. */
  async sweep(trash: string, slice: number): Promise<number> {
    const { index, entryPrefix } = this.#keys;
    const left: unknown = await this.#run('restCacheSweep', [this.#keys.trash(trash), index, entryPrefix], [slice]);
    return Number(left);
  }

  async drop(remembered: Remembered, key: CacheKey, keyTag: Tag): Promise<{ position: Position; there: boolean }> {
    const keys = [...this.#stampKeys, this.#keys.entry(key), this.#keys.index];
    const reply = await this.#run('restCacheDrop', keys, [...remembered, key, keyTag]);
    return { position: positionOf(reply), there: reply[3] === 1 };
  }

  async unlease(key: CacheKey, lasts: number): Promise<void> {
    await this.#client.set(this.#keys.lease(key), '-', 'PX', lasts);
  }

  async usage(): Promise<{ readonly entries: number; readonly kibibytes: number }> {
    const [members, total] = await Promise.all([
      this.#client.zcard(this.#keys.index),
      this.#client.zscore(this.#keys.index, ''),
    ]);
    const kibibytes = Math.abs(Number(total ?? 0));
    return { entries: total === null ? members : members - 1, kibibytes: Number.isFinite(kibibytes) ? kibibytes : 0 };
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

  /** A slice of the index; the cursor is '0' at the end. */
  async names(cursor: string): Promise<readonly [cursor: string, keys: readonly CacheKey[]]> {
    const [next, elements] = await this.#client.zscan(this.#keys.index, cursor, 'COUNT', 50);
    return [next, elements.filter((name, position) => position % 2 === 0 && name !== '') as CacheKey[]];
  }

  get #stampKeys(): string[] {
    return [this.#keys.state, this.#keys.stamps, this.#keys.announced, this.#keys.channel];
  }

  #entryKeys(key: CacheKey): string[] {
    const { state, stamps, announced, index, channel } = this.#keys;
    return [state, stamps, announced, this.#keys.entry(key), this.#keys.lease(key), index, channel];
  }

  #run(name: ScriptName, keys: readonly string[], rest: readonly Argument[]): Promise<Reply> {
    // defineCommand has put a method of this name on the client.
    const scripts = this.#client as unknown as Record<ScriptName, (...parameters: Argument[]) => Promise<Reply>>;
    return scripts[name](...keys, ...rest);
  }
}

/** @throws BadReply for what no script of ours replies. */
const positionOf = ([epoch, generation, number]: Reply): Position => {
  if (typeof epoch !== 'string' || !isCount(generation) || !isCount(number)) throw new BadReply();
  return { epoch, generation, number };
};

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

/** A key that is not of its type holds nothing. */
const orNothing = (error: unknown): undefined => {
  if (error instanceof Error && error.message.startsWith('WRONGTYPE')) return undefined;
  throw error;
};

const followed = (reply: Reply): FollowReply => {
  const position = positionOf(reply);
  const open = Number(reply[3]);
  if (reply[4] !== 1) return { position, open, changes: undefined };
  const changes: Array<readonly [string, number]> = [];
  for (let i = 5; i + 1 < reply.length; i += 2) {
    const number = Number(reply[i + 1]);
    if (!isCount(number)) throw new BadReply();
    changes.push([String(reply[i]), number]);
  }
  return { position, open, changes };
};
