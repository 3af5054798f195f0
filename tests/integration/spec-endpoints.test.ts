import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logIn, logInRestricted, type AdminSession, type StrapiError } from '../application/admin-session';
import { cacheStore } from '../application/cache-store';
import { bearer, createApiToken, grant, logInCustomer } from '../application/callers';
import { providerName } from '../application/provider-under-test';
import { startApplication, type Application } from '../application/start-application';
import type { StrategyJson } from '../../server/src/config/resolved-config';
import type { EntryPage, ListedEntry } from '../../server/src/admin-api/entries';

/** "Endpoints", "Authentication", "Errors" and the resources of the specification. */

const CREDENTIAL = 'hunter2-the-credential';
const PURGE = { contentType: 'api::article.article' };

let application: Application;
let admin: AdminSession;

beforeAll(async () => {
  application = await startApplication({
    restCache: {
      provider: { getTimeout: 321, options: { maxSize: 1000, connection: `redis://cache:${CREDENTIAL}@127.0.0.1:1` } },
      metrics: { prometheusSecret: `${CREDENTIAL}-of-metrics` },
      strategy: {
        enableXCacheHeaders: true,
        enableEtag: true,
        enableContentApiPurge: true,
        keysPrefix: 'site:',
        maxAge: 7_200_000,
        contentTypes: [
          { contentType: 'api::article.article', routes: ['/api/articles/by-slug/:slug'] },
          { contentType: 'api::order.order', hitpass: false, keys: { useAuth: true }, maxAge: 60_000 },
          { contentType: 'api::category.category', hitpass: () => false },
          'api::homepage.homepage',
        ],
      },
    },
  });
  admin = await logIn(application);
});

afterAll(() => application.stop());

const send = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
  const response = await application.request(path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, text, json: (): unknown => JSON.parse(text) };
};

const purge = (headers: Record<string, string>, body: unknown) => send('POST', '/api/rest-cache/purge', headers, body);

/** Method, path, permission and body for each admin route of the specification, and those added to it. */
const ADMIN_ROUTES: ReadonlyArray<readonly [string, string, string, unknown]> = [
  ['GET', '/rest-cache/config/strategy', 'cache.read-strategy', undefined],
  ['GET', '/rest-cache/config/provider', 'cache.read-provider', undefined],
  ['GET', '/rest-cache/stats', 'cache.read-strategy', undefined],
  ['GET', '/rest-cache/entries', 'cache.read-strategy', undefined],
  ['POST', '/rest-cache/purge', 'cache.purge', PURGE],
  ['POST', '/rest-cache/reset', 'cache.purge', {}],
  ['GET', '/rest-cache/metrics', 'cache.read-strategy', undefined],
  ['GET', '/rest-cache/activity', 'cache.read-strategy', undefined],
  ['GET', '/rest-cache/explain/callers', 'cache.read-strategy', undefined],
  ['GET', '/rest-cache/documents', 'cache.purge', undefined],
  ['POST', '/rest-cache/purge-entries', 'cache.purge', { keys: ['x'] }],
  ['POST', '/rest-cache/purge-preview', 'cache.purge', PURGE],
  ['POST', '/rest-cache/purge-documents', 'cache.purge', { ...PURGE, documents: ['x'] }],
];

const restricted = new Map<string, Promise<AdminSession>>();

/** An admin whose role has only these permissions. The sessions are reused, because hashing passwords takes long. */
const adminWith = (permissions: readonly string[]): Promise<AdminSession> => {
  const name = permissions.join();
  const known = restricted.get(name) ?? logInRestricted(application, admin, permissions);
  restricted.set(name, known);
  return known;
};

const PERMISSIONS = ['cache.read-strategy', 'cache.read-provider', 'cache.purge'];

