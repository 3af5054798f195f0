import { randomBytes } from 'node:crypto';
import type { ChainableCommander, Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { EVERYTHING } from '../../server/src/cache/tag';
import { FIRST_LEVEL, openInstance, type RedisInstance, whenUp } from './instances';
import { missingRedis, RedisServer } from './redis-server';
import { VersionedDatabase } from './versioned-database';

/** Generous, for slow machines. Milliseconds. */
const PATIENCE = 20_000;

const PREFIX = '{rest-cache:v1:test}';
const ENTRY = `${PREFIX}:entry:f1:/api/row0?&&`;
const COUNTERS = `${PREFIX}:counters:minute:1`;

interface Damage {
  readonly name: string;
  readonly key: string;
  do(redis: Redis): Promise<unknown>;
}

/** Damages that replace a whole key. */
const asAWhole = (name: string, key: string): Damage[] => {
  // In one transaction, because an instance might repair a missing key in between.
  const become = (type: string, put: (commands: ChainableCommander) => ChainableCommander): Damage => ({
    name: `${name} is ${type}`,
    key,
    do: (redis) => put(redis.multi().unlink(key)).exec(),
  });
  return [
    become('gone', (commands) => commands),
    become('a text', (commands) => commands.set(key, 'nonsense')),
    become('bytes', (commands) => commands.set(key, randomBytes(100))),
    become('a list', (commands) => commands.rpush(key, 'a', 'b')),
    become('a set', (commands) => commands.sadd(key, 'a', 'b')),
    become('a hash', (commands) => commands.hset(key, 'epoch', 'abc', 'sequence', 'abc', 'v', 'x', 'm', 'x', 'b', 'x')),
    become('a sorted set', (commands) => commands.zadd(key, 5, 'abc', Infinity, 'epoch:abc')),
  ];
};

const NONSENSE: ReadonlyArray<readonly [name: string, value: (was: Buffer) => Buffer | string]> = [
  ['empty', () => ''],
  ['a word', () => 'abc'],
  ['negative', () => '-1'],
  ['zero', () => '0'],
  ['not a number', () => 'nan'],
  ['infinite', () => 'inf'],
  ['too large', () => '99999999999999999999999'],
  ['a fraction', () => '1.5'],
  ['random bytes', () => randomBytes(40)],
  ['cut off', (was) => was.subarray(0, was.length >> 1)],
  ['longer', (was) => Buffer.concat([was, Buffer.from('x')])],
  ['a megabyte', () => randomBytes(1_000_000)],
  [
    'one bit off',
    (was) => {
      const now = Buffer.from(was);
      const at = Math.floor(Math.random() * now.length);
      now[at] = (now[at] ?? 0) ^ (1 << Math.floor(Math.random() * 8));
      return now;
    },
  ],
];

const inField = (name: string, key: string, field: string): Damage[] => [
  { name: `${name}: ${field} is gone`, key, do: (redis) => redis.hdel(key, field) },
  ...NONSENSE.map(
    ([what, value]): Damage => ({
      name: `${name}: ${field} is ${what}`,
      key,
      do: async (redis) => redis.hset(key, field, value((await redis.hgetBuffer(key, field)) ?? Buffer.from('?'))),
    }),
  ),
];

/** Scores that are too high are noticed. For a single stamp that is too low, see the limits in docs/redis.md. */
const inMembers = (name: string, key: string, scores: readonly number[]): Damage[] => [
  ...scores.map(
    (score): Damage => ({
      name: `${name}: every score is ${score}`,
      key,
      do: async (redis) => {
        for (const member of await redis.zrange(key, 0, -1)) await redis.zadd(key, score, member);
      },
    }),
  ),
  { name: `${name}: a member is gone`, key, do: (redis) => redis.zpopmin(key) },
  { name: `${name}: the last member is gone`, key, do: (redis) => redis.zpopmax(key) },
  {
    name: `${name}: there are strange members`,
    key,
    do: (redis) => redis.zadd(key, -7, 'x', 1e300, randomBytes(9), 5.5, ''),
  },
];

describe.skipIf(missingRedis !== undefined)('damage in Redis', () => {
  const rows = Array.from({ length: 6 }, (_, index) => `row${index}`);
  let server: RedisServer;
  let instances: RedisInstance[];
  let database: VersionedDatabase;

  beforeAll(async () => {
    server = await RedisServer.start();
    const settings = {
      getTimeout: milliseconds(PATIENCE),
      timing: { settle: milliseconds(20), beat: milliseconds(50), probe: milliseconds(20) },
    };
    instances = [
      openInstance({ connection: server.url }, settings),
      openInstance({ connection: server.url, ...FIRST_LEVEL }, settings),
    ];
    database = new VersionedDatabase(instances, 3000);
    for (const { provider } of instances) await whenUp(provider);
  });
  afterAll(async () => {
    for (const { provider } of instances) await provider.close();
    await server.end();
  });

  const hitsOf = async (instance: number): Promise<string[]> => {
    const kinds = await Promise.all(rows.map(async (row) => [row, (await database.read(instance, row)).kind] as const));
    return kinds.flatMap(([row, kind]) => (kind === 'hit' ? [row] : []));
  };
  const untilAllHit = (): Promise<void> =>
    expect
      .poll(async () => [(await hitsOf(0)).length, (await hitsOf(1)).length], { timeout: PATIENCE })
      .toEqual([rows.length, rows.length]);
  const first = (): RedisInstance => {
    const [instance] = instances;
    if (instance === undefined) throw new Error('no instance');
    return instance;
  };

  /** Creates everything that can be damaged: entries, including dead ones, stamps, an announcement, counters. */
  const prepare = async (): Promise<() => Promise<unknown>> => {
    await untilAllHit();
    const { provider } = first();
    await provider.counters.add('minute:1', { hits: 2 }, milliseconds(60_000));
    const announcement = await provider.announce(['announced' as never]);
    // Their entries are still in Redis, and would be served if the stamps were lost.
    await database.write(0, 'row4');
    await database.write(0, 'row5');
    return async () => provider.invalidate(['announced' as never], announcement);
  };

  const survives = (damages: readonly Damage[], costs: 'nothing' | 'the entry' | 'the cache'): void => {
    for (const damage of damages) {
      it(
        damage.name,
        async () => {
          const close = await prepare();
          const reports = first().states.length;
          await server.admin((redis) => damage.do(redis));
          const alive = ['row1', 'row2', 'row3'];
          const kinds = await Promise.all(alive.map(async (row) => (await database.read(0, row)).kind));
          if (costs !== 'the cache') expect(kinds).toEqual(['hit', 'hit', 'hit']);
          for (const row of rows) await database.read(0, row);
          for (const row of rows) await database.read(1, row);
          await database.write(1, 'row2');
          // The request for usage repairs the damage.
          await expect
            .poll(
              async () =>
                first()
                  .provider.usage()
                  .then(
                    () => true,
                    () => false,
                  ),
              { timeout: PATIENCE },
            )
            .toBe(true);
          await untilAllHit();
          await close();
          const { provider } = first();
          await provider.counters.add('minute:1', { hits: 1 }, milliseconds(60_000));
          const found: string[] = [];
          for await (const slice of provider.summaries({ lists: [[EVERYTHING]], all: true }))
            for (const { key, labels } of slice) found.push(key, labels.route);
          expect(found.filter((text) => !text.startsWith('/'))).toEqual([]);
          expect((await provider.usage()).bytes).toBeGreaterThanOrEqual(0);
          const [sums] = await provider.counters.read(['minute:1']);
          expect(Object.values(sums ?? {}).every(Number.isSafeInteger)).toBe(true);
          expect(database.stale).toEqual([]);
          expect(database.errors).toEqual([]);
          if (costs !== 'the cache') expect(first().states.slice(reports)).toEqual([]);
        },
        3 * PATIENCE,
      );
    }
  };

  describe('of an entry costs that entry', () => {
    survives(asAWhole('the entry', ENTRY), 'the entry');
    for (const field of ['v', 'm', 'b']) survives(inField('the entry', ENTRY, field), 'the entry');
  });
  describe('of counters costs nothing', () => {
    survives(asAWhole('counters', COUNTERS), 'nothing');
    survives(inField('counters', COUNTERS, 'hits'), 'nothing');
  });
  describe('of bookkeeping heals by itself', () => {
    for (const name of ['state', 'stamps', 'announced', 'members', 'index:f1'])
      survives(asAWhole(name, `${PREFIX}:${name}`), 'the cache');
    for (const field of ['epoch', 'generation', 'sequence', 'floor', 'server', 'seal', 'database', 'p:announced'])
      survives(inField('state', `${PREFIX}:state`, field), 'the cache');
    survives(inMembers('stamps', `${PREFIX}:stamps`, [1e15, Infinity]), 'the cache');
    for (const name of ['announced', 'members', 'index:f1'])
      survives(inMembers(name, `${PREFIX}:${name}`, [0, -1, 0.5, 1e15, 1e300, Infinity]), 'the cache');
  });
});
