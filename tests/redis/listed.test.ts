import { describe, expect, it } from 'vitest';
import { systemClock } from '../../server/src/cache/clock';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { tag } from '../../server/src/cache/tag';
import { RedisProvider } from '../../server/src/providers/redis/redis-provider';
import { timingFor } from '../../server/src/providers/redis/timing';
import { bodyOf, fill, key } from '../../provider-suite';
import { FIRST_LEVEL } from './instances';
import { oneServer } from './one-server';
import { missingRedis } from './redis-server';

/** A purge by URL finds entries in the list: an entry that is served but not listed would outlive it. */
describe.skipIf(missingRedis !== undefined)('every entry that is served is listed', () => {
  const oneRedis = oneServer();
  const open = (keysPrefix: string, options = {}): Promise<RedisProvider> => oneRedis.open(options, { keysPrefix });

  const listed = async (provider: RedisProvider, ...tags: string[]): Promise<string[]> => {
    const lists = tags.length === 0 ? [] : [tags.map(tag)];
    const found: string[] = [];
    for await (const slice of provider.summaries({ lists, all: tags.length === 0 }))
      for (const summary of slice) found.push(summary.key);
    return found.sort();
  };

  it('an entry with more tags than Lua returns at once', async () => {
    const provider = await open('many-tags');
    const tags = Array.from({ length: 20_000 }, (_, row) => `articles#${row}`);
    expect(await fill(provider, systemClock, { tags })).toBe(true);
    expect(await listed(provider)).toEqual([key('articles')]);
    expect(await listed(provider, 'articles#19999')).toEqual([key('articles')]);
    expect(await bodyOf(provider)).toBeDefined();
    await provider.invalidate([tag('articles#12345')]);
    expect(await listed(provider)).toEqual([]);
    expect(await bodyOf(provider)).toBeUndefined();
  });

  it('an entry that Redis has evicted, while instances still have it', async () => {
    const name = 'evicted-entry';
    const provider = await open(name, FIRST_LEVEL);
    await fill(provider, systemClock, { key: key('evicted') });
    await fill(provider, systemClock, { key: key('other') });
    await oneRedis.server.command('UNLINK', `{rest-cache:v1:${name}}:entry:f1:${key('evicted')}`);
    const found = await listed(provider);
    expect(found).toContain(key('other'));
    expect(await bodyOf(provider, key('other'))).toBeDefined();
    expect((await bodyOf(provider, key('evicted'))) !== undefined).toBe(found.includes(key('evicted')));
  });

  it('an entry of which any byte of its listing has changed', async () => {
    const name = 'damaged-listing';
    const provider = await open(name);
    const entry = `{rest-cache:v1:${name}}:entry:f1:${key('articles')}`;
    await oneRedis.server.admin(async (redis) => {
      let offset = 0;
      for (let length = 1; offset < length; offset += 1) {
        await fill(provider, systemClock, { tags: ['articles#1', 'articles#2'] });
        const listing = (await redis.hgetBuffer(entry, 'l')) ?? Buffer.alloc(0);
        length = listing.byteLength;
        listing.writeUInt8(listing.readUInt8(offset) ^ 1, offset);
        await redis.hset(entry, 'l', listing);
        expect([await listed(provider), await listed(provider, 'articles#1'), await bodyOf(provider)]).toEqual([
          ...[[], []],
          undefined,
        ]);
      }
      expect(offset).toBeGreaterThan(100);
    });
  });

  it('an entry that Redis has dropped after a week, while its maxAge is longer', async () => {
    const week = 7 * 86_400_000;
    let ahead = 0;
    const getTimeout = milliseconds(20_000);
    const provider = new RedisProvider(
      { connection: oneRedis.server.url, ...FIRST_LEVEL },
      { keysPrefix: 'weeks', fingerprint: 'f1', database: 'd1', getTimeout, events: {} },
      { now: () => milliseconds(Date.now() + ahead) },
      { ...timingFor(getTimeout), settle: milliseconds(0) },
    );
    await oneRedis.use(provider);
    await fill(provider, systemClock, { maxAge: 4 * week });
    // Redis has a clock of its own.
    await oneRedis.server.command('UNLINK', `{rest-cache:v1:weeks}:entry:f1:${key('articles')}`);
    await oneRedis.server.command('ZREM', '{rest-cache:v1:weeks}:index:f1', key('articles'));
    expect(await bodyOf(provider)).toBeDefined();
    ahead = week;
    expect([await listed(provider), await bodyOf(provider)]).toEqual([[], undefined]);
  });

  it.each([
    ['with', FIRST_LEVEL],
    ['without', {}],
  ])('entries whose index Redis has evicted, %s a local cache', async (how, options) => {
    const name = `evicted-index-${how}`;
    const provider = await open(name, options);
    await fill(provider, systemClock, { key: key('before') });
    await oneRedis.server.command('UNLINK', `{rest-cache:v1:${name}}:index:f1`);
    const served = async (): Promise<string[]> => {
      const kept = [key('before'), key('after')].map(async (each) => ((await bodyOf(provider, each)) ? [each] : []));
      return (await Promise.all(kept)).flat().sort();
    };
    expect(await listed(provider)).toEqual(await served());
    await expect.poll(() => fill(provider, systemClock, { key: key('after') })).toBe(true);
    expect(await listed(provider)).toEqual(await served());
    expect(await served()).toContain(key('after'));
  });
});