describe.each(ADMIN_ROUTES)('%s %s', (method, path, permission, body) => {
  it('is not under /admin', async () => {
    expect((await send(method, `/admin${path}`, bearer(admin.token), body)).status).not.toBe(200);
  });

  it.each([
    ['nobody', () => ({ headers: {} })],
    ['a bad token', () => ({ headers: bearer('not-a-token') })],
    ['a user of the content API', () => logInCustomer(application, 'alice')],
    ['a full-access token of the content API', () => createApiToken(application, 'full-access')],
  ])('answers 401 to %s', async (_who, caller) => {
    const { headers } = await caller();
    expect((await send(method, path, headers, body)).status).toBe(401);
  });

  it('answers 200 to a super admin', async () => {
    expect((await send(method, path, bearer(admin.token), body)).status).toBe(200);
  });

  it(`answers 403 to an admin with every permission but ${permission}, and 200 with it alone`, async () => {
    const others = await adminWith(PERMISSIONS.filter((name) => name !== permission));
    expect((await send(method, path, bearer(others.token), body)).status).toBe(403);
    const holder = await adminWith([permission]);
    expect((await send(method, path, bearer(holder.token), body)).status).toBe(200);
  });
});

it('the permissions can be granted under Settings → Roles, with the prefix plugin::rest-cache.', async () => {
  const { body } = await admin.get<{ data: { sections: { plugins: unknown } } }>('/admin/permissions');
  const actions = JSON.stringify(body.data.sections.plugins);
  for (const name of PERMISSIONS) expect(actions).toContain(`"plugin::rest-cache.${name}"`);
});

describe('GET /rest-cache/config/provider', () => {
  it('returns only name and getTimeout', async () => {
    expect((await admin.get('/rest-cache/config/provider')).body).toEqual({ name: providerName(), getTimeout: 321 });
  });
});

describe('GET /rest-cache/config/strategy', () => {
  it('returns the resolved strategy with the routes matched for each content type', async () => {
    const { body } = await admin.get<StrategyJson>('/rest-cache/config/strategy');
    expect(body).toMatchObject({ enableEtag: true, keysPrefix: 'site:', maxAge: 7_200_000, hitpass: true });
    const [articles, orders, categories] = body.contentTypes;
    expect(articles?.routes.map(({ path }) => path)).toEqual([
      '/api/articles',
      '/api/articles/:id',
      '/api/articles/by-slug/:slug',
    ]);
    expect(orders).toMatchObject({ uid: 'api::order.order', hitpass: false, maxAge: 60_000, keys: { useAuth: true } });
    expect(categories?.hitpass).toBe('function');
  });

  it('has beside them the names that @strapi-community/plugin-rest-cache has, under `strategy` too', async () => {
    const { body } = await admin.get<StrategyJson & { strategy: StrategyJson }>('/rest-cache/config/strategy');
    expect(body.contentTypes[0]).toMatchObject({
      contentType: 'api::article.article',
      singleType: false,
      relatedContentTypeUid: expect.arrayContaining(['api::homepage.homepage']),
    });
    expect(body.contentTypes[0]?.routes[1]).toMatchObject({ path: '/api/articles/:id', paramNames: ['id'] });
    const { strategy, ...rest } = body;
    expect(strategy).toEqual(rest);
  });
});

describe('GET /rest-cache/stats', () => {
  it('returns the stats resource, field by field', async () => {
    await cacheStore(application).reset();
    const alice = await logInCustomer(application, 'alice');
    for (const path of ['/api/articles', '/api/articles?sort=title', '/api/homepage']) await application.get(path);
    await application.get('/api/orders', alice.headers);
    const { body } = await admin.get('/rest-cache/stats');
    expect(body).toEqual({
      provider: { name: providerName() },
      strategy: {
        enableEtag: true,
        enableXCacheHeaders: true,
        enableDocumentServiceMiddleware: true,
        clearRelatedCache: true,
        keysPrefix: 'site:',
        maxAge: 7_200_000,
      },
      totals: { entries: 4, etags: 4, contentTypes: 4 },
      contentTypes: [
        {
          uid: 'api::article.article',
          entries: 2,
          maxAge: 7_200_000,
          hitpass: true,
          keysAuthIdentity: false,
          routes: ['/api/articles', '/api/articles/:id', '/api/articles/by-slug/:slug'],
          relatedContentTypes: [
            ...['api::author.author', 'api::category.category'],
            ...['api::homepage.homepage', 'api::tag.tag'],
          ],
        },
        {
          uid: 'api::order.order',
          entries: 1,
          maxAge: 60_000,
          hitpass: false,
          keysAuthIdentity: true,
          routes: ['/api/orders', '/api/orders/:id'],
          relatedContentTypes: [],
        },
        {
          uid: 'api::category.category',
          entries: 0,
          maxAge: 7_200_000,
          hitpass: expect.any(Boolean),
          keysAuthIdentity: false,
          routes: ['/api/categories', '/api/categories/:id'],
          relatedContentTypes: ['api::article.article'],
        },
        {
          uid: 'api::homepage.homepage',
          entries: 1,
          maxAge: 7_200_000,
          hitpass: true,
          keysAuthIdentity: false,
          routes: ['/api/homepage'],
          relatedContentTypes: [],
        },
      ],
    });
  });

  it('equals cacheStats.summary()', async () => {
    const summary: unknown = await application.strapi.plugin('rest-cache').service('cacheStats').summary();
    expect((await admin.get('/rest-cache/stats')).body).toEqual(summary);
  });
});

