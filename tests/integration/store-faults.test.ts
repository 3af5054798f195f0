import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DocumentEntries, EntryPage, Purged } from '../../admin/src/api/responses';
import { logIn, type AdminSession } from '../application/admin-session';
import { probeApi } from '../application/probe';
import { rawRequest } from '../application/raw-request';
import { startApplication, type Application } from '../application/start-application';
import { ChaosProvider } from './chaos-provider';

/** A store that errors or is slower than `getTimeout` is a miss, never an error for the client. */

const GET_TIMEOUT = 200;

const probe = probeApi([{ path: '/probe/plain', handler: () => ({ at: Math.random() }) }]);

let application: Application;
let store: ChaosProvider;
let admin: AdminSession;

beforeAll(async () => {
  application = await startApplication({
    files: probe.files,
    restCache: {
      provider: { getTimeout: GET_TIMEOUT, instance: (_options, settings) => (store = new ChaosProvider(settings)) },
      strategy: {
        enableXCacheHeaders: true,
        contentTypes: [{ contentType: 'api::article.article', routes: probe.paths }],
      },
    },
  });
  admin = await logIn(application);
});

afterAll(() => application.stop());

beforeEach(() => {
  store.fault = undefined;
});

const get = (query: string) => rawRequest(application, `/api/probe/plain?${query}`);

const outcomes = async (query: string) => {
  const seen: unknown[] = [];
  for (let attempt = 0; attempt < 3; attempt += 1) {
    const { status, headers } = await get(query);
    seen.push([status, headers['x-cache']]);
  }
  return seen;
};

const MISSES = [
  [200, 'MISS'],
  [200, 'MISS'],
  [200, 'MISS'],
];

describe.each([['throw'], ['reject'], ['hang']] as const)('a store whose operations %s', (fault) => {
  it('while it is asked: the origin answers', async () => {
    await outcomes(`warm=${fault}`);
    store.fault = { kind: fault, operations: ['lookup'] };
    expect(await outcomes(`cold=${fault}`)).toEqual(MISSES);
    expect(await outcomes(`warm=${fault}`)).toEqual(MISSES);
    store.fault = undefined;
    expect((await get(`warm=${fault}`)).headers['x-cache']).toBe('HIT');
  });

  it('while it is given: the response is sent', async () => {
    store.fault = { kind: fault, operations: ['store'] };
    expect(await outcomes(`given=${fault}`)).toEqual(MISSES);
    store.fault = undefined;
    expect(await outcomes(`given=${fault}`)).toEqual([
      [200, 'MISS'],
      [200, 'HIT'],
      [200, 'HIT'],
    ]);
  });
});

describe('a store that is slow', () => {
  it('is not waited for for ever, by neither of the two questions of a request', async () => {
    store.fault = { kind: 'hang', operations: ['lookup', 'store'] };
    expect((await get('timed')).headers['x-cache']).toBe('MISS');
    store.fault = { kind: 'hang', operations: ['store'] };
    expect((await get('timed')).headers['x-cache']).toBe('MISS');
  });

  it('but within getTimeout, hits', async () => {
    store.fault = { kind: 'delay', operations: ['lookup', 'store'], delay: 5 };
    expect(await outcomes('delayed')).toEqual([
      [200, 'MISS'],
      [200, 'HIT'],
      [200, 'HIT'],
    ]);
  });

  it('does not answer late: a hit that comes after the deadline is ignored', async () => {
    await outcomes('late');
    store.fault = { kind: 'delay', operations: ['lookup'], delay: 4 * GET_TIMEOUT };
    const { status, headers } = await get('late');
    expect([status, headers['x-cache']]).toEqual([200, 'MISS']);
  });
});

describe('a store that cannot be asked by the admin routes and HEAD', () => {
  it('HEAD is answered by the origin', async () => {
    store.fault = { kind: 'reject', operations: ['lookup'] };
    const { status, headers } = await rawRequest(application, '/api/probe/plain?head', { method: 'HEAD' });
    expect([status, headers['x-cache']]).toEqual([200, 'MISS']);
  });
});

/**
 * The admin API's responses while the store cannot be reached: a 503 with the reason, or what is known without the
 * store, but never a bare 500. The API also sends the store no more requests than it needs.
 */
