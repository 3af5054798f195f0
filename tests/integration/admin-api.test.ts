import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type {
  Activity,
  DocumentEntries,
  EntryDetail,
  EntryPage,
  Explanation,
  KnownCallers,
  Metrics,
} from '../../admin/src/api/responses';
import { logIn, logInRestricted, type AdminSession, type StrapiError } from '../application/admin-session';
import { anArticle, retitle } from '../application/articles';
import { logInCustomer } from '../application/callers';
import { rawRequest } from '../application/raw-request';
import { startApplication, type Application } from '../application/start-application';
import { askOfAcknowledgement } from './acknowledged-warnings';

let application: Application;
let admin: AdminSession;

beforeAll(async () => {
  application = await startApplication({
    restCache: {
      metrics: { prometheusSecret: 'scrape-me' },
      // It is warned of.
      provider: { max: 100, options: { maxBytes: 50_000_000 } },
      strategy: {
        enableXCacheHeaders: true,
        contentTypes: [
          { contentType: 'api::article.article', routes: ['/api/articles/by-slug/:slug'] },
          { contentType: 'api::category.category', hitpass: false },
          { contentType: 'api::order.order', hitpass: false, keys: { useAuth: true } },
        ],
      },
    },
  });
  admin = await logIn(application);
});

afterAll(() => application.stop());

describe('GET /rest-cache/metrics', () => {
  it('counts requests by outcome and content type, live and in the history', async () => {
    const before = (await admin.get<Metrics>('/rest-cache/metrics')).body.periods.hour.totals;
    await application.get('/api/articles?counted=1');
    await application.get('/api/articles?counted=1');
    await application.get('/api/articles', { cookie: 'a=b' });
    const { status, body } = await admin.get<Metrics>('/rest-cache/metrics');
    expect(status).toBe(200);
    const { hour, day } = body.periods;
    expect(hour.totals.hit - before.hit).toBe(1);
    expect(hour.totals.miss - before.miss).toBe(1);
    expect(hour.totals.hitpass - before.hitpass).toBe(1);
    expect(hour.totals.store - before.store).toBe(1);
    expect(hour.scope).toBe('process');
    expect(hour.intervals).toHaveLength(60);
    expect(day.intervals).toHaveLength(96);
    expect(day.totals).toEqual(hour.totals);
    const articles = body.contentTypes.find(({ uid }) => uid === 'api::article.article');
    expect(articles?.displayName).toBe('Article');
    expect(articles?.routes).toContain('/api/articles');
    expect(body.usage?.entries).toBeGreaterThan(0);
    expect(body.usage?.maxBytes).toBe(50_000_000);
    expect(body.provider).toMatchObject({ name: 'memory', state: 'up', reason: null });
  });
});

it('an open panel does not fill the request log; what fails is in it', async () => {
  const lines: string[] = [];
  const { log } = application.strapi;
  const { http } = log;
  log.http = ((line: string) => void lines.push(line)) as never;
  for (const path of ['metrics', 'routes', 'activity']) await admin.get(`/rest-cache/${path}`);
  expect(lines).toEqual([]);
  await application.request('/rest-cache/metrics');
  await admin.get('/rest-cache/stats');
  log.http = http;
  expect(lines).toEqual([
    expect.stringMatching(/^GET \/rest-cache\/metrics \(\d+ ms\) 401$/),
    expect.stringMatching(/^GET \/rest-cache\/stats \(\d+ ms\) 200$/),
  ]);
});

