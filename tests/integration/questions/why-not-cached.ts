import { errors } from '@strapi/utils';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Explanation, HeldByRoute, Routes } from '../../../admin/src/api/responses';
import { logIn, type AdminSession } from '../../application/admin-session';
import { anArticle, retitle } from '../../application/articles';
import { bearer } from '../../application/callers';
import { probeApi, type ProbeContext } from '../../application/probe';
import type { Questions } from './questions';

/** Why requests are not answered from the cache: what Explain predicts, and what the routes' counters report later. */

const OPEN = { auth: false };
const plain = (): object => ({ at: Math.random() });

const probe = probeApi([
  { path: '/probe/plain', handler: plain, config: OPEN },
  {
    path: '/probe/throws',
    handler: () => {
      throw new errors.ValidationError('never of that visitor’s');
    },
    config: OPEN,
  },
  {
    path: '/probe/cookie',
    handler: (ctx: ProbeContext) => {
      ctx.cookies.set('session', 'of-one');
      return plain();
    },
    config: OPEN,
  },
  { path: '/probe/stream', handler: (ctx: ProbeContext) => void (ctx.body = Readable.from(['stream'])), config: OPEN },
  {
    path: '/probe/reader',
    handler: (ctx: ProbeContext) => ({ language: ctx.get('x-language') }),
    config: OPEN,
  },
  { path: '/probe/populated', handler: plain, config: { ...OPEN, middlewares: ['global::populate'] } },
  { path: '/probe/listed', handler: plain, config: OPEN },
  { path: '/probe/other-plain', handler: plain, config: OPEN },
]);

const files = {
  'src/middlewares/populate.js':
    "module.exports = () => (ctx, next) => { ctx.query = { ...ctx.query, populate: 'author' }; return next(); };",
  ...probe.files,
};

/** The `X-Cache` that proves Explain right. `refused` is a miss each time. */
const EXPECTED = { hit: 'HIT', miss: 'MISS', refused: 'MISS', bypass: 'HITPASS', outside: null } as const;

type Headers = Record<string, string>;
const CONSENT = { cookie: 'consent=yes' };
const FRENCH = { 'x-language': 'fr' };

type Verdict = Explanation['verdict'];
const THROWN = { code: 'unstorable', cause: 'thrown', detail: 'throws ValidationError' };
const KEPT = { code: 'stored' };

/** What is asked and its status, Explain's verdicts before the first request and before later ones, and the reason. */
const PUZZLES: ReadonlyArray<
  readonly [name: string, status: number, url: string, headers: Headers, first: Verdict, then: Verdict, reason: object]
> = [
  ['a query that Strapi refuses', 400, '/api/articles?filters[nothing][$eq]=1', {}, 'refused', 'refused', THROWN],
  ['a handler that throws', 400, '/api/probe/throws', {}, 'miss', 'refused', THROWN],
  ['a bad token', 401, '/api/articles', bearer('no'), 'outside', 'outside', { code: 'unauthorized' }],
  ['a cookie', 200, '/api/articles?sort=title', CONSENT, 'bypass', 'bypass', { code: 'hitpass', cause: 'credentials' }],
  ['utm_source', 200, '/api/probe/plain?utm_source=x', {}, 'miss', 'hit', KEPT],
  ['a range', 200, '/api/probe/plain?of=range', { range: 'bytes=0-3' }, 'miss', 'hit', KEPT],
  ['Set-Cookie', 200, '/api/probe/cookie', {}, 'miss', 'refused', { code: 'unstorable', cause: 'cookie' }],
  ['a stream', 200, '/api/probe/stream', {}, 'miss', 'refused', { code: 'unstorable', cause: 'stream' }],
  ['a read header', 200, '/api/probe/reader', FRENCH, 'miss', 'refused', { code: 'unstorable', cause: 'reads' }],
  ['a middleware that populates', 200, '/api/probe/populated?sort=title', {}, 'miss', 'hit', KEPT],
  ['a parameter that is not listed', 200, '/api/probe/listed?sort=a&utm_source=x', {}, 'miss', 'hit', KEPT],
];

