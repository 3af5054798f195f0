import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../server/src/cache/clock';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { NoRoom } from '../../server/src/cache/no-room';
import { EVERYTHING, tag } from '../../server/src/cache/tag';
import type { RedisProvider } from '../../server/src/providers/redis/redis-provider';
import { bodyOf, fill, isServedUnder, key, sampleEntry } from '../../provider-suite';
import { caughtUp, FIRST_LEVEL } from './instances';
import { oneServer } from './one-server';
import { missingRedis } from './redis-server';

describe.skipIf(missingRedis !== undefined)('what Redis keeps', () => {
  const oneRedis = oneServer();
  const open = (keysPrefix: string, fingerprint = 'f1'): Promise<RedisProvider> =>
    oneRedis.open({}, { keysPrefix, fingerprint, timing: { beat: milliseconds(50) } });

  it('forgets the oldest stamps, and never brings back to life what they had killed', async () => {
    const provider = await open('stamps');
    const early = await caughtUp(provider);
    await provider.invalidate([tag('victim')]);
    const between = await caughtUp(provider);
    for (let batch = 0; batch < 21; batch += 1) {
      await provider.invalidate(Array.from({ length: 5000 }, (_, row) => tag(`row:${batch}:${row}`)));
    }
    expect(Number(await oneRedis.server.command('ZCARD', '{rest-cache:v1:stamps}:stamps'))).toBeLessThanOrEqual(
      100_001,
    );
    expect(await oneRedis.server.command('ZSCORE', '{rest-cache:v1:stamps}:stamps', 'victim')).toBeNull();
    expect(await provider.store(sampleEntry(early, systemClock, { tags: ['victim'] }))).toBe(false);
    expect(await isServedUnder(provider, systemClock, [tag('victim')], early)).toBe(false);
    expect(await provider.store(sampleEntry(between, systemClock, { tags: ['unrelated'] }))).toBe(false);
    expect(await fill(provider, systemClock, { tags: ['victim'] })).toBe(true);
    expect(await bodyOf(provider)).toBeDefined();
  });

  it('keeps bodies as their bytes, and lets entries expire by themselves', async () => {
    const provider = await open('bytes');
    const body = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    await fill(provider, systemClock, { body, maxAge: 5000 });
    const name = `{rest-cache:v1:bytes}:entry:f1:${key('articles')}`;
    await oneRedis.server.admin(async (redis) => {
      expect(await redis.hgetBuffer(name, 'b')).toEqual(body);
      const left = await redis.pttl(name);
      expect(left).toBeGreaterThan(3000);
      expect(left).toBeLessThanOrEqual(5000);
    });
  });

  it('deletes what was cleared, in the background, and nothing else', async () => {
    const provider = await open('cleared');
    const other = await open('other');
    await fill(other, systemClock);
    await oneRedis.server.command('SET', 'foreign', 'value');
    await Promise.all(
      Array.from({ length: 5000 }, (_, index) => fill(provider, systemClock, { key: key(`n${index}`) })),
    );
    await provider.clear();
    const anew = Array.from({ length: 200 }, (_, index) => key(`n${index * 25}`));
    await Promise.all(anew.map((name) => fill(provider, systemClock, { key: name })));
    const names = async (): Promise<string[]> =>
      oneRedis.server.command<string[]>('KEYS', '{rest-cache:v1:cleared}:entry:*');
    await expect.poll(async () => (await names()).length, { timeout: 60_000 }).toBe(anew.length);
    for (const name of anew) expect(await bodyOf(provider, name)).toBeDefined();
    expect(await bodyOf(other)).toBeDefined();
    expect(await oneRedis.server.command('GET', 'foreign')).toBe('value');
  });

  it('keeps the latest texts of a list, for all processes, and begins it anew where it is none any more', async () => {
    const lifetime = milliseconds(60_000);
    const name = '{rest-cache:v1:lists}:list:writes';
    const [one, other, stranger] = [await open('lists'), await open('lists', 'f2'), await open('elsewhere')];
    await one.lists.add('writes', ['a', 'b'], 3, lifetime);
    await other.lists.add('writes', ['c', 'd'], 3, lifetime);
    expect(await one.lists.read('writes')).toEqual(['d', 'c', 'b']);
    expect(await other.lists.read('purges')).toEqual([]);
    expect(await stranger.lists.read('writes')).toEqual([]);
    const left = Number(await oneRedis.server.command('PTTL', name));
    expect(left).toBeGreaterThan(50_000);
    expect(left).toBeLessThanOrEqual(60_000);
    await oneRedis.server.command('SET', name, 'no list');
    expect(await one.lists.read('writes')).toEqual([]);
    await one.lists.add('writes', ['e'], 3, lifetime);
    expect(await one.lists.read('writes')).toEqual(['e']);
    await one.clear();
    expect(await one.lists.read('writes')).toEqual(['e']);
  });

  it('lets everything expire that nobody uses, and renews what somebody does', async () => {
    const WEEK = 7 * 86_400_000;
    const provider = await open('leftovers', 'former');
    await fill(provider, systemClock, { maxAge: 10 * 365 * 86_400_000 });
    await provider.invalidate([tag('articles')]);
    await provider.announce([tag('left')]);
    await provider.invalidate([EVERYTHING]);
    await fill(provider, systemClock, { maxAge: 10 * 365 * 86_400_000 });
    await provider.counters.add('minute:1', { hits: 1 }, milliseconds(60_000));
    await provider.lists.add('writes', ['a'], 3, milliseconds(60_000));
    await provider.clear();
    await fill(provider, systemClock, { maxAge: 10 * 365 * 86_400_000 });
    const lifetimes = (): Promise<Array<readonly [string, number]>> =>
      oneRedis.server.admin(async (redis) =>
        Promise.all(
          (await redis.keys('{rest-cache:v1:leftovers}:*')).map(
            async (name) => [name, await redis.pttl(name)] as const,
          ),
        ),
      );
    const kept = await lifetimes();
    const kinds = new Set(kept.map(([name]) => name.split(':')[3]));
    for (const kind of ['state', 'stamps', 'announced', 'members', 'entry', 'index']) expect(kinds).toContain(kind);
    for (const [name, left] of kept) {
      expect(left, name).toBeGreaterThan(0);
      expect(left, name).toBeLessThanOrEqual(WEEK);
    }
    const SOON = 3_600_000;
    // In one transaction, because these keys are renewed together.
    await oneRedis.server.admin((redis) =>
      ['state', 'stamps', 'members']
        .reduce((commands, name) => commands.pexpire(`{rest-cache:v1:leftovers}:${name}`, SOON), redis.multi())
        .exec(),
    );
    const bookkeeping = async (): Promise<boolean> =>
      (await lifetimes()).filter(([name]) => /:(state|stamps|members)$/.test(name)).every(([, left]) => left > SOON);
    await expect.poll(bookkeeping, { timeout: 60_000 }).toBe(true);
    expect(await bodyOf(provider)).toBeDefined();
  });

  it('begins anew where all of it has expired', async () => {
    const provider = await open('expired-state');
    await fill(provider, systemClock);
    for (const name of ['state', 'stamps', 'announced', 'members'])
      await oneRedis.server.command('UNLINK', `{rest-cache:v1:expired-state}:${name}`);
    await expect.poll(() => bodyOf(provider).catch(() => undefined), { timeout: 20_000 }).toBeUndefined();
    await expect.poll(() => fill(provider, systemClock).catch(() => false), { timeout: 20_000 }).toBe(true);
    expect(await bodyOf(provider)).toBeDefined();
  });

  it('does not keep the names of entries that Redis has evicted, and ends the copies that processes have of them', async () => {
    const localCache = { maxSize: 5000, maxBytes: 10_000_000 };
    const provider = await oneRedis.open({ localCache }, { keysPrefix: 'evicted' });
    const index = '{rest-cache:v1:evicted}:index:f1';
    const names = Array.from({ length: 3000 }, (_, row) => key(`gone${row}`));
    await Promise.all(names.map((name) => fill(provider, systemClock, { key: name })));
    const struck = await oneRedis.server.admin(async (redis) => {
      await redis.unlink(await redis.keys('{rest-cache:v1:evicted}:entry:*'));
      for (let entry = 0; (await redis.zcard(index)) > 2000; entry += 1) {
        expect(entry, 'more new entries than there were old ones').toBeLessThan(3000);
        await fill(provider, systemClock, { key: key(`new${entry % 100}`) });
      }
      const scores = await redis.zmscore(index, ...names);
      return names.filter((_, row) => scores[row] === null);
    });
    const copies = async (): Promise<number> => {
      const bodies = await Promise.all(struck.map((name) => bodyOf(provider, name)));
      return bodies.filter((body) => body !== undefined).length;
    };
    expect(await copies()).toBe(struck.length);
    for await (const slice of provider.summaries({ lists: [], all: true })) void slice;
    expect(await copies()).toBe(0);
  });

  it('strikes expired entries off its index', async () => {
    const provider = await open('expired');
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => fill(provider, systemClock, { key: key(`n${index}`), maxAge: 3000 })),
    );
    expect((await provider.usage()).entries).toBe(10);
    const afterAnother = async (): Promise<unknown> => {
      await fill(provider, systemClock, { key: key('late') });
      return provider.usage();
    };
    await expect.poll(afterAnother, { timeout: 60_000 }).toMatchObject({ entries: 1, bytes: 1024 });
  });

  it('says that there is no room where Redis is full and evicts nothing', async () => {
    const provider = await open('full');
    const sequence = await caughtUp(provider);
    await oneRedis.server.command('CONFIG', 'SET', 'maxmemory', '1mb');
    await expect(provider.store(sampleEntry(sequence, systemClock))).rejects.toThrow(NoRoom);
    await oneRedis.server.command('CONFIG', 'SET', 'maxmemory', '0');
    expect(provider.health().state).toBe('up');
    expect(await provider.store(sampleEntry(sequence, systemClock))).toBe(true);
  });

  it.each([0, 50])(
    'no guard holds after an announcement that its process never closed, whoever finds it (a sign of life every %i ms)',
    async (beat) => {
      const keysPrefix = `overdue-${beat}`;
      const open = (timing = {}): Promise<RedisProvider> =>
        oneRedis.open(FIRST_LEVEL, { keysPrefix, timing: { beat: milliseconds(beat), ...timing } });
      const dead = await open({ beat: milliseconds(0), announcement: milliseconds(1) });
      const [survivor, other] = [await open(), await open()];
      await dead.announce([tag('rows')]);
      // What is read from here on may be from before the commit.
      const guard = { tags: [tag('rows')], since: await caughtUp(survivor) };
      expect(await survivor.holds?.(guard)).toBe(false);
      await delay(200);
      await other.invalidate([tag('others')], await other.announce([tag('others')]));
      expect(await survivor.holds?.(guard)).toBe(false);
    },
  );

  it('keeps no long URL after its entry was purged by hand, of which it ends every copy', async () => {
    const open = (): Promise<RedisProvider> => oneRedis.open(FIRST_LEVEL, { keysPrefix: 'long' });
    const [one, other] = [await open(), await open()];
    const long = key('x'.repeat(40_000));
    await fill(one, systemClock, { key: long });
    expect([await bodyOf(one, long), await bodyOf(other, long)]).not.toContain(undefined);
    await one.delete(long);
    expect([await bodyOf(one, long), await bodyOf(other, long)]).toEqual([undefined, undefined]);
    expect(Number(await oneRedis.server.command('MEMORY', 'USAGE', '{rest-cache:v1:long}:stamps'))).toBeLessThan(1000);
  });
});
