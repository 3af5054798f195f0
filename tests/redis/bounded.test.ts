import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { tag } from '../../server/src/cache/tag';
import { bodyOf, fill, key } from '../../server/src/providers/contract-suite';
import { systemClock } from '../../server/src/cache/clock';
import { BOUNDED, openInstance, type RedisInstance } from './instances';
import { missingRedis, RedisServer } from './redis-server';
import { TcpProxy } from './tcp-proxy';

describe.skipIf(missingRedis !== undefined)('a bounded first level', () => {
  let server: RedisServer;
  let proxy: TcpProxy;
  let writer: RedisInstance;
  let reader: RedisInstance;

  const begin = async (timing = {}): Promise<void> => {
    writer = openInstance({ connection: server.url });
    reader = openInstance({ host: '127.0.0.1', port: proxy.port, ...BOUNDED }, { timing });
    await Promise.all([writer.provider.whenUp(), reader.provider.whenUp()]);
    // The subscription is made beside, not before.
    await delay(100);
  };
  /** An entry in the reader's first level, trusted. */
  const cached = async (): Promise<void> => {
    await fill(reader.provider, systemClock, { body: 'old' });
    await reader.provider.sequence();
    expect(reader.provider.lookup(key('articles'))).not.toBeInstanceOf(Promise);
  };
  /** Milliseconds until the reader stops serving the old body. */
  const untilGone = async (limit: number): Promise<number> => {
    const began = performance.now();
    while (performance.now() - began < limit) {
      if ((await bodyOf(reader.provider).catch(() => undefined)) !== 'old') return performance.now() - began;
      await delay(1);
    }
    return Infinity;
  };

  beforeEach(async () => {
    server = await RedisServer.start();
    proxy = await TcpProxy.to(server.port);
  });
  afterEach(async () => {
    await writer.provider.close();
    await reader.provider.close();
    await proxy.close();
    await server.end();
  });

  it('learns of an invalidation within milliseconds', async () => {
    await begin({ beat: milliseconds(0) });
    for (let round = 0; round < 5; round += 1) {
      await cached();
      await writer.provider.invalidate([tag('articles')]);
      expect(await untilGone(1000)).toBeLessThan(50);
    }
  });

  it('learns of it by its next sign of life when the channel has lost the message', async () => {
    await begin();
    await cached();
    await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await writer.provider.invalidate([tag('articles')]);
    expect(await untilGone(1000)).toBeLessThan(500);
  });

  it('subscribes again after its connections broke, again and again', async () => {
    await begin();
    for (let round = 0; round < 3; round += 1) {
      await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
      await delay(20);
      proxy.mode = 'cut';
      await delay(150);
      proxy.mode = 'pass';
      await reader.provider.whenUp();
      await delay(300);
    }
    await delay(1500);
    await cached();
    await writer.provider.invalidate([tag('articles')]);
    expect(await untilGone(1000)).toBeLessThan(100);
  });

  it('follows its own writes at once', async () => {
    await begin();
    for (let round = 0; round < 20; round += 1) {
      await cached();
      await reader.provider.invalidate([tag('articles')]);
      expect(await bodyOf(reader.provider)).toBeUndefined();
    }
  });

  it('tells at once whether a guard holds, as far as it may be trusted', async () => {
    await begin();
    const noted = () => ({ tags: [tag('permissions')], since: reader.provider.knownSequence() });
    await reader.provider.sequence();
    const guard = noted();
    expect(reader.provider.holds(guard)).toBe(true);
    expect(writer.provider.holds(guard)).toBe(false);
    await writer.provider.invalidate([tag('something else')]);
    await delay(50);
    expect(reader.provider.holds(guard)).toBe(true);
    const announcement = await writer.provider.announce([tag('permissions')]);
    await reader.provider.sequence();
    expect(reader.provider.holds(noted())).toBe(false);
    await writer.provider.invalidate([tag('permissions')], announcement);
    await delay(50);
    expect(reader.provider.holds(guard)).toBe(false);
    const later = noted();
    expect(reader.provider.holds(later)).toBe(true);
    proxy.mode = 'silent';
    await delay(1000);
    expect(reader.provider.holds(later)).toBe(false);
  });

  it('serves for a second at most once it is cut off', async () => {
    // A deadline far away: the level has to notice by itself that it was not confirmed.
    await begin();
    await cached();
    proxy.mode = 'silent';
    await writer.provider.invalidate([tag('articles')]);
    expect(await untilGone(3000)).toBeLessThan(1000);
  });
});
