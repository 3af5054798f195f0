import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { parseCacheStatus } from '../../application/cache-status-field';
import { probeApi, type ProbeContext } from '../../application/probe';
import { rawRequest } from '../../application/raw-request';
import type { Questions } from './questions';

const setting =
  (headers: Record<string, string>) =>
  (ctx: ProbeContext): object => {
    ctx.set(headers);
    return { at: Math.random() };
  };

const probe = probeApi([
  { path: '/probe/json', handler: () => ({ at: Math.random() }) },
  { path: '/probe/text', handler: (ctx) => void (ctx.body = 'grüße') },
  {
    path: '/probe/headers',
    handler: setting({ 'X-Custom': 'kept', 'Content-Language': 'en', Link: '</a>; rel="next"' }),
  },
  { path: '/probe/own-tag', handler: setting({ ETag: '"mine"', 'Last-Modified': 'Mon, 02 Jan 2023 00:00:00 GMT' }) },
  { path: '/probe/missing', handler: (ctx) => (ctx as ProbeContext & { notFound(): void }).notFound() },
  {
    path: '/probe/failing',
    handler: () => {
      throw new Error('as the test wants it');
    },
  },
  { path: '/probe/stream', handler: (ctx) => void (ctx.body = Readable.from(['a', 'b'])) },
  {
    path: '/probe/by-itself',
    handler: (ctx) => {
      ctx.respond = false;
      ctx.res.writeHead(200, { 'content-type': 'text/plain' }).end('written past Koa');
    },
  },
  { path: '/probe/sets-cookie', handler: (ctx) => (ctx.cookies.set('seen', 'yes'), { at: Math.random() }) },
  {
    path: '/probe/session',
    handler: (ctx) => {
      ctx.session.secret = 'of the first caller';
      return { at: Math.random() };
    },
  },
  { path: '/probe/no-store', handler: setting({ 'Cache-Control': 'no-store' }) },
  { path: '/probe/private', handler: setting({ 'Cache-Control': 'max-age=5, Private' }) },
  { path: '/probe/public', handler: setting({ 'Cache-Control': 'public, max-age=5' }) },
  { path: '/probe/vary-all', handler: setting({ Vary: '*' }) },
  { path: '/probe/vary-unkeyed', handler: setting({ Vary: 'X-Country' }) },
  { path: '/probe/vary-keyed', handler: setting({ Vary: 'x-tenant' }) },
  { path: '/probe/vary-format', handler: setting({ Vary: 'Strapi-Response-Format' }) },
]);