describe('the activity log', () => {
  it('tells who wrote which document, and how many entries that removed', async () => {
    const article = await anArticle(application);
    await application.get('/api/articles?sort=title');
    await retitle(application, article, `${article.title}!`);
    const written = async (): Promise<Activity | undefined> =>
      (await admin.get<{ results: Activity[] }>('/rest-cache/activity')).body.results.find(
        ({ kind, entries }) => kind === 'write' && entries !== null && entries > 0,
      );
    const item = await vi.waitFor(async () => (await written()) ?? Promise.reject(new Error('nothing is written')), {
      timeout: 30_000,
    });
    expect(item.actor).toEqual({ kind: 'application' });
    expect(item.subject).toMatchObject({
      kind: 'documents',
      contentType: { uid: 'api::article.article', displayName: 'Article' },
      documentIds: [article.documentId],
    });
  });

  it('tells which admin purged what, and how many entries that were', async () => {
    await application.get('/api/categories');
    await application.get('/api/categories?sort=name');
    const purged = await admin.post('/rest-cache/purge', { contentType: 'api::category.category' });
    expect(purged).toEqual({ status: 200, body: { entries: null } });
    expect((await application.get('/api/categories')).cache).toBe('MISS');
    const latest = async (): Promise<Activity | undefined> =>
      (await admin.get<{ results: Activity[] }>('/rest-cache/activity')).body.results[0];
    expect(await latest()).toMatchObject({
      kind: 'purge',
      actor: { kind: 'admin', name: expect.any(String) },
      subject: { kind: 'content-type', contentType: { uid: 'api::category.category' }, params: null },
    });
    // Counted while the store frees them. This application names its options, so it caches in memory in every run.
    await expect.poll(async () => (await latest())?.entries).toBe(2);
  });

  it.each<[string, object]>([
    ['reset', { contentType: 'api::article.article' }],
    ['purge?params[id]=1', { contentType: 'api::article.article' }],
    ['purge-entries', { keys: ['/api/articles?&&'], search: 'a' }],
  ])('purges nothing for parameters it does not know: %s %j', async (path, body) => {
    await application.get('/api/articles');
    const refused = await admin.post<StrapiError>(`/rest-cache/${path}`, body);
    expect(refused.status).toBe(400);
    expect((await application.get('/api/articles')).cache).toBe('HIT');
  });

  it('counts what a reset removes', async () => {
    await application.get('/api/articles');
    const held = (await admin.get<Metrics>('/rest-cache/metrics')).body.usage?.entries;
    expect((await admin.post('/rest-cache/reset', {})).body).toEqual({ entries: held });
    expect((await admin.get<EntryPage>('/rest-cache/entries')).body.pagination.total).toBe(0);
    expect((await application.get('/api/articles')).cache).toBe('MISS');
  });
});

