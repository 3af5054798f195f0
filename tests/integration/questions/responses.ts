import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { cacheStore } from '../../application/cache-store';
import { parseCacheStatus } from '../../application/cache-status-field';
import { probeApi } from '../../application/probe';
import { rawRequest } from '../../application/raw-request';
import { NEVER_STORED, outcomes, STORED, thrice } from '../outcomes';
import type { Questions } from './questions';

const probe = probeApi([
  { path: '/probe/json', handler: () => ({ at: Math.random() }) },
  { path: '/probe/stream', handler: (ctx) => void (ctx.body = Readable.from(['a', 'b'])) },
  {
    path: '/probe/by-itself',
    handler: (ctx) => {
      ctx.respond = false;
      ctx.res.writeHead(200, { 'content-type': 'text/plain' }).end('written past Koa');
    },
  },
  {
    path: '/probe/session',
    handler: (ctx) => {
      ctx.session.secret = 'of the first caller';
      return { at: Math.random() };
    },
  },
]);

export const responses: Questions = {
  about: 'what a handler answers',
  files: probe.files,
  contentTypes: [
    { contentType: 'api::tag.tag', routes: probe.paths.map((path) => ({ path, keys: { useHeaders: ['X-Tenant'] } })) },
    { contentType: 'api::article.article', routes: ['/api/sitemap.xml'] },
    { contentType: 'api::category.category', routes: ['/api/brochure.pdf'] },
  ],
  ask: (application) => {
    /** Headers in which a hit may differ from the response that it repeats. */
    const PER_RESPONSE = ['date', 'x-cache', 'cache-status', 'age', 'connection', 'keep-alive', 'transfer-encoding'];

    const lasting = (headers: Record<string, unknown>): Record<string, unknown> =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => !PER_RESPONSE.includes(name)));

    // Responses of all kinds, to the byte, and what forbids storing one: http-bytes.test.ts.
    describe('a hit repeats the response', () => {
      it.each([
        ['an XML string', '/api/sitemap.xml', 'application/xml'],
        ['a PDF in a Buffer', '/api/brochure.pdf', 'application/pdf'],
      ])('with %s: status, headers, content type and bytes', async (_what, path, type) => {
        const [first, ...hits] = await thrice(application, path);
        expect([first.headers['x-cache'], first.headers['content-type']]).toEqual(['MISS', type]);
        for (const hit of hits) {
          expect([hit.headers['x-cache'], hit.status]).toEqual(['HIT', first.status]);
          expect(lasting(hit.headers)).toEqual(lasting(first.headers));
          expect(hit.body.equals(first.body)).toBe(true);
        }
      });

      it('of a core controller: the bytes Strapi sends without the plugin', async () => {
        const path = '/api/articles?populate=*&sort=title';
        const answers = await thrice(application, path);
        const uncached = await rawRequest(application, path, { headers: { cookie: 'a=b' } });
        expect(uncached.headers['x-cache']).toBe('HITPASS');
        for (const answer of answers) {
          expect(answer.body.toString()).toBe(uncached.body.toString());
          expect(answer.headers['content-type']).toBe(uncached.headers['content-type']);
        }
      });
    });

    // Statuses and headers: http-bytes.test.ts, statuses.ts, tests/unit/http/representations.test.ts.
    describe('what is never stored', () => {
      it.each([
        ['a session, whose cookie is set behind the route (state table)', '/api/probe/session'],
        ['a stream', '/api/probe/stream'],
      ])('%s', async (_what, path) => {
        expect(await outcomes(application, path)).toEqual(NEVER_STORED);
        expect((await cacheStore(application).keys()).filter((key) => key.startsWith(`${path}?`))).toEqual([]);
      });

      it('the answer of a handler that writes past Koa (ctx.respond = false)', async () => {
        for (const { status, body } of await thrice(application, '/api/probe/by-itself'))
          expect([status, body.toString()]).toEqual([200, 'written past Koa']);
        expect(probe.calls('/probe/by-itself')).toBe(3);
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
          ...(await thrice(application, path)),
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
        const [miss, hit, repeated] = await thrice(application, path);
        expect(miss.headers.age).toBeUndefined();
        expect([hit.headers.age, repeated.headers.age]).toEqual(['0', '0']);
        let last = hit;
        const age = async (): Promise<number> => Number((last = await rawRequest(application, path)).headers.age);
        await expect.poll(age, { timeout: 20_000 }).toBeGreaterThanOrEqual(1);
        const { ttl } = parseCacheStatus(String(last.headers['cache-status'])).parameters;
        expect(Number(ttl)).toBeLessThanOrEqual(3599);
      });
    });

    describe('request headers in the key', () => {
      it('useHeaders keeps entries apart and adds Vary', async () => {
        const path = '/api/probe/json?by-tenant';
        expect(await outcomes(application, path, { 'x-tenant': 'a' })).toEqual(STORED);
        expect(await outcomes(application, path, { 'X-TENANT': 'b' })).toEqual(STORED);
        expect(await outcomes(application, path)).toEqual(STORED);
        for (const { headers } of await thrice(application, `${path}&vary`, { 'x-tenant': 'c' })) {
          expect(String(headers.vary).toLowerCase().split(/, */)).toContain('x-tenant');
        }
      });

      it('strapi-response-format: v4 is answered in that format from the cache too', async () => {
        const path = '/api/articles?fields=title&pagination[pageSize]=1&format';
        await thrice(application, path);
        for (const { body } of await thrice(application, path, { 'strapi-response-format': 'v4' })) {
          expect(JSON.parse(body.toString())).toMatchObject({ data: [{ attributes: { title: expect.any(String) } }] });
        }
      });
    });
  },
};
