import type { Explanation } from '../../server/src/admin-api/explain';
import type { Stats } from '../../server/src/admin-api/stats';
import type { RoutesReport } from '../../server/src/admin-api/routes';
import { LONGEST_FLIGHT } from '../../server/src/cache/flights';
import type { StrategyConfig } from '../../server/src/config/user-config';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logIn } from '../application/admin-session';
import { cacheStore } from '../application/cache-store';
import { createApiToken, grant, logInCustomer, revoke } from '../application/callers';
import { get, persisted, post, type Asked } from '../application/graphql';
import { graphqlCalls, graphqlProbes } from '../application/graphql-probes';
import { middlewares } from '../application/stack';
import { startApplication, type Application, type ApplicationSettings } from '../application/start-application';

const JSON_TYPE = { 'content-type': 'application/json' };
const RESPONSE_TYPE = { accept: 'application/graphql-response+json' };
const PREFLIGHT = { 'apollo-require-preflight': 'true' };

let application: Application;

const start = async (strategy: StrategyConfig, { files, ...settings }: ApplicationSettings = {}): Promise<void> => {
  const own = { enableXCacheHeaders: true, ...strategy };
  const restCache = { strategy: own };
  application = await startApplication({ ...settings, files: { ...graphqlProbes, ...files }, restCache });
};

/** A global middleware that reads from the database for each request. */
const readingInFront = {
  'src/middlewares/reading.js': `
module.exports = (_config, { strapi }) => async (ctx, next) => {
  if (ctx.path === '/graphql') await strapi.db.query('api::tag.tag').count();
  return next();
};`,
  ...middlewares(['global::reading'], 'strapi::poweredBy'),
};

/** Asks three times, as the first answer is never served from the store. */
const outcomes = async (asked: Asked, headers?: Record<string, string>): Promise<Array<string | null>> => {
  const caches: Array<string | null> = [];
  for (let time = 0; time < 3; time += 1) caches.push((await post(application, asked, headers)).cache);
  return caches;
};

/** The actions that the role Public is granted until {@link withoutPublic} takes all of them away. */
let ofPublic: string[] = [];

/** Takes all permissions from the role Public before the server listens. */
const withoutPublic: ApplicationSettings['beforeLoad'] = (strapi) => {
  const { listen } = strapi;
  strapi.listen = async () => {
    const permissions = strapi.db.query('plugin::users-permissions.permission');
    const found = (await permissions.findMany({ where: { role: { type: 'public' } } })) as Permission[];
    ofPublic = found.map(({ action }) => action);
    await permissions.deleteMany({ where: { id: { $in: found.map(({ id }) => id) } } });
    return listen.call(strapi);
  };
};

interface Permission {
  readonly id: number;
  readonly action: string;
}

interface Summary {
  summary(): Promise<Stats>;
}

const ARTICLES = 'query Home { articles(sort: "documentId") { documentId title author { name } tags { name } } }';