export const responses: Questions = {
  about: 'what a handler answers',
  files: probe.files,
  contentTypes: [
    { contentType: 'api::tag.tag', routes: probe.paths.map((path) => ({ path, keys: { useHeaders: ['X-Tenant'] } })) },
    { contentType: 'api::article.article', routes: ['/api/sitemap.xml', '/api/export/articles', '/api/visits'] },
    { contentType: 'api::category.category', routes: ['/api/brochure.pdf'] },
  ],
  ask: (application) => {
    /** Headers in which a hit may differ from the response that it repeats. */
    const PER_RESPONSE = ['date', 'x-cache', 'cache-status', 'age', 'connection', 'keep-alive', 'transfer-encoding'];

    const lasting = (headers: Record<string, unknown>): Record<string, unknown> =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => !PER_RESPONSE.includes(name)));

    /** One after the other, so that each answer comes from another place: the origin, the route lane, the front lane. */
    const threeAnswers = async (path: string, headers: Record<string, string> = {}) => [
      await rawRequest(application, path, { headers }),
      await rawRequest(application, path, { headers }),
      await rawRequest(application, path, { headers }),
    ];

    const outcomes = async (path: string, headers: Record<string, string> = {}): Promise<unknown[]> =>
      (await threeAnswers(path, headers)).map((answer) => answer.headers['x-cache']);

    const STORED = ['MISS', 'HIT', 'HIT'];
    const NEVER_STORED = ['MISS', 'MISS', 'MISS'];

    // To the byte, and of more kinds: http-bytes.test.ts.
    describe('a hit repeats the response', () => {
      it.each([
        ['an object', '/api/probe/json', 'application/json; charset=utf-8'],
        ['a string', '/api/probe/text', 'text/plain; charset=utf-8'],
        ['an XML string', '/api/sitemap.xml', 'application/xml'],
        ['a PDF in a Buffer', '/api/brochure.pdf', 'application/pdf'],
        ['headers of its own', '/api/probe/headers', 'application/json; charset=utf-8'],
        ["the handler's own entity tag", '/api/probe/own-tag', 'application/json; charset=utf-8'],
        ["the handler's own Cache-Control", '/api/probe/public', 'application/json; charset=utf-8'],
      ])('with %s: status, headers, content type and bytes', async (_what, path, type) => {
        const [first, ...hits] = await threeAnswers(path);
        expect(first?.headers['x-cache']).toBe('MISS');
        expect(first?.headers['content-type']).toBe(type);
        for (const hit of hits) {
          expect(hit.headers['x-cache']).toBe('HIT');
          expect(hit.status).toBe(first?.status);
          expect(lasting(hit.headers)).toEqual(lasting(first?.headers ?? {}));
          expect(hit.body.equals(first?.body ?? Buffer.alloc(0))).toBe(true);
        }
      });

      it('of a core controller: the bytes Strapi sends without the plugin', async () => {
        const path = '/api/articles?populate=*&sort=title';
        const [first, second, third] = await threeAnswers(path);
        const uncached = await rawRequest(application, path, { headers: { cookie: 'a=b' } });
        expect(uncached.headers['x-cache']).toBe('HITPASS');
        for (const answer of [first, second, third]) {
          expect(answer?.body.toString()).toBe(uncached.body.toString());
          expect(answer?.headers['content-type']).toBe(uncached.headers['content-type']);
        }
      });
    });

    // The other statuses and headers: tests/unit/http/representations.test.ts.
    describe('what is never stored', () => {
      it.each([
        ['a Set-Cookie header (state table)', '/api/probe/sets-cookie'],
        ['a Set-Cookie header of the playground (state table)', '/api/visits'],
        ['a session, whose cookie is set behind the route (state table)', '/api/probe/session'],
        ['a stream', '/api/probe/stream'],
        ['a stream of the playground', '/api/export/articles'],
        ['status 404', '/api/probe/missing'],
        ['Cache-Control: no-store of the handler', '/api/probe/no-store'],
        ['Cache-Control: private of the handler', '/api/probe/private'],
        ['Vary: *', '/api/probe/vary-all'],
      ])('%s', async (_what, path) => {
        expect(await outcomes(path)).toEqual(NEVER_STORED);
        const keys = (await application.strapi.plugin('rest-cache').service('cacheStore').keys()) as string[];
        expect(keys.filter((key) => key.startsWith(`${path}?`))).toEqual([]);
      });

      it('the answer of a handler that writes past Koa (ctx.respond = false)', async () => {
        for (let attempt = 0; attempt < 3; attempt += 1) {
          const { status, body } = await rawRequest(application, '/api/probe/by-itself');
          expect([status, body.toString()]).toEqual([200, 'written past Koa']);
        }
        expect(probe.calls('/probe/by-itself')).toBe(3);
      });

      it('a failure, which stays the failure it is', async () => {
        for (let attempt = 0; attempt < 3; attempt += 1) {
          expect((await rawRequest(application, '/api/probe/failing')).status).toBe(500);
        }
        expect(probe.calls('/probe/failing')).toBe(3);
      });

      it('but Cache-Control: public, and a Vary on request headers', async () => {
        expect(await outcomes('/api/probe/public?stored')).toEqual(STORED);
        expect(await outcomes('/api/probe/vary-keyed')).toEqual(STORED);
        expect(await outcomes('/api/probe/vary-unkeyed')).toEqual(STORED);
        expect(await outcomes('/api/probe/vary-format')).toEqual(STORED);
      });

      it('says why in Cache-Status', async () => {
        const details = async (path: string): Promise<unknown> =>
          parseCacheStatus(String((await rawRequest(application, path)).headers['cache-status'])).parameters.detail;
        expect(await details('/api/probe/sets-cookie')).toBe('Set-Cookie');
        expect(await details('/api/probe/missing')).toBe('status 404');
        expect(await details('/api/probe/vary-all')).toBe('Vary: *');
      });
    });

    describe('HEAD', () => {
      const head = (path: string, headers: Record<string, string> = {}) =>
        rawRequest(application, path, { method: 'HEAD', headers });

      it('never stores', async () => {
        const path = '/api/probe/json?head=never-stores';
        expect((await head(path)).headers['x-cache']).toBe('MISS');
        expect((await head(path)).headers['x-cache']).toBe('MISS');
        expect((await rawRequest(application, path)).headers['x-cache']).toBe('MISS');
      });

      it('is answered from a stored GET, with its headers and without its body', async () => {
        const path = '/api/probe/json?head=from-get';
        await rawRequest(application, path);
        const { headers, body } = await rawRequest(application, path);
        const calls = probe.calls('/probe/json');
        for (let attempt = 0; attempt < 3; attempt += 1) {
          const answer = await head(path);
          expect(answer.headers['x-cache']).toBe('HIT');
          expect(answer.body).toHaveLength(0);
          expect(lasting(answer.headers)).toEqual(lasting({ ...headers, 'content-length': String(body.byteLength) }));
        }
        expect(probe.calls('/probe/json')).toBe(calls);
      });
    });

    describe('X-Cache, Cache-Status and Age (enableXCacheHeaders)', () => {
      it('report MISS, HIT and HITPASS (state table), in Cache-Status as RFC 9211 spells it', async () => {
        const path = '/api/probe/json?reported';
        const answers = [
          ...(await threeAnswers(path)),
          await rawRequest(application, path, { headers: { cookie: 'a=b' } }),
        ];
        const reported = answers.map(({ headers }) => [
          headers['x-cache'],
          parseCacheStatus(String(headers['cache-status'])),
        ]);
        const hit = { cache: 'rest-cache', parameters: { hit: true, ttl: expect.closeTo(3600, -0.5) } };
        expect(reported).toEqual([
          ['MISS', { cache: 'rest-cache', parameters: { fwd: 'miss', stored: true } }],
          ['HIT', hit],
          ['HIT', hit],
          ['HITPASS', { cache: 'rest-cache', parameters: { fwd: 'bypass', detail: 'authorization or cookie header' } }],
        ]);
      });

      it('Age counts whole seconds since the response was computed, on hits alone', async () => {
        const path = '/api/probe/json?ageing';
        const [miss, hit, repeated] = await threeAnswers(path);
        expect(miss?.headers.age).toBeUndefined();
        expect([hit?.headers.age, repeated?.headers.age]).toEqual(['0', '0']);
        let last = hit;
        const age = async (): Promise<number> => Number((last = await rawRequest(application, path)).headers.age);
        await expect.poll(age, { timeout: 20_000 }).toBeGreaterThanOrEqual(1);
        const { ttl } = parseCacheStatus(String(last?.headers['cache-status'])).parameters;
        expect(Number(ttl)).toBeLessThanOrEqual(3599);
      });

      it('are absent on routes that are not cached', async () => {
        const { headers } = await rawRequest(application, '/api/authors');
        expect([headers['x-cache'], headers['cache-status'], headers.age]).toEqual([undefined, undefined, undefined]);
      });
    });

    describe('request headers in the key', () => {
      it('useHeaders keeps entries apart and adds Vary', async () => {
        const path = '/api/probe/json?by-tenant';
        expect(await outcomes(path, { 'x-tenant': 'a' })).toEqual(STORED);
        expect(await outcomes(path, { 'X-TENANT': 'b' })).toEqual(STORED);
        expect(await outcomes(path)).toEqual(STORED);
        for (const { headers } of await threeAnswers(`${path}&vary`, { 'x-tenant': 'c' })) {
          expect(String(headers.vary).toLowerCase().split(/, */)).toContain('x-tenant');
        }
      });

      it.each([['strapi-response-format'], ['strapi-encode-source-maps']])('%s always varies the key', async (name) => {
        const path = `/api/articles?fields=title&pagination[pageSize]=1&varied=${name}`;
        const value = name === 'strapi-response-format' ? 'v4' : 'true';
        expect(await outcomes(path)).toEqual(STORED);
        expect(await outcomes(path, { [name]: value })).toEqual(STORED);
        expect(await outcomes(path)).toEqual(['HIT', 'HIT', 'HIT']);
      });

      it('strapi-response-format: v4 is answered in that format from the cache too', async () => {
        const path = '/api/articles?fields=title&pagination[pageSize]=1&format';
        await threeAnswers(path);
        for (const { body } of await threeAnswers(path, { 'strapi-response-format': 'v4' })) {
          expect(JSON.parse(body.toString())).toMatchObject({ data: [{ attributes: { title: expect.any(String) } }] });
        }
      });
    });
  },
};
