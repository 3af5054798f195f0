import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../server/src/cache/milliseconds';
import type { CacheKey } from '../../server/src/cache/key';
import type { Provider } from '../../server/src/cache/provider';
import { tag } from '../../server/src/cache/tag';
import { endedAfterEach } from './ended-after-each';
import { expectNoHarm, FIRST_LEVEL, GET_TIMEOUT, whenUp } from './instances';
import { missingRedis } from './redis-server';
import { VersionedDatabase } from './versioned-database';

describe.skipIf(missingRedis !== undefined)('one instance in trouble', () => {
  const { atEnd, open, start, proxyOf } = endedAfterEach();

  for (const kind of ['silent', 'cut'] as const) {
    it(`delivers what it could not tell before it serves again (${kind} partition)`, async () => {
      const server = await start();
      const proxy = await proxyOf(server);
      const lonely = open({ host: '127.0.0.1', port: proxy.port });
      const database = new VersionedDatabase([
        lonely,
        open({ connection: server.url }),
        open({ connection: server.url, ...FIRST_LEVEL }),
      ]);
      await database.untilCaching();
      database.start();
      // Some reads and writes of all instances lie before the fault.
      await delay(300);
      proxy.mode = kind;
      const partitionedAt = performance.now();
      // No other instance writes this row, so only the late delivery can bring it up to date.
      for (const index of [1, 2]) await database.read(index, 'quiet');
      await database.write(0, 'quiet');
      // Some lie within it.
      await delay(1200);
      proxy.mode = 'pass';
      await database.untilCaching();
      const healedAt = performance.now();
      for (const index of [0, 1, 2]) expect((await database.read(index, 'quiet')).version).toBe(1);
      // Some lie behind it.
      await delay(500);
      await database.stop();
      // Other instances cannot know what the isolated one commits in the meantime. This is the one thing that is not
      // promised, and it is documented.
      const unexpected = database.stale.filter(
        ({ at, instance }) => instance === 0 || at < partitionedAt || at > healedAt,
      );
      expect(unexpected).toEqual([]);
      database.stale.length = 0;
      expectNoHarm(database);
    });
  }

  it.each([5000, 60])(
    'acknowledges a write only when the others know of it, though its connection breaks and comes back at once (getTimeout: %i)',
    async (getTimeout) => {
      const server = await start();
      const proxy = await proxyOf(server);
      const timing = { settle: milliseconds(0) };
      const settings = { timing, getTimeout: milliseconds(getTimeout) };
      const writing = open({ host: '127.0.0.1', port: proxy.port }, settings);
      const database = new VersionedDatabase([writing, open({ connection: server.url, ...FIRST_LEVEL }, { timing })]);
      await database.untilCaching();
      for (let round = 0; round < 10; round += 1) {
        await whenUp(writing.provider);
        await database.read(1, 'row0');
        expect((await database.read(1, 'row0')).kind).toBe('hit');
        const acknowledged = writing.provider.invalidate([tag('row0')]);
        proxy.mode = 'cut';
        proxy.mode = 'pass';
        await acknowledged;
        expect((await database.read(1, 'row0')).kind).toBe('miss');
      }
    },
  );

  it('acknowledges a write only when the others know of it, though Redis has kept only this process waiting too long', async () => {
    const server = await start();
    // A sign of life would tell the reader, too, that Redis is silent.
    const reader = open({ connection: server.url, ...FIRST_LEVEL }, { timing: { beat: milliseconds(60_000) } });
    const writing = open({ connection: server.url });
    const database = new VersionedDatabase([writing, reader]);
    await database.untilCaching();
    for (let round = 0; round < 3; round += 1) {
      await whenUp(writing.provider);
      await database.read(1, 'row0');
      expect((await database.read(1, 'row0')).kind).toBe('hit');
      server.signal('SIGSTOP');
      const waiting = writing.provider.lookup('/never-stored' as CacheKey);
      await expect(waiting).rejects.toThrow(`${GET_TIMEOUT} ms`);
      server.signal('SIGCONT');
      await database.write(0, 'row0');
      await database.read(1, 'row0');
      expect(database.stale).toEqual([]);
    }
    expect(reader.states.map(({ state }) => state)).toEqual(['up']);
  });

  it('acknowledges a write only when the others know of it, though Redis is silent and its own connection breaks', async () => {
    const server = await start();
    const proxy = await proxyOf(server);
    const settings = { getTimeout: milliseconds(1000) };
    const writing = open({ host: '127.0.0.1', port: proxy.port }, settings);
    const reader = open({ connection: server.url, ...FIRST_LEVEL }, settings);
    const database = new VersionedDatabase([writing, reader]);
    await database.untilCaching();
    await database.read(1, 'row0');
    await database.read(1, 'row0');
    server.signal('SIGSTOP');
    proxy.mode = 'cut';
    proxy.mode = 'pass';
    await database.write(0, 'row0');
    const reading = database.read(1, 'row0');
    server.signal('SIGCONT');
    await reading;
    expect(database.stale).toEqual([]);
  });

  it('waits for another that takes longer to come back, because its connection is mute', async () => {
    const server = await start();
    const [first, second] = [await proxyOf(server), await proxyOf(server)];
    const settings = { getTimeout: milliseconds(2000) };
    const quick = open({ host: '127.0.0.1', port: first.port }, settings);
    const slow = open({ host: '127.0.0.1', port: second.port }, settings);
    const database = new VersionedDatabase([quick, slow]);
    await database.untilCaching();
    await database.read(0, 'quiet');
    first.mode = 'cut';
    second.mode = 'silent';
    await expect.poll(() => slow.provider.health().state, { timeout: 20_000 }).toBe('down');
    await delay(300);
    await database.write(1, 'quiet');
    first.mode = second.mode = 'pass';
    await whenUp(quick.provider);
    await database.read(0, 'quiet');
    expect(database.stale).toEqual([]);
  });

  it.each(['its own', 'a given'])(
    'replaces %s connection whose other end has vanished without a word',
    async (whose) => {
      const server = await start();
      const proxy = await proxyOf(server);
      const given = new Redis(proxy.port, { lazyConnect: true, disconnectTimeout: 200 });
      atEnd(() => given.disconnect());
      const options = whose === 'a given' ? { connection: given } : { host: '127.0.0.1', port: proxy.port };
      const { provider } = open(options, { timing: { givenUp: milliseconds(500) } });
      await whenUp(provider);
      proxy.mode = 'silent';
      proxy.mode = 'pass';
      await expect.poll(() => provider.health().state, { timeout: 20_000 }).toBe('down');
      const lostAt = performance.now();
      await whenUp(provider);
      // ioredis by itself waits two seconds for a good-bye, and for ever for an answer.
      expect(performance.now() - lostAt).toBeLessThan(3500);
    },
  );

  it('comes back although it writes more often than Redis can be asked, one question after the other', async () => {
    const server = await start();
    const proxy = await proxyOf(server, 10);
    const { provider } = open({ host: '127.0.0.1', port: proxy.port });
    await whenUp(provider);
    proxy.mode = 'cut';
    // From then on, writes do not wait for Redis.
    await delay(2 * GET_TIMEOUT);
    proxy.mode = 'pass';
    let isBack = false;
    const writes: Array<Promise<unknown>> = [];
    const writing = (async () => {
      while (!isBack) {
        writes.push(provider.invalidate([tag('row0')]));
        await delay(1);
      }
    })();
    try {
      await expect.poll(() => provider.health().state, { timeout: 20_000 }).toBe('up');
    } finally {
      isBack = true;
      await writing;
      await Promise.all(writes);
    }
  });

  it('leaves nothing stale when it dies between commit and stamp', async () => {
    const server = await start();
    const timing = { announcement: milliseconds(700), silence: milliseconds(60_000) };
    const proxy = await proxyOf(server);
    const dying = open({ host: '127.0.0.1', port: proxy.port }, { timing });
    const database = new VersionedDatabase([
      open({ connection: server.url }, { timing }),
      open({ connection: server.url, ...FIRST_LEVEL }, { timing }),
    ]);
    await whenUp(dying.provider);
    await database.untilCaching();
    await database.read(0, 'row0');
    await database.read(1, 'row0');
    await dying.provider.announce([tag('row0')]);
    // The announcement of a long transaction stays, because it is renewed.
    await delay(1000);
    expect((await database.read(0, 'row0')).kind).toBe('miss');
    expect((await database.read(0, 'row0')).kind).toBe('miss');
    proxy.mode = 'cut';
    database.commitUntold('row0');
    database.start({ keys: 2, writeEvery: 0 });
    // Long enough for what the dead instance had announced to run out.
    await delay(1200);
    await database.stop();
    // Read alone, so that there is no other reader's computation to join.
    await database.read(0, 'row0');
    expect((await database.read(0, 'row0')).kind).toBe('hit');
    expectNoHarm(database);
  });

  it('takes the cache with it when it dies without a word, for it may have committed what it could not tell', async () => {
    const server = await start();
    const timing = { silence: milliseconds(1000) };
    const proxy = await proxyOf(server);
    const dying = open({ host: '127.0.0.1', port: proxy.port }, { timing });
    const leaving = open({ connection: server.url }, { timing });
    const staying = open({ connection: server.url }, { timing });
    const database = new VersionedDatabase([staying]);
    await Promise.all([dying, leaving, staying].map(({ provider }) => whenUp(provider)));
    // All three have given a sign of life.
    await delay(400);
    await database.untilCaching();
    await leaving.provider.close();
    // Longer than the silence after which an instance counts as dead.
    await delay(1500);
    expect((await database.read(0, 'probe0')).kind).toBe('hit');
    proxy.mode = 'cut';
    await expect.poll(async () => (await database.read(0, 'probe0')).kind, { timeout: 60_000 }).toBe('miss');
  });

  /** What happens to a write of which Redis hears everything, and whose replies are lost from some point on. */
  it.each<[lost: string, write: (provider: Provider, lose: () => void, heal: () => Promise<void>) => Promise<void>]>([
    [
      'of its announcement, and it ends before the connection is back',
      async (provider, lose, heal) => {
        lose();
        await provider.invalidate([tag('row0')], await provider.announce([tag('row0')]));
        await heal();
      },
    ],
    [
      'of its announcement, and it ends after the connection is back',
      async (provider, lose, heal) => {
        lose();
        const announcement = await provider.announce([tag('row0')]);
        await heal();
        await provider.invalidate([tag('row0')], announcement);
      },
    ],
    [
      'of its invalidation',
      async (provider, lose, heal) => {
        const announcement = await provider.announce([tag('row0')]);
        lose();
        await provider.invalidate([tag('row0')], announcement);
        await heal();
      },
    ],
    [
      'before its invalidation, which is not sent',
      async (provider, lose, heal) => {
        const announcement = await provider.announce([tag('row0')]);
        lose();
        await Promise.resolve(provider.lookup('/another' as CacheKey)).catch(() => undefined);
        await provider.invalidate([tag('row0')], announcement);
        await heal();
      },
    ],
  ])('leaves no document uncached where a reply is lost: that %s', async (_lost, write) => {
    const server = await start();
    // Longer than any test: nothing comes right by itself.
    const timing = { announcement: milliseconds(500_000), beat: milliseconds(0) };
    const proxy = await proxyOf(server);
    const writing = open({ host: '127.0.0.1', port: proxy.port }, { timing });
    const database = new VersionedDatabase([open({ connection: server.url }, { timing }), writing]);
    await database.untilCaching();
    const heal = async (): Promise<void> => {
      proxy.mode = 'cut';
      proxy.mode = 'pass';
      await whenUp(writing.provider);
    };
    await write(writing.provider, () => (proxy.mode = 'deaf'), heal);
    for (const index of [0, 1]) {
      await database.read(index, 'row0');
      expect((await database.read(index, 'row0')).kind).toBe('hit');
    }
    expect(await server.command('ZCARD', '{rest-cache:v1:test}:announced')).toBe(0);
  });

  it('keeps what a write under way concerns from being stored, though its announcement was not sent', async () => {
    const server = await start();
    const proxy = await proxyOf(server);
    const writing = open({ host: '127.0.0.1', port: proxy.port });
    const database = new VersionedDatabase([open({ connection: server.url }), writing]);
    await database.untilCaching();
    proxy.mode = 'cut';
    const announcement = await writing.provider.announce([tag('row0')]);
    proxy.mode = 'pass';
    await whenUp(writing.provider);
    await database.read(0, 'row0');
    expect((await database.read(0, 'row0')).kind).toBe('miss');
    await writing.provider.invalidate([tag('row0')], announcement);
    await database.read(0, 'row0');
    expect((await database.read(0, 'row0')).kind).toBe('hit');
  });

  it('asks a hanging Redis nothing more once it has not answered', async () => {
    const server = await start();
    const proxy = await proxyOf(server);
    const database = new VersionedDatabase([open({ host: '127.0.0.1', port: proxy.port })]);
    await database.untilCaching();
    const readAll = (name: string): Promise<Array<{ readonly kind: string }>> =>
      Promise.all(Array.from({ length: 50 }, (_, index) => database.read(0, `${name}${index}`)));
    proxy.mode = 'silent';
    expect(new Set((await readAll('early')).map(({ kind }) => kind))).toEqual(new Set(['uncached']));
    expect(proxy.heard).toContain('early49');
    expect(new Set((await readAll('late')).map(({ kind }) => kind))).toEqual(new Set(['uncached']));
    await Promise.all(Array.from({ length: 20 }, (_, index) => database.write(0, `late${index}`)));
    expect(proxy.heard).not.toMatch(/late\d/);
    proxy.mode = 'pass';
    await database.untilCaching();
    // Redis is told of the writes that happened in the meantime.
    expect(proxy.heard).toContain('late19');
    expectNoHarm(database);
  });
});
