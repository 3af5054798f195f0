import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '../../server/src/cache/clock';
import { Inventory } from '../../server/src/cache/inventory';
import { milliseconds } from '../../server/src/cache/milliseconds';
import type { Provider } from '../../server/src/cache/provider';
import { documentEntries } from '../../server/src/admin-api/documents';
import { listEntries } from '../../server/src/admin-api/entries';
import { previewPurge, purgeContentType } from '../../server/src/admin-api/purge';
import { heldByRoute } from '../../server/src/admin-api/routes';
import { summarise } from '../../server/src/admin-api/stats';
import { MemoryProvider } from '../../server/src/providers/memory';
import { RedisProvider } from '../../server/src/providers/redis/redis-provider';
import type { RestCache } from '../../server/src/plugin/rest-cache';
import { RedisServer } from '../redis/redis-server';
import { TcpProxy } from '../redis/tcp-proxy';
import { entryAt, fill, panelOf, TYPE } from './panel-store';

const ENTRIES = 32_000;

type Requests = Readonly<Record<string, (restCache: RestCache) => Promise<unknown>>>;

const editView = (index: number) => (restCache: RestCache) =>
  documentEntries(restCache, { uid: TYPE, documentId: `document-of-${index}` });

const REQUESTS: Requests = {
  'documents/:uid/:documentId': editView(700),
  'ten edit views at once': (restCache) =>
    Promise.all(Array.from({ length: 10 }, (_, index) => editView(700 + index)(restCache))),
  'entries, first page': (restCache) => listEntries(restCache, {}),
  'entries, last page': (restCache) => listEntries(restCache, { page: String(ENTRIES / 100), pageSize: '100' }),
  'entries, by age': (restCache) => listEntries(restCache, { sort: 'age:desc' }),
  'entries, a URL': (restCache) => listEntries(restCache, { search: '/api/articles?pagination[page]=2*' }),
  'entries, a word': (restCache) => listEntries(restCache, { search: 'typed-0007' }),
  'routes/held': heldByRoute,
  'purge-preview of a type': (restCache) => previewPurge(restCache, { contentType: TYPE }),
  'purge-preview of 500 documents': (restCache) =>
    previewPurge(restCache, {
      contentType: TYPE,
      documents: Array.from({ length: 500 }, (_, at) => `document-of-${at}`),
    }),
  stats: summarise,
  'purge of a document': (restCache) =>
    purgeContentType(restCache, { contentType: TYPE, params: { id: 'document-of-9' } }),
};

interface Cost {
  /** The longest time between two turns of the event loop, and the most processor time within one, in milliseconds. */
  readonly held: number;
  readonly worked: number;
  readonly visitor: number;
  readonly missed: number;
}

/** Carries out a request of the panel while a visitor asks for the same response again and again. */
const costOf = async (provider: Provider, request: () => Promise<unknown>): Promise<Cost> => {
  let isOver = false;
  let held = 0;
  let worked = 0;
  const watch = async (): Promise<void> => {
    while (!isOver) {
      const began = performance.now();
      const used = process.cpuUsage();
      await nextTurn();
      const { user, system } = process.cpuUsage(used);
      held = Math.max(held, performance.now() - began);
      worked = Math.max(worked, (user + system) / 1000);
    }
  };
  let visitor = 0;
  let missed = 0;
  const { key } = entryAt(31);
  const visit = async (): Promise<void> => {
    while (!isOver) {
      const began = performance.now();
      const { entry } = await Promise.resolve(provider.lookup(key)).catch(() => ({ entry: undefined }));
      if (entry === undefined) missed += 1;
      visitor = Math.max(visitor, performance.now() - began);
      await nextTurn();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  const beside = [watch(), visit()];
  await nextTurn();
  await request();
  isOver = true;
  await Promise.all(beside);
  return { held, worked, visitor, missed };
};

/**
 * @param provider is watched while it is asked, and `bytes` counts its traffic. Both take time of their own.
 * @param timed the same store without them.
 */
const report = async (
  name: string,
  provider: Provider,
  timed: Provider = provider,
  bytes: () => number = () => 0,
): Promise<void> => {
  console.log(`\n${name}, ${ENTRIES} responses`);
  console.log(['request', 'ms', 'loop held', 'cpu in a turn', 'slowest hit', 'not a hit', 'MB'].join(' | '));
  const restCache = panelOf(provider, { inventory: new Inventory(provider) });
  const unwatched = panelOf(timed, { inventory: new Inventory(timed) });
  for (const [request, carryOut] of Object.entries(REQUESTS)) {
    const before = bytes();
    let outcome = '';
    const { held, worked, visitor, missed } = await costOf(provider, () =>
      carryOut(restCache).catch((error: unknown) => {
        outcome = String(error);
      }),
    );
    const moved = (bytes() - before) / 1e6;
    const began = performance.now();
    await carryOut(unwatched);
    const time = performance.now() - began;
    const numbers = [time, held, worked, visitor].map((number) => number.toFixed(1));
    console.log([request, ...numbers, missed, moved.toFixed(1), outcome].join(' | '));
  }
};

export const main = async (stores: readonly string[]): Promise<void> => {
  const asked = stores.length === 0 ? ['memory', 'redis'] : stores;
  if (asked.includes('memory')) {
    const provider = new MemoryProvider({ clock: systemClock, maxBytes: 4 * 2 ** 30 });
    await fill(provider, ENTRIES);
    await report('memory', provider);
    provider.close();
  }
  if (!asked.includes('redis')) return;
  const server = await RedisServer.start();
  const proxy = await TcpProxy.to(server.port);
  const settings = { keysPrefix: 'p', fingerprint: 'f', database: 'd', getTimeout: milliseconds(5000), events: {} };
  const open = async (port: number) => {
    const provider = new RedisProvider({ host: '127.0.0.1', port }, settings, systemClock);
    while (provider.health().state !== 'up') await new Promise((resolve) => setTimeout(resolve, 20));
    return provider;
  };
  const filler = await open(server.port);
  await fill(filler, ENTRIES);
  const provider = await open(proxy.port);
  await report('redis', provider, filler, () => proxy.received);
  await provider.close();
  await filler.close();
  await proxy.close();
  await server.end();
};