describe('POST /api/rest-cache/purge, enabled', () => {
  const ACTION = 'plugin::rest-cache.purge.contentApi';

  it('answers 401 to a bad credential and 403 to whom it is not granted: public, users, tokens', async () => {
    const alice = await logInCustomer(application, 'alice');
    expect((await purge(bearer('nonsense'), PURGE)).status).toBe(401);
    expect((await purge({}, PURGE)).status).toBe(403);
    expect((await purge(alice.headers, PURGE)).status).toBe(403);
    expect((await purge((await createApiToken(application, 'read-only')).headers, PURGE)).status).toBe(403);
    const custom = await createApiToken(application, 'custom', ['api::article.article.find']);
    expect((await purge(custom.headers, PURGE)).status).toBe(403);
    expect((await purge(bearer(admin.token), PURGE)).status).toBe(401);
  });

  it('purges for a token and a user to whom it is granted, at once', async () => {
    const alice = await logInCustomer(application, 'alice');
    const custom = await createApiToken(application, 'custom', [ACTION]);
    const full = await createApiToken(application, 'full-access');
    await grant(application, 'authenticated', ACTION);
    for (const { headers } of [custom, full, alice]) {
      for (let attempt = 0; attempt < 3; attempt += 1) await application.get('/api/articles?granted');
      const { status, json } = await purge(headers, PURGE);
      expect([status, json()]).toEqual([200, { entries: null }]);
      expect((await application.get('/api/articles?granted')).cache).toBe('MISS');
    }
  });

  it('refuses callers without credentials, whatever the Public role is granted', async () => {
    await grant(application, 'public', ACTION);
    await application.get('/api/articles?refused');
    const { status, json } = await purge({}, PURGE);
    expect(status).toBe(403);
    expect(json()).toEqual({
      data: null,
      error: expect.objectContaining({ status: 403, name: expect.any(String), message: expect.any(String) }),
    });
    expect((await purge({ cookie: 'a=b' }, PURGE)).status).toBe(403);
    expect((await purge({ authorization: 'Basic eA==' }, PURGE)).status).toBe(403);
    expect((await purge(bearer('nonsense'), PURGE)).status).toBe(401);
    expect((await application.get('/api/articles?refused')).cache).toBe('HIT');
  });

  it('can be granted under Settings → Users & Permissions', async () => {
    const { body } = await admin.get<{ permissions: Record<string, { controllers: { purge: object } }> }>(
      '/users-permissions/permissions',
    );
    expect(Object.keys(body.permissions['plugin::rest-cache']?.controllers.purge ?? {})).toContain('contentApi');
  });
});

/** Bodies of a purge request that do not have the documented form. More: tests/unit/admin-api/purge-request.test.ts. */
const MALFORMED: ReadonlyArray<readonly [string, unknown]> = [
  ['nothing', undefined],
  ['a list', []],
  ['a field that Strapi’s own parser refuses', '{"contentType":"api::article.article","__proto__":{}}'],
  ['broken JSON', '{"contentType":'],
];

describe('a purge body (specification, "Purge request body")', () => {
  it.each(MALFORMED)('with %s is answered 400 in Strapi’s error shape, by both routes', async (_what, body) => {
    const token = await createApiToken(application, 'full-access');
    for (const answer of [
      await purge(token.headers, body),
      await send('POST', '/rest-cache/purge', bearer(admin.token), body),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.json()).toEqual({
        data: null,
        error: expect.objectContaining({ status: 400, name: expect.any(String), message: expect.any(String) }),
      });
    }
  });
});