describe('callers without credentials share answers', () => {
  beforeAll(async () => {
    await start({
      enableEtag: true,
      graphql: true,
      edge: { header: 'xkey', targets: [{ name: 'function', purge: () => undefined }] },
    });
  }, 300_000);
  afterAll(() => application.stop());

  it('boots without a content type and without a warning, and says where GraphQL is cached', async () => {
    expect(application.warnings).toEqual([]);
    const line = '[rest-cache] GraphQL answers are cached at /graphql';
    await expect.poll(() => application.logs, { timeout: 20_000 }).toContain(line);
  });

  it('answers a query again with the same bytes and headers', async () => {
    const miss = await post(application, { query: ARTICLES });
    const hit = await post(application, { query: ARTICLES });
    expect([miss.cache, hit.cache, hit.body]).toEqual(['MISS', 'HIT', miss.body]);
    expect(JSON.parse(miss.body)).not.toHaveProperty('errors');
    expect(hit.told).toMatch(/^rest-cache; hit; ttl=\d+$/);
    expect(hit.headers.get('age')).toMatch(/^\d+$/);
    for (const name of ['content-type', 'cache-control', 'vary', 'etag', 'xkey'])
      expect([name, hit.headers.get(name)]).toEqual([name, miss.headers.get(name)]);
  });

  it('is counted in a row of its own, so that the numbers add up', async () => {
    const { totals, contentTypes } = await application.strapi
      .plugin('rest-cache')
      .service<Summary>('cacheStats')
      .summary();
    expect(contentTypes).toMatchObject([{ uid: 'plugin::graphql', entries: 1, routes: ['/graphql'] }]);
    expect(contentTypes.reduce((sum, { entries }) => sum + entries, 0)).toBe(totals.entries);
  });

  it('keeps Apollo’s no-store on a POST, without keys for the edge and without an entity tag', async () => {
    const { headers } = await post(application, { query: ARTICLES });
    expect(['cache-control', 'xkey', 'etag'].map((name) => headers.get(name))).toEqual(['no-store', null, null]);
    const conditional = await post(application, { query: ARTICLES }, { 'if-none-match': '*' });
    expect(conditional.status).toBe(200);
  });

  it('shares the answer with a GET, which has keys for the edge, an entity tag and 304', async () => {
    const posted = await post(application, { query: ARTICLES });
    const got = await get(application, { query: ARTICLES });
    expect([got.cache, got.body]).toEqual(['HIT', posted.body]);
    expect(got.headers.get('xkey')).not.toBeNull();
    expect(got.headers.get('cache-control')).toContain('s-maxage=');
    expect(got.headers.get('vary')?.toLowerCase()).toContain('accept');
    const etag = got.headers.get('etag') ?? '';
    const { status, body } = await get(application, { query: ARTICLES }, { ...PREFLIGHT, 'if-none-match': etag });
    expect([status, body]).toEqual([304, '']);
  });

  it('shares the answer of a persisted query by its hash with that by its text', async () => {
    const query = '{ tags { name slug: documentId } }';
    await post(application, { query });
    await post(application, { query });
    const byHash = { extensions: persisted(query) };
    expect([(await post(application, byHash)).cache, (await get(application, byHash)).cache]).toEqual(['HIT', 'HIT']);
    const unknown = await post(application, { extensions: persisted('{ never }') });
    expect([unknown.cache, unknown.body.includes('PersistedQueryNotFound')]).toEqual(['MISS', true]);
    const wrong = await post(application, { query, extensions: persisted('{ other }') });
    expect([wrong.status, wrong.cache]).toEqual([400, 'HITPASS']);
  });

  it('registers a persisted query with its first answer', async () => {
    const query = '{ tags { name registered: documentId } }';
    const extensions = persisted(query);
    expect((await get(application, { extensions })).body).toContain('PersistedQueryNotFound');
    expect((await post(application, { query, extensions })).cache).toBe('MISS');
    expect((await get(application, { extensions })).cache).toBe('HIT');
  });

  it('is answered at once where a resolver authenticates the caller again', async () => {
    const query = 'query ($n: Int) { probeAgain tags(pagination: { limit: $n }) { name } }';
    // Only the requests for an operation that was answered before wait for each other.
    for (const n of [1, 2]) {
      const began = performance.now();
      const { status, body } = await post(application, { query, variables: { n } });
      expect([status, body.includes('errors')]).toEqual([200, false]);
      expect(performance.now() - began).toBeLessThan(LONGEST_FLIGHT / 2);
    }
  });

  it.each<[what: string, one: Asked, other: Asked, headers?: Record<string, string>]>([
    [
      'variables',
      { query: 'query ($n: Int) { tags(pagination: { limit: $n }) { name } }', variables: { n: 1 } },
      { query: 'query ($n: Int) { tags(pagination: { limit: $n }) { name } }', variables: { n: 2 } },
    ],
    [
      'null and absent variables',
      { query: 'query ($s: String) { articles(filters: { slug: { eq: $s } }) { slug } }', variables: {} },
      { query: 'query ($s: String) { articles(filters: { slug: { eq: $s } }) { slug } }', variables: { s: null } },
    ],
    [
      'operation names',
      { query: 'query A { tags { name } } query B { authors { name } }', operationName: 'A' },
      { query: 'query A { tags { name } } query B { authors { name } }', operationName: 'B' },
    ],
    ['media types', { query: '{ categories { name } }' }, { query: '{ categories { name } }' }, RESPONSE_TYPE],
  ])('tells apart %s', async (_what, one, other, headers) => {
    await outcomes(one);
    await post(application, other, headers);
    const answers = [await post(application, one), await post(application, other, headers)];
    expect(answers.map(({ cache }) => cache)).toEqual(['HIT', 'HIT']);
    expect(answers[0]?.body + (answers[0]?.headers.get('content-type') ?? '')).not.toBe(
      (answers[1]?.body ?? '') + (answers[1]?.headers.get('content-type') ?? ''),
    );
  });

  it.each<[what: string, asked: Asked, reason: string]>([
    ['a mutation', { query: 'mutation { probeMutate }' }, 'a mutation'],
    ['introspection', { query: '{ __schema { queryType { name } } }' }, 'introspection'],
    [
      'introspection beside data',
      { query: '{ ...X articles { title } } fragment X on Query { __type(name: "Article") { name } }' },
      'introspection',
    ],
    ['a policy', { query: '{ probePolicy }' }, 'Query.probePolicy has policies or middlewares'],
    [
      'a policy of a field that is skipped this time',
      { query: '{ probeCount probePolicy @skip(if: true) }' },
      'Query.probePolicy has policies or middlewares',
    ],
    ['a middleware', { query: '{ probeMiddleware }' }, 'Query.probeMiddleware has policies or middlewares'],
    ['nothing read', { query: '{ probePlain }' }, 'nothing was read from the database'],
    ['errors', { query: '{ probeFails }' }, 'errors'],
    ['a syntax error', { query: '{ probeCount' }, 'Apollo Server has executed nothing'],
    ['a cookie', { query: '{ probeCookie }' }, 'Set-Cookie'],
    ['a write', { query: '{ probeWrites }' }, 'it has written to the database'],
    ['a header', { query: '{ probeTenant }' }, 'reads x-tenant of the request'],
    ['all headers', { query: '{ probeAllHeaders }' }, 'reads all headers (*)'],
    ['no-store', { query: '{ probeControl(value: "no-store") }' }, 'Cache-Control: no-store'],
    ['private', { query: '{ probeControl(value: "private, max-age=60") }' }, 'Cache-Control: private'],
    ['a private hint', { query: '{ probeHint(maxAge: 60, scope: "PRIVATE") }' }, 'PRIVATE'],
    ['a hint of no time', { query: '{ probeHint(maxAge: 0) }' }, '@cacheControl(maxAge: 0)'],
    ['another status', { query: '{ probeStatus }' }, 'status 203'],
    ['a subscription', { query: 'subscription { tags { name } }' }, 'a subscription'],
    ['defer', { query: '{ tags { name ... @defer { documentId } } }' }, 'Apollo Server has executed nothing'],
  ])('never stores %s', async (_what, asked, reason) => {
    const caches = await outcomes(asked);
    expect(caches).not.toContain('HIT');
    const { told } = await post(application, asked);
    expect(told).toContain(reason);
  });

  it('executes a repeated mutation each time, and many at once without waiting for each other', async () => {
    const before = graphqlCalls().mutate;
    await Promise.all(Array.from({ length: 5 }, () => post(application, { query: 'mutation M { probeMutate }' })));
    expect(graphqlCalls().mutate - before).toBe(5);
  });

  it('never stores a batch, a form, an upload or the landing page', async () => {
    const batch = await post(application, [{ query: '{ probeCount }' }, { query: '{ probeCount }' }]);
    const urlencoded = await application.request('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...PREFLIGHT },
      body: 'query=%7BprobeCount%7D',
    });
    const form = new FormData();
    form.set('query', '{ probeCount }');
    const upload = await application.request('/graphql', { method: 'POST', headers: PREFLIGHT, body: form });
    const page = await application.request('/graphql', { headers: { accept: 'text/html' } });
    const withQuery = await application.request('/graphql?query=%7BprobeCount%7D', {
      headers: { accept: 'text/html', ...PREFLIGHT },
    });
    for (const { cache } of [batch]) expect(cache).toBe('HITPASS');
    for (const { headers } of [urlencoded, upload, withQuery]) expect(headers.get('x-cache')).toBe('HITPASS');
    expect(page.headers.get('x-cache')).not.toBe('HIT');
    expect(page.headers.get('content-type')).toContain('text/html');
  });

  it('leaves a GET that another site could send to Apollo Server, although the answer is stored', async () => {
    const query = '{ tags { name } }';
    await outcomes({ query });
    const { status, cache } = await get(application, { query }, {});
    expect([status, cache]).toEqual([400, 'HITPASS']);
    expect((await get(application, { query }, JSON_TYPE)).cache).toBe('HIT');
    expect((await get(application, { query: 'mutation { probeMutate }' })).status).toBe(405);
  });

  it.each([
    ['max-age of a resolver', '{ probeControl(value: "max-age=30") }', 30],
    ['a hint of one field of several', '{ probeHint(maxAge: 20) articles { documentId } }', 20],
  ])('is bounded by %s', async (_what, query, seconds) => {
    await post(application, { query });
    const { cache, told } = await post(application, { query });
    expect(cache).toBe('HIT');
    const ttl = Number(/ttl=(\d+)/.exec(told)?.[1]);
    expect(ttl).toBeGreaterThan(seconds - 10);
    expect(ttl).toBeLessThanOrEqual(seconds);
  });

  it('bypasses the cache with credentials', async () => {
    const { headers } = await logInCustomer(application, 'alice');
    const caches = await outcomes({ query: '{ tags { name } }' }, headers);
    expect(caches).toEqual(['HITPASS', 'HITPASS', 'HITPASS']);
    expect(await outcomes({ query: '{ tags { name } }' }, { cookie: 'a=b' })).toEqual([
      'HITPASS',
      'HITPASS',
      'HITPASS',
    ]);
  });

  it('refuses a permission that was revoked, in GraphQL’s own form, and serves no entry', async () => {
    const query = '{ tags { documentId name } }';
    expect((await outcomes({ query })).at(-1)).toBe('HIT');
    await revoke(application, 'public', 'api::tag.tag.find');
    try {
      const { status, cache, body } = await post(application, { query });
      expect([status, cache, JSON.parse(body)]).toMatchObject([
        200,
        'MISS',
        { data: null, errors: [{ extensions: { code: 'FORBIDDEN' } }] },
      ]);
    } finally {
      await grant(application, 'public', 'api::tag.tag.find');
    }
    expect(JSON.parse((await post(application, { query })).body)).not.toHaveProperty('errors');
  });

  it('ends the answers that a write concerns, and leaves the others', async () => {
    const { strapi } = application;
    const [one, other] = await strapi.documents('api::article.article').findMany({ status: 'published', limit: 2 });
    const query = `query One($id: ID!) {
      shown: article(documentId: $id) { ...Shown }
    }
    fragment Shown on Article { title author { name } category { name } tags { name } }`;
    const of = (document: { documentId: string } | undefined): Asked => ({
      query,
      variables: { id: document?.documentId },
    });
    await outcomes(of(one));
    await outcomes(of(other));
    const data: object = { title: 'Another title' };
    await strapi.documents('api::article.article').update({
      documentId: one?.documentId ?? '',
      data,
      status: 'published',
    });
    const [changed, same] = [await post(application, of(one)), await post(application, of(other))];
    expect([changed.cache, changed.body.includes('Another title'), same.cache]).toEqual(['MISS', true, 'HIT']);
  });

  it('is ended by the purge of a type and of everything', async () => {
    const query = '{ tags { name purged: documentId } }';
    const purge = cacheStore(application);
    await outcomes({ query });
    await purge.invalidate({ contentTypes: ['api::tag.tag'] });
    expect((await post(application, { query })).cache).toBe('MISS');
    expect((await post(application, { query })).cache).toBe('HIT');
    await purge.reset();
    expect((await post(application, { query })).cache).toBe('MISS');
    await purge.clearByUid('api::tag.tag');
    expect((await post(application, { query })).cache).toBe('MISS');
  });

  describe('the panel', () => {
    const QUERY = 'query Panel($n: Int) { shown: tags(pagination: { limit: $n }) { name } }';
    const LINE = '/graphql Panel { tags }';

    it('has a line for each operation on Routes, with hits and reasons', async () => {
      for (const _time of [1, 2]) await post(application, { query: QUERY, variables: { n: 2 } });
      const admin = await logIn(application);
      const { body } = await admin.get<RoutesReport>('/rest-cache/routes');
      const lineOf = (path: string) => body.routes.find((route) => route.path === path);
      expect(lineOf(LINE)).toMatchObject({
        contentType: { displayName: 'GraphQL' },
        lane: { mode: 'route' },
        counts: { hour: { hit: 1, miss: 1, store: 1 } },
      });
      expect(lineOf('/graphql { probePlain }')?.counts.hour.reasons[0]).toMatchObject({
        kind: 'miss',
        detail: 'nothing was read from the database',
      });
      expect(lineOf('/graphql mutation M { probeMutate }')?.counts.hour.hit).toBe(0);
    });

    it('explains a pasted query with variables', async () => {
      const admin = await logIn(application);
      const explain = async (operation: object): Promise<Explanation> =>
        (await admin.post<Explanation>('/rest-cache/explain', { operation, as: { kind: 'anonymous' } })).body;
      await outcomes({ query: QUERY, variables: { n: 3 } });
      expect(await explain({ query: QUERY, variables: { n: 3 } })).toMatchObject({
        verdict: 'hit',
        identity: '',
        route: { contentType: { displayName: 'GraphQL' } },
      });
      expect(await explain({ query: QUERY, variables: { n: 99 } })).toMatchObject({
        verdict: 'miss',
        reason: { code: 'never-asked' },
      });
      // What kind of operation it is, the first execution tells.
      const mutation = { query: 'mutation M { probeMutate }' };
      await post(application, mutation);
      expect(await explain(mutation)).toMatchObject({
        verdict: 'bypass',
        reason: { code: 'hitpass', cause: 'operation', detail: 'a mutation' },
      });
    });

    it('says that a user who is blocked is refused', async () => {
      const admin = await logIn(application);
      const { id } = await logInCustomer(application, 'bob');
      const users = application.strapi.db.query('plugin::users-permissions.user');
      await users.update({ where: { id }, data: { blocked: true } });
      const { body } = await admin.post('/rest-cache/explain', {
        operation: { query: QUERY },
        as: { kind: 'user', id },
      });
      await users.update({ where: { id }, data: { blocked: false } });
      expect(body).toMatchObject({ verdict: 'outside', reason: { code: 'unauthorized' } });
    });

    it('purges the answers that show a document of a type that no route is cached for', async () => {
      const [tag] = await application.strapi.documents('api::tag.tag').findMany({ limit: 1, status: 'published' });
      const [other] = await application.strapi.documents('api::author.author').findMany({ limit: 1 });
      const ofTag = { query: `{ tag(documentId: "${tag?.documentId}") { name } }` };
      const ofAuthor = { query: `{ author(documentId: "${other?.documentId}") { name } }` };
      for (const asked of [ofTag, ofAuthor]) expect((await outcomes(asked)).at(-1)).toBe('HIT');
      const admin = await logIn(application);
      const purge = { contentType: 'api::tag.tag', documents: [tag?.documentId] };
      expect((await admin.post('/rest-cache/purge-documents', purge)).status).toBe(200);
      expect([(await post(application, ofTag)).cache, (await post(application, ofAuthor)).cache]).toEqual([
        'MISS',
        'HIT',
      ]);
      expect((await admin.post('/rest-cache/purge', { contentType: 'api::author.author' })).status).toBe(200);
      expect((await post(application, ofAuthor)).cache).toBe('MISS');
    });

    it('says that GraphQL has no documents', async () => {
      const admin = await logIn(application);
      const purge = { contentType: 'plugin::graphql', documents: ['x'] };
      expect((await admin.post('/rest-cache/purge-documents', purge)).status).toBe(400);
      expect((await admin.post('/rest-cache/purge-preview', purge)).status).toBe(400);
      expect((await admin.get('/rest-cache/documents/plugin::graphql/x')).status).toBe(400);
    });
  });
});