describe('POST /rest-cache/explain', () => {
  const explain = async (url: string, as: unknown = { kind: 'anonymous' }, headers?: Record<string, string>) =>
    (await admin.post<Explanation>('/rest-cache/explain', { url, as, ...(headers === undefined ? {} : { headers }) }))
      .body;

  it('uses the key under which the request really is stored', async () => {
    await application.get('/api/articles?sort=title&filters[title][$contains]=a');
    const explanation = await explain(`${application.origin}/api/articles?filters%5Btitle%5D[$contains]=a&sort=title`);
    expect(explanation).toMatchObject({
      verdict: 'hit',
      reason: { code: 'stored' },
      identity: '',
      route: { path: '/api/articles', contentType: { displayName: 'Article' }, sharing: 'public' },
    });
    const { body } = await admin.get<EntryDetail>(
      `/rest-cache/entries/detail?key=${encodeURIComponent(explanation.key ?? '')}`,
    );
    expect(body.route).toBe('/api/articles');
    expect(explanation.lane?.mode).toMatch(/front|router|inner/);
  });

  it('names the nearest route of one that is not there, and of one that is not cached', async () => {
    expect(await explain('/api/artikles')).toMatchObject({
      verdict: 'outside',
      reason: { code: 'no-route', nearest: '/api/articles' },
    });
    expect(await explain('/api/tags')).toMatchObject({
      verdict: 'outside',
      reason: { code: 'route-not-cached', route: '/api/tags', nearest: null },
    });
  });

  it('asks as a user or a token, who have entries and permissions of their own', async () => {
    const { body: callers } = await admin.get<KnownCallers>('/rest-cache/explain/callers?search=ali');
    const [alice] = callers.users;
    expect(alice?.name).toBe('alice');
    const { body: linked } = await admin.get<KnownCallers>(
      `/rest-cache/explain/callers?search=nobody&user=${alice?.id}`,
    );
    expect(linked.users).toEqual([alice]);
    expect(linked.tokens).toEqual([]);
    const as = { kind: 'user', id: alice?.id };
    expect(await explain('/api/orders', as)).toMatchObject({
      verdict: 'miss',
      reason: { code: 'never-asked' },
      identity: `up:${alice?.id}`,
    });
    const { headers } = await logInCustomer(application, 'alice');
    expect((await application.get('/api/orders', headers)).status).toBe(200);
    expect(await explain('/api/orders', as)).toMatchObject({ verdict: 'hit', identity: `up:${alice?.id}` });
    expect(await explain('/api/orders')).toMatchObject({ verdict: 'outside', reason: { code: 'forbidden' } });
    const { body: all } = await admin.get<KnownCallers>('/rest-cache/explain/callers');
    const [token] = all.tokens;
    expect(await explain('/api/articles', { kind: 'token', id: token?.id })).toMatchObject({ verdict: 'bypass' });
  });

  it('knows what last invalidated an entry', async () => {
    const article = await anArticle(application);
    const url = `/api/articles/${article.documentId}`;
    await application.get(url);
    await retitle(application, article, `${article.title}?`);
    expect(await explain(url)).toMatchObject({
      verdict: 'miss',
      reason: { code: 'changed' },
      lastInvalidation: { kind: 'write', subject: { kind: 'documents', documentIds: [article.documentId] } },
    });
  });

  // More: tests/unit/admin-api/purge-request.test.ts.
  it.each<[string, object]>([
    ['a field it does not know', { url: '/x', as: { kind: 'anonymous' }, more: 1 }],
    ['a user that is not there', { url: '/api/articles', as: { kind: 'user', id: 999_999 } }],
  ])('answers 400 to %s', async (_what, body) => {
    const { status, body: answer } = await admin.post<StrapiError>('/rest-cache/explain', body);
    expect([status, answer.error]).toMatchObject([400, { name: 'ValidationError', status: 400 }]);
  });
});

describe('documents', () => {
  it('are counted by the responses that contain them, and purged with them', async () => {
    const { documentId } = await anArticle(application);
    await admin.post('/rest-cache/reset', {});
    await application.get(`/api/articles/${documentId}`);
    await application.get('/api/articles?pagination[pageSize]=1&sort=title');
    await application.get('/api/categories');
    const path = `/rest-cache/documents/api::article.article/${documentId}`;
    const { body: usage } = await admin.get<DocumentEntries>(path);
    expect(usage).toMatchObject({ responses: 2, oldestAge: expect.any(Number) });
    expect(usage.purges).toBeGreaterThanOrEqual(2);
    const purge = { contentType: 'api::article.article', documents: [documentId] };
    expect((await admin.post('/rest-cache/purge-preview', purge)).body).toEqual({ entries: usage.purges });
    const purged = await admin.post('/rest-cache/purge-documents', purge);
    expect(purged.body).toEqual({ entries: usage.purges });
    const { body: after } = await admin.get<DocumentEntries>(path);
    expect(after).toMatchObject({ responses: 0, oldestAge: null, purges: 0 });
    expect((await application.get('/api/categories')).cache).toBe('HIT');
  });
});