describe('GET /rest-cache/entries', () => {
  const entries = async (query: string) => (await admin.get<EntryPage>(`/rest-cache/entries?${query}`)).body;

  beforeAll(async () => {
    await admin.post('/rest-cache/reset', {});
    for (let page = 1; page <= 7; page += 1)
      await application.get(`/api/articles?listed=${page}&pagination[pageSize]=${page}`);
    for (let hits = 0; hits < 3; hits += 1) await application.get('/api/articles?listed=7&pagination[pageSize]=7');
    await application.get('/api/homepage?listed=HOME');
  });

  it('lists key, content type, age, time to live, size and hits', async () => {
    const { results } = await entries('search=listed%3D7');
    expect(results).toEqual([
      {
        key: '/api/articles?listed=7&pagination[pageSize]=7&&',
        url: '/api/articles?listed=7&pagination[pageSize]=7',
        variant: '',
        contentType: 'api::article.article',
        route: '/api/articles',
        identity: '',
        age: expect.any(Number),
        timeToLive: expect.any(Number),
        size: expect.any(Number),
        hits: 3,
      },
    ]);
    const [entry] = results;
    expect((entry?.age ?? 0) + (entry?.timeToLive ?? 0)).toBe(7_200_000);
    expect(entry?.size).toBeGreaterThan(1000);
  });

  it('is paged', async () => {
    const seen: string[] = [];
    for (let page = 1; page <= 3; page += 1) {
      const { results, pagination } = await entries(`search=listed&pageSize=3&page=${page}`);
      expect(pagination).toEqual({ page, pageSize: 3, pageCount: 3, total: 8 });
      seen.push(...results.map(({ key }: { key: string }) => key));
    }
    expect(new Set(seen).size).toBe(8);
    expect(seen).toEqual([...seen].sort());
    expect((await entries('search=listed&pageSize=3&page=4')).results).toEqual([]);
  });

  it('is searchable in any case, and takes the words as they are', async () => {
    expect((await entries('search=LISTED%3Dhome')).pagination.total).toBe(1);
    expect((await entries(`search=${encodeURIComponent('.*')}`)).pagination.total).toBe(0);
    expect((await entries('search=listed&contentType=api::homepage.homepage')).pagination.total).toBe(1);
  });

  it('is sortable by every column, both ways', async () => {
    const columns: ReadonlyArray<keyof ListedEntry> = ['key', 'contentType', 'age', 'timeToLive', 'size', 'hits'];
    for (const column of columns) {
      const sorted = async (direction: string) =>
        (await entries(`search=listed&sort=${column}:${direction}`)).results.map((row) => row[column]);
      const [ascending, descending] = [await sorted('asc'), await sorted('desc')];
      const inOrder = (values: ReadonlyArray<string | number>): boolean =>
        values.every((value, index) => index === 0 || (values[index - 1] ?? value) <= value);
      expect([column, inOrder(ascending), inOrder(descending.reverse())]).toEqual([column, true, true]);
    }
  });

  it.each([
    ...['page=0', 'page=x', 'pageSize=0', 'pageSize=101'],
    ...['sort=key', 'sort=secret:asc', 'sort=key:sideways', 'search[]=a'],
  ])('answers 400 to ?%s', async (query) => {
    const { status, body } = await admin.get<StrapiError>(`/rest-cache/entries?${query}`);
    expect([status, body.error.name]).toEqual([400, 'ValidationError']);
  });
});

it('the provider’s options and the metrics secret are returned by no admin route and stand in no log', async () => {
  const paths = [
    ...['/rest-cache/config/strategy', '/rest-cache/config/provider', '/rest-cache/stats', '/rest-cache/entries'],
    ...['/rest-cache/metrics', '/rest-cache/activity', '/rest-cache/explain/callers', '/rest-cache/documents'],
    ...['/rest-cache/metrics/prometheus', '/admin/information', '/admin/init', '/admin/project-settings'],
  ];
  for (const path of paths) {
    const { text } = await send('GET', path, bearer(admin.token));
    expect([path, text.includes(CREDENTIAL)]).toEqual([path, false]);
  }
  expect(application.logs.join('\n')).not.toContain(CREDENTIAL);
});