export const whyNotCached: Questions = {
  about: 'why requests are not answered from the cache',
  files,
  contentTypes: [
    {
      contentType: 'api::article.article',
      routes: [
        ...probe.paths.filter((path) => !path.endsWith('listed')),
        { path: '/api/probe/listed', keys: { useQueryParams: ['sort'] } },
      ],
    },
  ],
  ask: (application) => {
    let admin: AdminSession;
    beforeAll(async () => {
      admin = await logIn(application);
    });

    const explain = async (url: string, headers: Headers = {}): Promise<Explanation> =>
      (await admin.post<Explanation>('/rest-cache/explain', { url, as: { kind: 'anonymous' }, headers })).body;

    describe('Explain says what the next request gets', () => {
      it.each(PUZZLES)('%s', async (_what, status, url, headers, first, then, reason) => {
        for (const verdict of [first, then, then]) {
          const before = await explain(url, headers);
          expect(before.verdict).toBe(verdict);
          const response = await application.get(url, headers);
          expect([response.status, response.cache]).toEqual([status, EXPECTED[verdict]]);
        }
        expect((await explain(url, headers)).reason).toMatchObject(reason);
      });

      it('in the words of Strapi before anybody was refused a query', async () => {
        expect(await explain('/api/articles?sort=nothing')).toMatchObject({
          verdict: 'refused',
          reason: { code: 'throws', detail: 'throws ValidationError' },
        });
      });

      it('what tells a request from one that is cached', async () => {
        await application.get('/api/articles?sort=title');
        expect(await explain('/api/articles?utm_source=x&sort=title')).toMatchObject({
          verdict: 'miss',
          reason: { code: 'never-asked' },
          differs: {
            parameters: ['utm_source'],
            cached: '/api/articles?sort=title',
            advice: expect.stringContaining("'sort'"),
          },
        });
        await application.get('/api/articles?sort=id&pagination[page]=1');
        expect((await explain('/api/articles?sort=id&pagination[page]=2')).differs).toEqual({
          parameters: ['pagination'],
          cached: null,
          advice: null,
        });
        expect((await explain('/api/articles?sort=title')).differs).toBeNull();
      });

      it('no place of a hit that there never is', async () => {
        for (const url of ['/api/articles?sort=nothing', '/api/probe/cookie', '/api/probe/cookie?new=1'])
          expect([url, (await explain(url)).lane]).toEqual([url, null]);
        expect((await explain('/api/articles', CONSENT)).lane).toBeNull();
      });

      it('which lane a hit is answered by: no outer one where the request is left to the stack', async () => {
        const outer = (await explain('/api/articles')).lane?.mode;
        expect(outer).not.toBe('route');
        expect((await explain('/api/articles', { range: 'bytes=0-3' })).lane?.mode).toBe('route');
      });

      it('for a credential among the headers, what Strapi makes of it', async () => {
        const { id } = (await application.strapi.db
          .query('plugin::users-permissions.user')
          .findOne({ where: { username: 'alice' } })) as { id: number };
        const token = application.strapi.plugin('users-permissions').service('jwt').issue({ id }) as string;
        expect(await explain('/api/articles', bearer(token))).toMatchObject({
          verdict: 'bypass',
          reason: { code: 'hitpass', cause: 'credentials' },
        });
      });
    });

    describe('GET /rest-cache/routes', () => {
      const countsOf = async (path: string) => {
        const { body } = await admin.get<Routes>('/rest-cache/routes');
        const found = body.routes.find((route) => route.path === path);
        if (found === undefined) throw new Error(`no route ${path}`);
        return found.counts.hour;
      };

      it('gives every miss one reason', async () => {
        const path = '/api/probe/other-plain';
        await application.get(path);
        for (const value of [1, 2, 3]) await application.get(`${path}?utm_source=${value}`);
        await application.strapi
          .documents('api::article.article')
          .create({ data: { title: 'Of no interest' } as never });
        await admin.post('/rest-cache/reset', {});
        await application.get(path);
        const { miss, reasons } = await countsOf(path);
        expect(reasons.reduce((sum, { count }) => sum + count, 0)).toBe(miss);
        expect(reasons).toMatchObject([
          {
            kind: 'fill',
            ...{ code: 'new-value', detail: 'utm_source', count: 3, latest: `${path}?utm_source=3` },
            advice: expect.stringMatching(/^keys: \{ useQueryParams: \['fields', /),
          },
          { kind: 'fill', code: 'first', count: 1, advice: null },
          { kind: 'fill', code: 'purge', detail: expect.stringMatching(/^admin:/), count: 1 },
        ]);
      });

      it('names the content type whose change made a request miss', async () => {
        await application.get('/api/articles?sort=slug');
        await retitle(application, await anArticle(application), 'Another title');
        await application.get('/api/articles?sort=slug');
        const { reasons } = await countsOf('/api/articles');
        expect(reasons).toContainEqual(
          expect.objectContaining({ kind: 'fill', code: 'write', detail: 'Article', count: 1 }),
        );
      });

      it('counts what handlers throw, without what they say', async () => {
        const reason = { kind: 'miss', code: 'thrown', detail: 'throws ValidationError' };
        const before = await countsOf('/api/probe/throws');
        await application.get('/api/probe/throws?latest');
        const after = await countsOf('/api/probe/throws');
        expect([after.miss - before.miss, after.store]).toEqual([1, 0]);
        const latest = '/api/probe/throws?latest';
        expect(after.reasons[0]).toEqual({
          ...reason,
          about: 'ValidationError',
          count: after.miss,
          latest,
          advice: null,
        });
        // Those that came after an answer which was not storable have not waited for others: counted besides.
        expect(after.reasons.slice(1)).toMatchObject([{ kind: 'miss', code: 'alone' }]);
      });

      it('names the type, the lane and what is held', async () => {
        const { body } = await admin.get<Routes>('/rest-cache/routes');
        expect(body.scopes).toEqual({ hour: 'process', day: 'process', week: 'process' });
        expect(body.routes.find(({ path }) => path === '/api/probe/populated')).toMatchObject({
          contentType: { displayName: 'Article' },
          lane: { mode: 'route', blockedBy: { text: 'its middleware global::populate' } },
          sharing: 'public',
        });
        // What is never stored has no hit that could be answered anywhere.
        expect(body.routes.find(({ path }) => path === '/api/probe/cookie')?.lane).toBeNull();
        await application.get('/api/probe/plain');
        const { body: held } = await admin.get<HeldByRoute>('/rest-cache/routes/held');
        const plainly = held.routes.find(({ path }) => path === '/api/probe/plain');
        expect(plainly?.entries).toBe(1);
        expect(plainly?.bytes).toBeGreaterThan(100);
        expect(held.routes.some(({ path }) => path === '/api/probe/throws')).toBe(false);
      });
    });
  },
};