describe('one entry', () => {
  it('is shown however long its URL is, which the key is longer than', async () => {
    expect((await rawRequest(application, `/api/articles?long=${'<'.repeat(5000)}`)).status).toBe(200);
    const { body: list } = await admin.get<EntryPage>('/rest-cache/entries?search=long');
    const key = list.results[0]?.key ?? '';
    expect(key.length).toBeGreaterThan(15_000);
    const shown = await admin.post<EntryDetail>('/rest-cache/entries/detail', { key });
    expect([shown.status, shown.body.key]).toEqual([200, key]);
    expect((await admin.post('/rest-cache/purge-entries', { keys: [key] })).body).toEqual({ entries: 1 });
  });

  it('is shown with what it was made from, and purged alone', async () => {
    await application.get('/api/articles?populate=category');
    await application.get('/api/articles?populate=tags');
    const { body: list } = await admin.get<EntryPage>('/rest-cache/entries?search=populate=category');
    expect(list.results).toHaveLength(1);
    const key = list.results[0]?.key ?? '';
    const detail = (await admin.get<EntryDetail>(`/rest-cache/entries/detail?key=${encodeURIComponent(key)}`)).body;
    expect(detail).toMatchObject({
      key,
      url: '/api/articles?populate=category',
      status: 200,
      contentTypeName: 'Article',
    });
    const names = detail.dependencies.map(({ contentType }) => contentType?.displayName);
    expect(names).toEqual(expect.arrayContaining(['Article', 'Category']));
    expect((await admin.post('/rest-cache/purge-entries', { keys: [key] })).body).toEqual({ entries: 1 });
    expect((await admin.post('/rest-cache/purge-entries', { keys: [key] })).body).toEqual({ entries: 0 });
    expect((await admin.get<EntryDetail>(`/rest-cache/entries/detail?key=${encodeURIComponent(key)}`)).status).toBe(
      404,
    );
    expect((await application.get('/api/articles?populate=tags')).cache).toBe('HIT');
  });
});

describe('several entries', () => {
  const keysOf = async (query: string): Promise<string[]> =>
    (await admin.get<EntryPage>(`/rest-cache/entries?${query}`)).body.results.map(({ key }) => key);

  it('are found by their URL and by their route, and purged by name or as they were found', async () => {
    await admin.post('/rest-cache/reset', {});
    const one = '/api/articles?sort=title&pagination[pageSize]=3';
    for (const url of [one, '/api/articles', '/api/articles?sort=slug']) await application.get(url);
    const search = encodeURIComponent(`${application.origin}/api/articles?pagination%5BpageSize%5D=3&sort=title`);
    const found = await keysOf(`search=${search}`);
    expect(found).toHaveLength(1);
    const inRoute = new URLSearchParams({ route: '/api/articles' }).toString();
    expect(await keysOf(inRoute)).toHaveLength(3);
    expect(await keysOf('route=/api/articles/:id')).toEqual([]);
    expect((await admin.post('/rest-cache/purge-entries', { keys: found })).body).toEqual({ entries: 1 });
    expect((await application.get(one)).cache).toBe('MISS');
    expect((await admin.post('/rest-cache/purge-entries', { route: '/api/articles' })).body).toEqual({ entries: 3 });
    expect(await keysOf(inRoute)).toEqual([]);
    const { body } = await admin.get<{ results: object[] }>('/rest-cache/activity');
    expect(body.results[0]).toMatchObject({ kind: 'purge', subject: { kind: 'entries', count: 3 }, entries: 3 });
  });

  it('are told apart by their callers, who have names, and purged by one of them or by a prefix', async () => {
    await admin.post('/rest-cache/reset', {});
    await application.get('/api/orders', (await logInCustomer(application, 'alice')).headers);
    for (const url of ['/api/articles', '/api/articles?sort=slug', '/api/categories']) await application.get(url);
    const { body: all } = await admin.get<EntryPage>('/rest-cache/entries');
    const alice = all.callers.find(({ name }) => name === 'alice');
    expect(all.callers).toEqual([{ identity: '', name: null }, alice]);
    const { body: hers } = await admin.get<EntryPage>(`/rest-cache/entries?caller=${alice?.identity}`);
    expect(hers.results.map(({ key, identity }) => [key.split('?')[0], identity])).toEqual([
      ['/api/orders', alice?.identity],
    ]);
    expect(hers.callers).toEqual(all.callers);
    const key = hers.results[0]?.key ?? '';
    const { body: detail } = await admin.get<EntryDetail>(`/rest-cache/entries/detail?key=${encodeURIComponent(key)}`);
    expect(detail.callerName).toBe('alice');
    expect((await admin.post('/rest-cache/purge-entries', { caller: alice?.identity })).body).toEqual({ entries: 1 });
    expect((await admin.post('/rest-cache/purge-entries', { search: '/api/art*' })).body).toEqual({ entries: 2 });
    expect((await admin.get<EntryPage>('/rest-cache/entries')).body.pagination.total).toBe(1);
  });
});

