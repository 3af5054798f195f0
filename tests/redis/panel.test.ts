import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentEntries } from '../../server/src/admin-api/documents';
import { listEntries } from '../../server/src/admin-api/entries';
import { previewPurge, purgeContentType } from '../../server/src/admin-api/purge';
import { heldByRoute } from '../../server/src/admin-api/routes';
import { summarise } from '../../server/src/admin-api/stats';
import { systemClock } from '../../server/src/cache/clock';
import { Inventory } from '../../server/src/cache/inventory';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { tag } from '../../server/src/cache/tag';
import type { RestCache } from '../../server/src/plugin/rest-cache';
import { RedisProvider } from '../../server/src/providers/redis/redis-provider';
import { entryAt, fill, panelOf, TYPE } from '../bench/panel-store';
import { openInstance, whenUp } from './instances';
import { missingRedis, RedisServer } from './redis-server';
import { TcpProxy } from './tcp-proxy';

const ENTRIES = 600;

/** Far below what the bodies take, and in proportion to 10 MB for 32,000 entries. */
const MAX_BYTES = (ENTRIES * 10_000_000) / 32_000;

const editView = (index: number) => (restCache: RestCache) =>
  documentEntries(restCache, { uid: TYPE, documentId: `document-of-${index}` });

const SHOWN: ReadonlyArray<readonly [string, (restCache: RestCache) => Promise<unknown>, unknown]> = [
  ['an edit view', editView(13), { responses: expect.any(Number) as number }],
  ['a list of entries', (restCache) => listEntries(restCache, {}), { pagination: { total: ENTRIES } }],
  ['a search', (restCache) => listEntries(restCache, { search: 'typed-00000' }), { pagination: { total: 10 } }],
  ['what routes hold', heldByRoute, { routes: [{ entries: ENTRIES / 2 }, { entries: ENTRIES / 2 }] }],
  ['statistics', summarise, { totals: { entries: ENTRIES, etags: ENTRIES } }],
  [
    'what a purge of a type would remove',
    (restCache) => previewPurge(restCache, { contentType: TYPE }),
    { entries: ENTRIES / 4 },
  ],
  [
    'what a purge of many documents would remove',
    (restCache) =>
      previewPurge(restCache, {
        contentType: TYPE,
        documents: Array.from({ length: 300 }, (_, index) => `document-of-${index}`),
      }),
    { entries: expect.any(Number) as number },
  ],
];

