import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { cacheStore } from '../../application/cache-store';
import { parseCacheStatus } from '../../application/cache-status-field';
import { probeApi } from '../../application/probe';
import { rawRequest } from '../../application/raw-request';
import { NEVER_STORED, outcomes, thrice } from '../outcomes';
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
  contentTypes: [{ contentType: 'api::tag.tag', routes: probe.paths }],
  ask: (application) => {
    /** Headers in which a hit may differ from the response that it repeats. */
    const PER_RESPONSE = ['date', 'x-cache', 'cache-status', 'age', 'connection', 'keep-alive', 'transfer-encoding'];

    const lasting = (headers: Record<string, unknown>): Record<string, unknown> =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => !PER_RESPONSE.includes(name)));

    // What is stored, to the byte: http-bytes.test.ts. Statuses and headers: statuses.ts, tests/unit/http/representations.test.ts.
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
    });
  },
};