describe('titles in the activity', () => {
  const subjectOf = async (session: AdminSession, documentId: string): Promise<unknown> =>
    (await session.get<{ results: Activity[] }>('/rest-cache/activity')).body.results.find(
      ({ subject }) => subject.kind === 'documents' && subject.documentIds[0] === documentId,
    )?.subject;

  it('are shown to whoever may read the document in the content manager, and to nobody else', async () => {
    const article = await anArticle(application);
    const title = `${article.title} (renamed)`;
    await retitle(application, article, title);
    expect(await subjectOf(admin, article.documentId)).toMatchObject({
      documentIds: [article.documentId],
      title,
      isSingleType: false,
    });
    const reader = await logInRestricted(application, admin, ['cache.read-strategy']);
    const subject = await subjectOf(reader, article.documentId);
    expect(subject).toMatchObject({ documentIds: [article.documentId] });
    expect(subject).not.toHaveProperty('title');
  });
});

describe('GET /rest-cache/metrics/prometheus', () => {
  const scrape = (headers: Record<string, string> = {}) =>
    application.request('/rest-cache/metrics/prometheus', { headers });

  it('opens to the secret and to admins who may read, and to nobody else', async () => {
    const response = await scrape({ authorization: 'Bearer scrape-me' });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    const text = await response.text();
    expect(text).toMatch(/rest_cache_requests_total\{content_type="api::article.article",outcome="hit"\} \d+/);
    expect(text).toContain('rest_cache_provider_up 1');
    expect(text).toContain('rest_cache_observing 1');
    expect(text).toContain('rest_cache_max_bytes 50000000');
    expect(text).not.toContain('process_cpu');
    expect((await scrape({ authorization: `Bearer ${admin.token}` })).status).toBe(200);
    expect((await scrape({ authorization: 'Bearer scrape-m' })).status).toBe(401);
    expect((await scrape()).status).toBe(401);
    const editor = await logInRestricted(application, admin, ['cache.purge']);
    expect((await scrape({ authorization: `Bearer ${editor.token}` })).status).toBe(403);
  });
});

describe('diagnostics channels', () => {
  it('tell of lookups, stores, writes and purges', async () => {
    const heard: Array<{ name: string; message: Record<string, unknown> }> = [];
    const names = ['rest-cache:lookup', 'rest-cache:store', 'rest-cache:invalidate'];
    const listen = (message: unknown, name: string | symbol): void =>
      void heard.push({ name: String(name), message: message as Record<string, unknown> });
    const article = await anArticle(application);
    for (const name of names) subscribe(name, listen);
    await application.get('/api/articles?heard=1');
    await application.get('/api/articles?heard=1');
    await retitle(application, article, `${article.title}~`);
    await admin.post('/rest-cache/purge', { contentType: 'api::article.article' });
    for (const name of names) unsubscribe(name, listen);
    expect(heard.slice(0, 3)).toMatchObject([
      { name: 'rest-cache:lookup', message: { outcome: 'miss', route: '/api/articles' } },
      { name: 'rest-cache:store', message: { contentType: 'api::article.article', size: expect.any(Number) } },
      { name: 'rest-cache:lookup', message: { outcome: 'hit', collapsed: false } },
    ]);
    const causes = heard.filter(({ name }) => name === 'rest-cache:invalidate').map(({ message }) => message.cause);
    expect(causes).toContain('write');
    // Strapi writes a setting of its own from time to time, after the purge as well.
    expect(causes.lastIndexOf('purge')).toBeGreaterThan(causes.indexOf('write'));
  });
});

askOfAcknowledgement(() => application);
