import { beforeEach, describe, expect, it } from 'vitest';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { tag } from '../../server/src/cache/tag';
import { key, sampleEntry } from '../../provider-suite';
import { endedAfterEach } from './ended-after-each';
import { caughtUp, FIRST_LEVEL, type RedisInstance, whenUp } from './instances';
import { missingRedis } from './redis-server';

/** The clock of the second process is ahead, so that an entry of the first is older than its maxAge there. */
const AHEAD = 120_000;

describe.skipIf(missingRedis !== undefined).each([
  ['no first level', {}],
  ['a first level', FIRST_LEVEL],
])('an entry of another process that is merely old, %s', (_name, options) => {
  const { open, start } = endedAfterEach();
  let mine: RedisInstance;
  let other: RedisInstance;

  beforeEach(async () => {
    const server = await start();
    mine = open({ connection: server.url, ...options }, { skew: AHEAD });
    other = open({ connection: server.url, ...options });
    await Promise.all([whenUp(mine.provider), whenUp(other.provider)]);
  });

  const store = async (): Promise<void> => {
    const entry = sampleEntry(await caughtUp(other.provider), { now: () => milliseconds(Date.now()) });
    expect(await other.provider.store({ ...entry, keptFor: milliseconds(10 * AHEAD) })).toBe(true);
  };
  const expired = async () => (await mine.provider.lookupExpired(key('articles')))?.key;

  it('is found and listed, and is not valid', async () => {
    await store();
    expect(await expired()).toBe(key('articles'));
    expect((await mine.provider.lookup(key('articles'))).entry).toBeUndefined();
    for await (const slice of mine.provider.summaries({ lists: [], all: true }))
      expect(slice.map((summary) => summary.key)).toEqual([key('articles')]);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['stamped', () => other.provider.invalidate([tag('articles')])],
    ['deleted', () => other.provider.delete(key('articles'))],
    ['cleared', () => other.provider.clear()],
  ])('is not found once it is %s by the other', async (_how, end) => {
    await store();
    expect(await expired()).toBe(key('articles'));
    await end();
    expect(await expired()).toBeUndefined();
  });
});
