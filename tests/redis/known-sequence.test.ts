import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../server/src/cache/clock';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { tag } from '../../server/src/cache/tag';
import type { Guard } from '../../server/src/cache/provider';
import type { Sequence } from '../../server/src/cache/sequence';
import { fill, key, sampleEntry } from '../../provider-suite';
import { endedAfterEach } from './ended-after-each';
import { caughtUp, FIRST_LEVEL, type RedisInstance, whenUp } from './instances';
import { missingRedis, type RedisServer } from './redis-server';

const PERMISSIONS = tag('permissions');

/**
 * What the front lane does: it notes a sequence number without asking the store, decides, and has the guard of the
 * decision checked later.
 */
describe.skipIf(missingRedis !== undefined).each([
  ['no first level', {}],
  ['a first level', FIRST_LEVEL],
])('a number noted without asking, %s', (_name, options) => {
  const { open, start } = endedAfterEach();
  let server: RedisServer;
  let mine: RedisInstance;
  let other: RedisInstance;

  beforeEach(async () => {
    server = await start();
    mine = open({ connection: server.url, ...options }, { timing: { settle: milliseconds(0) } });
    other = open({ connection: server.url }, { timing: { settle: milliseconds(0) } });
    await Promise.all([whenUp(mine.provider), whenUp(other.provider)]);
  });

  const guarded = (): Guard => ({ tags: [PERMISSIONS], since: mine.provider.knownSequence() });
  const isServed = async (guard: Guard): Promise<boolean> =>
    (await mine.provider.lookup(key('articles'), guard)).entry !== undefined;

  it('is never one that is still to come', async () => {
    for (let round = 0; round < 20; round += 1) {
      await (round % 3 === 0 ? mine : other).provider.invalidate([tag(`t${round}`)]);
      const known = mine.provider.knownSequence();
      expect(known).toBeLessThanOrEqual(await caughtUp(mine.provider));
    }
    expect(mine.provider.knownSequence()).toBe(await caughtUp(mine.provider));
  });

  it('holds until another process stamps the permission, and again when noted anew', async () => {
    await fill(mine.provider, systemClock);
    const guard = guarded();
    expect(await isServed(guard)).toBe(true);
    await other.provider.invalidate([tag('something else')]);
    expect(await isServed(guard)).toBe(true);
    await other.provider.invalidate([PERMISSIONS]);
    expect(await isServed(guard)).toBe(false);
    expect(await isServed(guard)).toBe(false);
    expect(await isServed(guarded())).toBe(true);
  });

  it('holds no longer once another epoch has begun, although numbers begin anew', async () => {
    for (let round = 0; round < 5; round += 1) await other.provider.invalidate([tag('unrelated')]);
    await caughtUp(mine.provider);
    const before = guarded();
    await server.command('FLUSHALL');
    await caughtUp(mine.provider).catch(() => undefined);
    await whenUp(mine.provider);
    await fill(mine.provider, systemClock);
    expect(mine.provider.knownSequence()).toBeGreaterThan(before.since);
    expect(await isServed(before)).toBe(false);
    expect(await isServed(guarded())).toBe(true);
  });

  it('does not hold while the permission is announced to change', async () => {
    await fill(mine.provider, systemClock);
    const announcement = await other.provider.announce([PERMISSIONS]);
    await caughtUp(mine.provider);
    const guard = guarded();
    expect(await isServed(guard)).toBe(false);
    await other.provider.invalidate([PERMISSIONS], announcement);
    await caughtUp(mine.provider);
    expect(await isServed(guarded())).toBe(true);
  });

  it('stores nothing that was begun before another process deleted the entry', async () => {
    const begun = mine.provider.knownSequence();
    await other.provider.delete(key('articles'));
    const store = (since: Sequence) => mine.provider.store(sampleEntry(since, systemClock));
    expect(await store(begun)).toBe(false);
    expect(await store(await caughtUp(mine.provider))).toBe(true);
  });

  it('names an entry alike, wherever it was found', async () => {
    await fill(other.provider, systemClock);
    const stored = (await other.provider.lookup(key('articles'))).entry;
    const found = [await mine.provider.lookup(key('articles'), guarded()), await mine.provider.lookup(key('articles'))];
    for (const { entry } of found) {
      expect(entry?.createdAt).toBe(stored?.createdAt);
      expect(entry?.sequence).toBe(found[0]?.entry?.sequence);
    }
    await other.provider.invalidate([tag('articles')]);
    await caughtUp(mine.provider);
    await fill(other.provider, systemClock);
    expect((await mine.provider.lookup(key('articles'))).entry?.sequence).not.toBe(found[0]?.entry?.sequence);
  });
});

describe.skipIf(missingRedis !== undefined)('a first level', () => {
  const { open, start } = endedAfterEach();

  it('keeps its entries when this process itself has stamped more than is listed', async () => {
    const server = await start();
    const { provider } = open({ connection: server.url, ...FIRST_LEVEL });
    await whenUp(provider);
    await fill(provider, systemClock);
    await provider.invalidate(Array.from({ length: 1500 }, (_, index) => tag(`others#${index}`)));
    await provider.lookup(key('nothing'));
    const [entry = ''] = await server.command<string[]>('KEYS', '*:entry:*');
    await server.command('UNLINK', entry);
    expect((await provider.lookup(key('articles'))).entry).toBeDefined();
    expect((await provider.lookup(key('articles'))).entry).toBeDefined();
  });

  it('holds bodies that keep nothing else alive', async () => {
    const server = await start();
    const [one, other] = [open({ connection: server.url }), open({ connection: server.url, ...FIRST_LEVEL })];
    await Promise.all([whenUp(one.provider), whenUp(other.provider)]);
    await fill(one.provider, systemClock);
    const fetch = async () => (await other.provider.lookup(key('articles'))).entry?.response.body;
    await fetch();
    const held = await fetch();
    expect(held?.buffer.byteLength).toBe(held?.byteLength);
  });
});
