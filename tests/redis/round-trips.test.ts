import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../server/src/cache/clock';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { tag } from '../../server/src/cache/tag';
import { fill, key, sampleEntry } from '../../provider-suite';
import { RedisProvider } from '../../server/src/providers/redis/redis-provider';
import { timingFor } from '../../server/src/providers/redis/timing';
import { missingRedis, RedisServer } from './redis-server';
import { TcpProxy } from './tcp-proxy';
import { caughtUp, whenUp } from './instances';

/** The duration of a round trip through the proxy, in milliseconds. */
const ROUND_TRIP = 60;

const GET_TIMEOUT = milliseconds(5000);

/** No heartbeats, so that only the commands under test are counted. */
const QUIET = { ...timingFor(GET_TIMEOUT), beat: milliseconds(0), settle: milliseconds(0) };

const ONE_SCRIPT = { commands: ['evalsha'], roundTrips: 1 };
const ONE_QUESTION = { commands: ['evalsha', 'hmget'], roundTrips: 1 };

describe.skipIf(missingRedis !== undefined)('round trips', () => {
  let server: RedisServer;
  let proxy: TcpProxy;
  let monitor: Redis;
  let admin: Redis;
  const commands: string[] = [];
  const opened: RedisProvider[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
    proxy = await TcpProxy.to(server.port, ROUND_TRIP / 2);
    admin = new Redis(server.port);
    // The connection must be silent first: ioredis treats a line right after MONITOR's "OK" as an unexpected answer.
    await admin.ping();
    monitor = await admin.monitor();
    monitor.on('monitor', (_time: string, args: string[], source: string) => {
      if (source !== 'lua') commands.push((args[0] ?? '').toLowerCase());
    });
  });
  afterAll(async () => {
    for (const provider of opened) await provider.close();
    monitor.disconnect();
    admin.disconnect();
    await proxy.close();
    await server.end();
  });

  const open = async (options: Record<string, unknown>, keysPrefix = `p${opened.length}`): Promise<RedisProvider> => {
    const provider = new RedisProvider(
      { host: '127.0.0.1', port: proxy.port, localCache: false, ...options },
      { keysPrefix, fingerprint: 'f', database: 'd', getTimeout: GET_TIMEOUT, events: {} },
      systemClock,
      QUIET,
    );
    opened.push(provider);
    await whenUp(provider);
    // Runs every script once, so that ioredis sends EVALSHA from here on.
    await provider.lookup(key('warm'));
    await fill(provider, systemClock, { key: key('warm') });
    await provider.lookup(key('warm'), { tags: [tag('x')], since: await caughtUp(provider) });
    const announcement = await provider.announce([tag('warm')]);
    await provider.invalidate([tag('warm')], announcement);
    await provider.delete(key('warm'));
    await provider.clear();
    await new Promise((resolve) => setTimeout(resolve, 3 * ROUND_TRIP));
    return provider;
  };

  /** The commands as Redis saw them, and the number of round trips that were waited for. */
  const measure = async (operation: () => unknown): Promise<{ commands: string[]; roundTrips: number }> => {
    await admin.ping();
    commands.length = 0;
    const { turns } = proxy;
    await operation();
    const roundTrips = proxy.turns - turns;
    await admin.ping();
    return { commands: commands.filter((name) => name !== 'ping'), roundTrips };
  };

  it('asks once for a hit, with or without a guard', async () => {
    const provider = await open({});
    await fill(provider, systemClock);
    const since = await caughtUp(provider);
    for (const guard of [undefined, { tags: [tag('permissions')], since }])
      expect(await measure(() => provider.lookup(key('articles'), guard))).toEqual(ONE_QUESTION);
  });

  it('asks once before and once after a computation for a miss', async () => {
    const provider = await open({});
    expect(await measure(() => provider.lookup(key('articles')))).toEqual(ONE_QUESTION);
    const { sequence } = await provider.lookup(key('articles'));
    const after = await measure(() => sequence !== undefined && provider.store(sampleEntry(sequence, systemClock)));
    expect(after).toEqual(ONE_SCRIPT);
  });

  it('purges in one round trip, however many entries there are', async () => {
    const provider = await open({});
    await Promise.all(
      Array.from({ length: 500 }, (_, index) => fill(provider, systemClock, { key: key(`n${index}`) })),
    );
    expect(await measure(() => provider.invalidate([tag('articles')]))).toEqual(ONE_SCRIPT);
    for (const index of [0, 250, 499]) expect((await provider.lookup(key(`n${index}`))).entry).toBeUndefined();
  });

  it('announces and stamps in one round trip each', async () => {
    const provider = await open({});
    let announcement: Awaited<ReturnType<RedisProvider['announce']>>;
    expect(await measure(async () => (announcement = await provider.announce([tag('a'), tag('b')])))).toEqual(
      ONE_SCRIPT,
    );
    expect(await measure(() => announcement && provider.invalidate([tag('a')], announcement))).toEqual(ONE_SCRIPT);
  });

  const local = { maxSize: 100, maxBytes: 1_000_000 };

  it('shares one question among simultaneous hits of a first level', async () => {
    const provider = await open({ localCache: local });
    await fill(provider, systemClock);
    await provider.lookup(key('articles'));
    const hits = await measure(async () => {
      const found = await Promise.all(Array.from({ length: 50 }, async () => provider.lookup(key('articles'))));
      for (const { entry } of found) expect(entry).toBeDefined();
    });
    expect(hits).toEqual(ONE_SCRIPT);
  });

  it('asks once whether guards hold, where there is a first level', async () => {
    expect((await open({})).holds).toBeUndefined();
    const provider = await open({ localCache: local });
    const since = await caughtUp(provider);
    const guards = ['a', 'b', 'c'].map((name) => ({ tags: [tag(name)], since }));
    let answers: unknown;
    const asked = await measure(async () => {
      answers = await Promise.all(guards.map(async (guard) => provider.holds?.(guard)));
    });
    expect(asked).toEqual(ONE_SCRIPT);
    expect(answers).toEqual([true, true, true]);
    await provider.invalidate([tag('b')]);
    expect(await Promise.all(guards.map(async (guard) => provider.holds?.(guard)))).toEqual([true, false, true]);
  });

  it('never asks for KEYS, SCAN or FLUSH', async () => {
    const provider = await open({});
    const all = await measure(async () => {
      for (const name of ['a', 'b', 'c']) await fill(provider, systemClock, { key: key(name) });
      await provider.usage();
      await provider.invalidate([tag('articles')]);
      await provider.delete(key('a'));
      await provider.clear();
      for await (const slice of provider.summaries({ lists: [], all: true })) expect(slice).toEqual([]);
    });
    for (const name of all.commands) expect(name).not.toMatch(/^(keys|flush)|scan$/);
  });
});