describe('the admin API without a store', () => {
  const operations = ['lookup', 'store', 'invalidate', 'summaries', 'delete', 'usage'] as const;

  const away = (): void => {
    store.fault = { kind: 'reject', operations };
  };

  const hanging = (): void => {
    store.fault = { kind: 'hang', operations };
  };

  interface Refused {
    readonly error: { readonly status: number; readonly name: string; readonly message: string };
  }

  it('lists and details are answered 503, with what the store said', async () => {
    away();
    for (const path of [
      'stats',
      'entries',
      'routes/held',
      `entries/detail?key=${encodeURIComponent('/api/articles?&&')}`,
    ]) {
      const { status, body } = await admin.get<Refused>(`/rest-cache/${path}`);
      expect([path, status]).toEqual([path, 503]);
      expect(body.error).toMatchObject({ status: 503, name: 'StoreUnavailableError' });
      expect(body.error.message).toContain('is unavailable: the store rejects');
    }
  });

  it('a store that never answers is answered for within the deadline', async () => {
    await application.get('/api/articles');
    const { body: page } = await admin.get<EntryPage>('/rest-cache/entries');
    const key = page.results[0]?.key ?? '';
    hanging();
    const detail = `entries/detail?key=${encodeURIComponent(key)}`;
    for (const path of ['stats', 'entries', 'routes/held', detail]) {
      const { status, body } = await admin.get<Refused>(`/rest-cache/${path}`);
      expect([path, status]).toEqual([path, 503]);
      expect(body.error.message).toContain('is unavailable: the cache store did not answer within 200 ms');
    }
    expect((await admin.post('/rest-cache/purge-entries', { keys: [key] })).status).toBe(503);
    expect((await admin.post('/rest-cache/purge-entries', { search: 'articles' })).status).toBe(503);
    for (const path of ['metrics', 'routes', 'activity'])
      expect((await admin.get(`/rest-cache/${path}`)).status).toBe(200);
    const explained = await admin.post('/rest-cache/explain', { url: '/api/articles', as: { kind: 'anonymous' } });
    expect(explained.body).toMatchObject({ verdict: 'refused', reason: { code: 'store-away' } });
    const purged = await admin.post<Purged>('/rest-cache/purge', { contentType: 'api::article.article' });
    expect(purged).toEqual({ status: 200, body: { entries: null, queued: true } });
    expect((await admin.post<Purged>('/rest-cache/reset', {})).body).toEqual({ entries: null, queued: true });
    store.fault = undefined;
    expect((await application.get('/api/articles')).cache).toBe('MISS');
  }, 60_000);

  it('what comes from counters is answered all the same', async () => {
    away();
    for (const path of ['metrics', 'routes', 'activity'])
      expect((await admin.get(`/rest-cache/${path}`)).status).toBe(200);
  });

  it('Explain says that the store is away', async () => {
    away();
    const { status, body } = await admin.post('/rest-cache/explain', {
      url: '/api/articles',
      as: { kind: 'anonymous' },
    });
    expect([status, body]).toMatchObject([200, { verdict: 'refused', reason: { code: 'store-away' } }]);
  });

  it.each([
    ['/rest-cache/purge', { contentType: 'api::article.article' }, null],
    ['/rest-cache/reset', {}, 1],
  ])('POST %s is queued, says so, and takes effect before the store is used again', async (path, body, entries) => {
    const cached = async (): Promise<string | null> => (await application.get('/api/articles')).cache;
    await cached();
    expect(await cached()).toBe('HIT');
    away();
    const purged = await admin.post<Purged>(path, body);
    expect([purged.status, purged.body.queued]).toEqual([200, true]);
    store.fault = undefined;
    expect(await cached()).toBe('MISS');
    const { body: after } = await admin.post<Purged>(path, body);
    expect(after).toEqual({ entries });
  });

  it('single entries are not purged by half: that is refused', async () => {
    await application.get('/api/articles');
    const { body } = await admin.get<EntryPage>('/rest-cache/entries');
    const key = body.results[0]?.key;
    away();
    expect((await admin.post('/rest-cache/purge-entries', { keys: [key] })).status).toBe(503);
    expect((await admin.post('/rest-cache/purge-entries', { search: 'articles' })).status).toBe(503);
  });

  it('what is held of a document is found out with one enumeration', async () => {
    const { body } = await application.get('/api/articles?fields=title');
    const { data } = JSON.parse(body) as { data: ReadonlyArray<{ documentId: string }> };
    const enumerated = vi.spyOn(store, 'summaries');
    const path = `/rest-cache/documents/api::article.article/${data[0]?.documentId ?? ''}`;
    expect((await admin.get<DocumentEntries>(path)).body.responses).toBeGreaterThan(0);
    expect(enumerated).toHaveBeenCalledTimes(1);
    enumerated.mockRestore();
  });

  it('ten edit views that the store leaves without an answer leave hits alone', async () => {
    const { body } = await application.get('/api/articles?fields=title');
    const { data } = JSON.parse(body) as { data: ReadonlyArray<{ documentId: string }> };
    await application.get('/api/articles');
    expect((await application.get('/api/articles')).cache).toBe('HIT');
    store.fault = { kind: 'hang', operations: ['summaries'] };
    const views = Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        admin.get(`/rest-cache/documents/api::article.article/${data[index % data.length]?.documentId ?? ''}`),
      ),
    );
    for (let visit = 0; visit < 10; visit += 1) expect((await application.get('/api/articles')).cache).toBe('HIT');
    expect((await views).map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 503));
    expect((await application.get('/api/articles')).cache).toBe('HIT');
  });
});