describe('callers have answers of their own', () => {
  beforeAll(async () => {
    const keys = { useAuth: true, useHeaders: ['x-tenant'] };
    await start(
      { graphql: { hitpass: false, keys, repeatable: true, maxAge: 60_000 } },
      {
        files: readingInFront,
        beforeLoad: withoutPublic,
      },
    );
    for (const action of ['api::order.order.find', 'api::tag.tag.find'])
      await grant(application, 'authenticated', action).catch(() => undefined);
  }, 300_000);
  afterAll(() => application.stop());

  it('is cached although the role Public has no permission when the server starts', async () => {
    const { headers } = await createApiToken(application, 'full-access');
    const query = '{ tags { name } }';
    expect((await post(application, { query })).status).toBe(401);
    const admin = await logIn(application);
    const { body } = await admin.post('/rest-cache/explain', { operation: { query }, as: { kind: 'anonymous' } });
    expect(body).toMatchObject({ verdict: 'outside', reason: { code: 'forbidden' } });
    await grant(application, 'public', ...ofPublic);
    expect(application.warnings).toEqual([]);
    const line = '[rest-cache] GraphQL answers are cached at /graphql';
    await expect.poll(() => application.logs, { timeout: 20_000 }).toContain(line);
    expect(await outcomes({ query }, headers)).toEqual(['MISS', 'HIT', 'HIT']);
  });

  it('keeps callers apart', async () => {
    const [alice, bob] = [await logInCustomer(application, 'alice'), await logInCustomer(application, 'bob')];
    const query = '{ me { username } tags { name } }';
    expect((await outcomes({ query }, alice.headers)).at(-1)).toBe('HIT');
    const own = await post(application, { query }, bob.headers);
    expect([own.cache, own.body.includes('bob')]).toEqual(['MISS', true]);
    expect((await post(application, { query }, alice.headers)).body).toContain('alice');
    expect((await post(application, { query })).cache).not.toBe('HIT');
  });

  it('never stores an answer for which only a middleware in front has read', async () => {
    expect(await outcomes({ query: '{ probePlain }' })).toEqual(['MISS', 'MISS', 'MISS']);
  });

  it('has the keyed headers in the key', async () => {
    const query = '{ probeTenant }';
    expect((await outcomes({ query }, { 'x-tenant': 'a' })).at(-1)).toBe('HIT');
    await post(application, { query }, { 'x-tenant': 'b' });
    const { cache, body } = await post(application, { query }, { 'x-tenant': 'b' });
    expect([cache, body]).toEqual(['HIT', '{"data":{"probeTenant":"b"}}\n']);
  });

  it('does not call policies and middlewares that are declared repeatable', async () => {
    for (const query of ['{ probePolicy }', '{ probeMiddleware }']) {
      expect((await outcomes({ query })).at(-1)).toBe('HIT');
      const before = graphqlCalls().guarded;
      expect((await post(application, { query })).cache).toBe('HIT');
      expect(graphqlCalls().guarded).toBe(before);
    }
  });
});
