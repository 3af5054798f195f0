import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { tag } from '../../server/src/cache/tag';
import type { Guard } from '../../server/src/cache/provider';
import { bodyOf, fill, key } from '../../provider-suite';
import { systemClock } from '../../server/src/cache/clock';
import { BOUNDED, openInstance, type RedisInstance } from './instances';
import { missingRedis, RedisServer } from './redis-server';
import { TcpProxy } from './tcp-proxy';

/** What has not happened after this long does not happen. Milliseconds. */
const PATIENCE = 60_000;

/** Without being told, the first level would be trusted for longer than any test takes. */
const TOLD = { trust: milliseconds(600_000) };

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
    await reader.provider.caughtUp();
    expect(reader.provider.lookup(key('articles'))).not.toBeInstanceOf(Promise);
  };
  /** Until the reader stops serving the old body. */
  const untilGone = (): Promise<void> =>
    expect.poll(() => bodyOf(reader.provider).catch(() => undefined), { timeout: PATIENCE }).not.toBe('old');

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

  it('learns of an invalidation by the channel', async () => {
    await begin({ ...TOLD, beat: milliseconds(0) });
    for (let round = 0; round < 5; round += 1) {
      await cached();
      await writer.provider.invalidate([tag('articles')]);
      await untilGone();
    }
  });

  it('learns of it by its next sign of life when the channel has lost the message', async () => {
    await begin(TOLD);
    await cached();
    await server.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await writer.provider.invalidate([tag('articles')]);
    await untilGone();
  });

  it('subscribes again after its connections broke, again and again', async () => {
    await begin({ ...TOLD, beat: milliseconds(0) });
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
    await untilGone();
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
    const noted = (): Guard => ({ tags: [tag('permissions')], since: reader.provider.knownSequence() });
    await reader.provider.caughtUp();
    const guard = noted();
    expect(reader.provider.holds(guard)).toBe(true);
    expect(writer.provider.holds(guard)).toBe(false);
    const holds = (asked: () => Guard, expected: boolean): Promise<void> =>
      expect.poll(() => reader.provider.holds(asked()), { timeout: PATIENCE }).toBe(expected);
    await writer.provider.invalidate([tag('something else')]);
    await expect.poll(() => reader.provider.knownSequence(), { timeout: PATIENCE }).toBeGreaterThan(guard.since);
    await holds(() => guard, true);
    const announcement = await writer.provider.announce([tag('permissions')]);
    await reader.provider.caughtUp();
    expect(reader.provider.holds(noted())).toBe(false);
    await writer.provider.invalidate([tag('permissions')], announcement);
    await holds(noted, true);
    expect(reader.provider.holds(guard)).toBe(false);
    const later = noted();
    await holds(() => later, true);
    proxy.mode = 'silent';
    await holds(() => later, false);
  });

  it('serves no longer than it may be trusted once it is cut off', async () => {
    // A deadline far away: the level has to notice by itself that it was not confirmed.
    await begin();
    await cached();
    proxy.mode = 'silent';
    await writer.provider.invalidate([tag('articles')]);
    await untilGone();
  });
});