describe.skipIf(missingRedis !== undefined)('the panel on Redis', () => {
  let server: RedisServer;
  let proxy: TcpProxy;
  let provider: RedisProvider;
  let restCache: RestCache;

  beforeAll(async () => {
    server = await RedisServer.start();
    proxy = await TcpProxy.to(server.port);
    ({ provider } = openInstance({ host: '127.0.0.1', port: proxy.port }, { getTimeout: milliseconds(20_000) }));
    await whenUp(provider);
    await fill(provider, ENTRIES);
    restCache = panelOf(provider, { inventory: new Inventory(provider) });
  });
  afterAll(async () => {
    await provider.close();
    await proxy.close();
    await server.end();
  });

  it.each(SHOWN)('%s moves no bodies and no tags', async (_what, ask, answer) => {
    proxy.heard = '';
    const before = proxy.received;
    expect(await ask(restCache)).toMatchObject(answer as object);
    expect(proxy.received - before).toBeLessThan(MAX_BYTES);
    expect(proxy.heard).not.toContain('hmget');
    // Between slices, everything else has its turn in Redis too.
    expect(proxy.heard.split('entry:').length).toBeGreaterThan(2);
  });

  it('a purge costs what it stamps', async () => {
    const cost = async () => {
      proxy.heard = '';
      const before = proxy.received;
      const purged = await purgeContentType(restCache, { contentType: TYPE, params: { id: 'document-of-none' } });
      expect(purged).toEqual({ entries: null });
      return { isSmall: proxy.received - before < 1000, asksForEntries: proxy.heard.includes('entry:') };
    };
    // The sweep, which asks for entries, may come between.
    await expect.poll(cost).toEqual({ isSmall: true, asksForEntries: false });
  });

  it('what was asked about is forgotten by itself', async () => {
    await editView(13)(restCache);
    await server.admin(async (redis) => {
      const questions = (await redis.keys('*')).filter((name) => name.includes(':question:'));
      expect(questions.length).toBeGreaterThan(0);
      for (const name of questions) expect(await redis.pttl(name)).toBeGreaterThan(0);
    });
  });

  /** An instance whose scripts for the panel never answer, or fail. */
  const troubled = async (answer: () => Promise<unknown>): Promise<{ provider: RedisProvider; client: Redis }> => {
    const client = new Redis(server.port);
    const settings = {
      keysPrefix: 'test',
      fingerprint: 'f1',
      database: 'd1',
      getTimeout: milliseconds(300),
      events: {},
    };
    const made = new RedisProvider({ connection: client, localCache: false }, settings, systemClock);
    for (const name of ['restCacheSummaries', 'restCacheQuestion', 'zcard', 'hgetall', 'lrange'])
      Object.assign(client, { [name]: answer });
    await whenUp(made);
    return { provider: made, client };
  };

  it.each([
    ['hangs', () => new Promise(() => undefined)],
    ['fails', () => Promise.reject(Object.assign(new Error('ERR nonsense'), { name: 'ReplyError' }))],
  ])('a panel whose questions Redis %s takes the cache from nobody', async (_how, answer) => {
    const { provider: own, client } = await troubled(answer);
    const troubledPanel = panelOf(own, { inventory: new Inventory(own) });
    const views = Array.from({ length: 10 }, (_, index) =>
      editView(index)(troubledPanel).catch((error: Error) => error.name),
    );
    const asked = [() => own.usage(), () => own.counters.read(['minute:1']), () => own.lists.read('writes')];
    const failed = Promise.allSettled(asked.map(async (ask) => ask()));
    for (let visits = 0; visits < 20; visits += 1) expect((await own.lookup(entryAt(3).key)).entry).toBeDefined();
    expect(new Set(await Promise.all(views))).toEqual(new Set(['StoreUnavailableError']));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(own.health().state).toBe('up');
    expect((await own.lookup(entryAt(3).key)).entry).toBeDefined();
    await own.close();
    client.disconnect();
  });

  it('ten edit views at once leave hits alone, and cost two enumerations at most', async () => {
    let enumerations = 0;
    const counted = Object.assign(Object.create(provider) as RedisProvider, {
      summaries: (question: Parameters<RedisProvider['summaries']>[0]) => {
        enumerations += 1;
        return provider.summaries(question);
      },
      knownSequence: () => provider.knownSequence(),
    });
    const panel = panelOf(provider, { inventory: new Inventory(counted) });
    let isOver = false;
    const visited: unknown[] = [];
    const visitor = (async () => {
      while (!isOver) visited.push((await provider.lookup(entryAt(3).key)).entry?.key);
    })();
    const views = await Promise.all(Array.from({ length: 10 }, (_, index) => editView(13 * index)(panel)));
    isOver = true;
    await visitor;
    expect(views.every(({ responses }) => responses > 0)).toBe(true);
    expect(enumerations).toBeLessThanOrEqual(2);
    expect(new Set(visited)).toEqual(new Set([entryAt(3).key]));
    expect(provider.health().state).toBe('up');
  });

  it('entries that it cannot list are left out, and not served either', async () => {
    const prefix = '{rest-cache:v1:test}:entry:f1:';
    await server.admin(async (redis) => {
      await redis.hset(`${prefix}${entryAt(1).key}`, 'l', 'nonsense');
      await redis.hset(`${prefix}${entryAt(2).key}`, 'l', Buffer.alloc(100_000, 0xdf));
      await redis.set(`${prefix}${entryAt(3).key}`, 'a text');
      await redis.unlink(`${prefix}${entryAt(4).key}`);
    });
    await provider.invalidate([tag('articles#28')]);
    const gone = [1, 2, 3, 4].map((index) => entryAt(index).key as string);
    const { results } = await listEntries(restCache, { pageSize: '100' });
    const left = Array.from({ length: ENTRIES }, (_, index) => entryAt(index))
      .filter(({ key, tags }) => !gone.includes(key) && !tags.includes(tag('articles#28')))
      .map(({ key }) => key as string);
    expect(results.map(({ key }) => key)).toEqual(left.slice(0, 100));
    for (const index of [1, 2, 3, 4]) expect((await provider.lookup(entryAt(index).key)).entry).toBeUndefined();
    expect((await provider.lookup(entryAt(5).key)).entry).toBeDefined();
    expect(provider.health().state).toBe('up');
  });

  it('entries are listed as well after more writes than are read at once', async () => {
    const others = Array.from({ length: 1200 }, (_, row) => tag(`something_else#${row}`));
    await provider.invalidate([...others, tag('articles#35')]);
    const stamped = [tag('articles#28'), tag('articles#35')];
    const left = Array.from({ length: ENTRIES }, (_, index) => entryAt(index))
      .slice(5)
      .filter(({ tags }) => !stamped.some((name) => tags.includes(name)));
    const { pagination } = await listEntries(restCache, {});
    expect(left.length).toBeLessThan(ENTRIES - 5);
    expect(pagination.total).toBe(left.length + Number(!entryAt(0).tags.some((name) => stamped.includes(name))));
    expect(await previewPurge(restCache, { contentType: TYPE })).toEqual({
      entries: pagination.total - left.filter(({ labels }) => labels.contentType !== TYPE).length,
    });
  });
});
