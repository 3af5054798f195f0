import { expect, it } from 'vitest';
import { probeApi } from '../../application/probe';
import { rawRequest, type RawResponse } from '../../application/raw-request';
import { thrice } from '../outcomes';
import type { Questions } from './questions';

const LARGE = 'a response large enough to be compressed '.repeat(100);

const probe = probeApi([
  { path: '/probe/tagged', handler: () => ({ text: LARGE }) },
  {
    path: '/probe/dressed',
    handler: (ctx) => {
      ctx.set({
        'X-Custom': 'of the body',
        'Content-Location': '/elsewhere',
        Expires: 'Thu, 01 Jan 2099 00:00:00 GMT',
      });
      ctx.set({ 'Cache-Control': 'public, max-age=7', Vary: 'X-Tenant', 'Content-Language': 'en' });
      return { text: LARGE };
    },
  },
  { path: '/probe/own-weak', handler: (ctx) => (ctx.set('ETag', 'W/"own-weak"'), { text: LARGE }) },
  { path: '/probe/refused', handler: (ctx) => (ctx.set('Cache-Control', 'no-store'), { text: LARGE }) },
]);

const routes = probe.paths.map((path) => ({ path, keys: { useHeaders: ['x-tenant'] } }));

export const conditional: Questions = {
  about: 'with enableEtag',
  files: probe.files,
  contentTypes: [{ contentType: 'api::article.article', routes }],
  ask: (application) => {
    const get = (path: string, headers: Record<string, string> = {}): Promise<RawResponse> =>
      rawRequest(application, path, { headers });

    /** The entity tag of a path, once its response is stored and every lane has served it. */
    const warm = async (path: string): Promise<string> => {
      await thrice(application, path);
      return String((await get(path)).headers.etag);
    };

    // What is answered 304, and what is not: lanes-matrix.test.ts, tests/unit/http/representations.test.ts.
    it('a miss too is answered 304 when the client holds what it would get', async () => {
      const path = '/api/probe/tagged?missed';
      const tag = await warm('/api/probe/tagged?holds');
      const answer = await get(path, { 'if-none-match': tag });
      expect([answer.status, answer.headers['x-cache'], answer.headers.etag]).toEqual([304, 'MISS', tag]);
      const whole = await get(path);
      expect([whole.status, whole.headers['x-cache']]).toEqual([200, 'HIT']);
    });

    it('a 304 carries Cache-Control, Content-Location, Date, ETag, Expires and Vary, and nothing about the body (RFC 9110, 15.4.5)', async () => {
      const path = '/api/probe/dressed';
      const tag = await warm(path);
      const { headers: whole } = await get(path);
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const { status, headers } = await get(path, { 'if-none-match': tag });
        expect(status).toBe(304);
        for (const name of ['cache-control', 'content-location', 'etag', 'expires', 'vary']) {
          expect([name, headers[name]]).toEqual([name, whole[name]]);
        }
        expect(headers.date).toBeDefined();
        expect([headers['content-language'], headers['content-type']]).toEqual([undefined, undefined]);
        expect(headers['x-custom']).toBe(whole['x-custom']);
        expect(headers['x-powered-by']).toBe(whole['x-powered-by']);
        expect(headers['content-security-policy']).toBe(whole['content-security-policy']);
      }
    });

    it("a handler's own tag is kept and compared", async () => {
      const [path, tag] = ['/api/probe/own-weak', 'W/"own-weak"'];
      expect(await warm(path)).toBe(tag);
      for (let attempt = 0; attempt < 3; attempt += 1) {
        expect((await get(path, { 'if-none-match': tag })).status).toBe(304);
        expect((await get(path, { 'if-none-match': '"another"' })).status).toBe(200);
      }
    });

    it('a refused response and a bypassed one carry no tag', async () => {
      expect((await get('/api/probe/refused')).headers.etag).toBeUndefined();
      expect((await get('/api/probe/tagged', { cookie: 'a=b' })).headers.etag).toBeUndefined();
    });
  },
};
