import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { tag } from '../../server/src/cache/tag';
import { freePort } from '../application/free-port';
import { endedAfterEach } from './ended-after-each';
import { expectNoHarm, FIRST_LEVEL, type RedisInstance, whenUp } from './instances';
import { missingRedis, RedisServer } from './redis-server';
import { VersionedDatabase } from './versioned-database';

describe.skipIf(missingRedis !== undefined)('faults of Redis', () => {
  const { atEnd, open, start } = endedAfterEach();
  let instances: readonly RedisInstance[];

  /** Three processes, one of them with a first level. */
  const three = (url: string): readonly RedisInstance[] =>
    (instances = [{}, FIRST_LEVEL, {}].map((options) => open({ connection: url, ...options })));

  /** Readers and writers are busy, a fault begins and ends, and everything recovers. */
  const survive = async (database: VersionedDatabase, fault: () => Promise<void>): Promise<void> => {
    await database.untilCaching();
    database.start();
    await delay(300);
    await fault();
    await database.untilCaching();
    await delay(500);
    await database.untilHits(50);
    await database.stop();
    expectNoHarm(database);
  };

  it('serves uncached while Redis is down at boot, warns once, and comes up by itself', async () => {
    const redis = new RedisServer(await freePort());
    atEnd(() => redis.end());
    const database = new VersionedDatabase(three(redis.url));
    await delay(300);
    for (const index of [0, 1, 2]) {
      expect((await database.read(index, 'row0')).kind).toBe('uncached');
      await database.write(index, 'row0');
    }
    await delay(500);
    for (const { states } of instances) {
      expect(states.map(({ state }) => state)).toEqual(['down']);
      expect(states[0]?.reason).toMatch(/^Redis cannot be reached .* \(ECONNREFUSED\)$/);
    }
    await redis.start();
    await database.untilCaching();
    expect(instances[0]?.states.map(({ state }) => state)).toEqual(['down', 'up']);
    expectNoHarm(database);
  });

  it('survives a kill and a restart without data', async () => {
    const redis = await start();
    const database = new VersionedDatabase(three(redis.url));
    await survive(database, async () => {
      await redis.kill();
      await delay(1000);
      await redis.start();
    });
  });

  it('comes back although thousands of rows were written meanwhile', async () => {
    const redis = await start();
    const [instance] = three(redis.url);
    if (instance === undefined) return;
    const { provider } = instance;
    await whenUp(provider);
    await redis.kill();
    for (let write = 0; write < 10; write += 1)
      await provider.invalidate(Array.from({ length: 15_000 }, (_, row) => tag(`articles#${write}.${row}`)));
    await redis.start();
    await whenUp(provider);
  });

  it('survives Redis hanging for a while', async () => {
    const redis = await start();
    const database = new VersionedDatabase(three(redis.url));
    await survive(database, async () => {
      redis.signal('SIGSTOP');
      await delay(1500);
      redis.signal('SIGCONT');
    });
  });

  it('survives a restart with old data', async () => {
    const redis = await start();
    const database = new VersionedDatabase(three(redis.url));
    await survive(database, async () => {
      await redis.command('SAVE');
      await delay(300);
      await redis.kill();
      await redis.start();
    });
  });

  it('serves nothing of old data to a process that was not there before', async () => {
    const redis = await start();
    const [before] = three(redis.url);
    if (before === undefined) return;
    const first = new VersionedDatabase([before]);
    await first.untilCaching();
    await first.read(0, 'row0');
    await redis.command('SAVE');
    await first.write(0, 'row0');
    for (const { provider } of instances) await provider.close();
    await redis.kill();
    await redis.start();
    const after = open({ connection: redis.url });
    await whenUp(after.provider);
    const found = await after.provider.lookup('/api/row0?&&' as never);
    expect(found.entry).toBeUndefined();
  });

  it('survives evictions under memory pressure', async () => {
    const redis = await start('--maxmemory', '4mb', '--maxmemory-policy', 'allkeys-lru');
    const database = new VersionedDatabase(three(redis.url), 30_000);
    await database.untilCaching();
    database.start({ keys: 150 });
    const evicted = async (): Promise<number> =>
      Number(/evicted_keys:(\d+)/.exec(String(await redis.command('INFO', 'stats')))?.[1]);
    await expect.poll(evicted, { timeout: 60_000 }).toBeGreaterThan(20);
    await database.untilHits(50);
    await database.stop();
    expectNoHarm(database);
  });

  it('goes on purging and serving when Redis is out of memory', async () => {
    const redis = await start('--maxmemory', '100mb', '--maxmemory-policy', 'noeviction');
    const database = new VersionedDatabase(three(redis.url), 2000);
    await database.untilCaching();
    database.start();
    await delay(300);
    await redis.command('CONFIG', 'SET', 'maxmemory', '1mb');
    await delay(800);
    for (const { states } of instances) expect(states.map(({ state }) => state)).not.toContain('down');
    const used = Number(/used_memory:(\d+)/.exec(String(await redis.command('INFO', 'memory')))?.[1]);
    await delay(400);
    const later = Number(/used_memory:(\d+)/.exec(String(await redis.command('INFO', 'memory')))?.[1]);
    expect(later - used).toBeLessThan(200_000);
    await redis.command('CONFIG', 'SET', 'maxmemory', '100mb');
    await database.untilCaching();
    await database.stop();
    expectNoHarm(database);
  });

  it('serves nothing from a read-only replica, and comes back when it is a master again', async () => {
    const master = await start();
    const redis = await start();
    const database = new VersionedDatabase(three(redis.url));
    await survive(database, async () => {
      await redis.command('REPLICAOF', '127.0.0.1', String(master.port));
      const states = (): unknown[] => instances.map(({ provider }) => provider.health().state);
      await expect.poll(states, { timeout: 60_000 }).toEqual(['down', 'down', 'down']);
      expect(instances[0]?.provider.health().reason).toBe('this Redis is a read-only replica');
      await redis.command('REPLICAOF', 'NO', 'ONE');
    });
  });

  it('serves nothing where a write could not be recorded, not even to who only reads', async () => {
    const redis = await start();
    const reader = open({ connection: redis.url }, { timing: { beat: milliseconds(0) } });
    const database = new VersionedDatabase([reader]);
    await database.untilCaching();
    await redis.command('CONFIG', 'SET', 'min-replicas-to-write', '1');
    expect((await database.read(0, 'probe0')).kind).toBe('uncached');
    await expect
      .poll(() => reader.provider.health().reason, { timeout: 60_000 })
      .toBe('Redis refuses commands (NOREPLICAS)');
    await redis.command('CONFIG', 'SET', 'min-replicas-to-write', '0');
    await database.untilCaching();
  });
});
