import { expect, it } from 'vitest';
import { later } from '../../application/later';
import { probeApi, type ProbeRoute } from '../../application/probe';
import { rawRequest, type RawResponse } from '../../application/raw-request';
import type { Questions } from './questions';

/**
 * The caching headers that the application's own code sets, including those for other caches. The plugin has to obey
 * them as a shared cache does: in each lane, on the miss and on the hits.
 */

const MODIFIED = 'Sun, 06 Nov 1994 08:49:37 GMT';

const saying =
  (headers: Record<string, string>): ProbeRoute['handler'] =>
  (ctx) => {
    ctx.set(headers);
    return { at: Math.random() };
  };

const reading =
  (headers: Record<string, string>): ProbeRoute['handler'] =>
  async (ctx, strapi) => {
    ctx.set(headers);
    return { tags: await strapi.db.query('api::tag.tag').count(), at: Math.random() };
  };

const probe = probeApi([
  { path: '/probe/plain', handler: saying({}) },
  { path: '/probe/one-second', handler: saying({ 'Cache-Control': 'max-age=1' }) },
  { path: '/probe/no-cache-read', handler: reading({ 'Cache-Control': 'no-cache' }) },
  { path: '/probe/has-age', handler: saying({ 'Cache-Control': 'max-age=60', Age: '7' }) },
  { path: '/probe/cache-status', handler: saying({ 'Cache-Status': 'Upstream; hit', 'X-Cache': 'of upstream' }) },
  { path: '/probe/modified', handler: saying({ 'Last-Modified': MODIFIED }) },
]);

export const handlersWord: Questions = {
  about: 'the caching headers of the handler',
  files: probe.files,
  contentTypes: [{ contentType: 'api::article.article', routes: probe.paths }],
  ask: (application, lane) => {
    const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawResponse> =>
      rawRequest(application, `/api${path}`, { headers, method });

    const several = async (path: string): Promise<RawResponse[]> => [await get(path), await get(path), await get(path)];

    it('keeps an answer no longer than its handler says (RFC 9111, 4.2)', async () => {
      const [miss, hit] = await several('/probe/one-second');
      expect(hit?.body).toEqual(miss?.body);
      const next = await later(1000, () => get('/probe/one-second'));
      expect(next.body).not.toEqual(miss?.body);
    });

    it('keeps no-cache where its tags can be asked, and asks them before each use (5.2.2.4)', async () => {
      const [miss, hit, again] = await several('/probe/no-cache-read');
      expect([hit?.body, again?.body]).toEqual([miss?.body, miss?.body]);
      expect(hit?.headers['cache-control']).toBe('no-cache');
      await application.strapi.db.query('api::tag.tag').create({ data: { name: `no-cache ${lane}` } });
      expect((await get('/probe/no-cache-read')).body).not.toEqual(miss?.body);
    });

    it('a hit is as good as new to other caches, however old its entry is (4.2.3)', async () => {
      await several('/probe/plain');
      // Older than the second that other caches are told.
      for (const { headers } of await later(1100, () => several('/probe/plain')))
        expect([headers['x-cache'], headers['cache-control'], headers.age]).toEqual(['HIT', 'public, max-age=1', '0']);
    });

    it("a hit has its true age where the handler says how long, on top of the handler's own", async () => {
      expect((await get('/probe/has-age')).headers.age).toBe('7');
      await several('/probe/has-age');
      const etag = String((await get('/probe/has-age')).headers.etag);
      const asked: ReadonlyArray<readonly [Record<string, string>, number]> = [
        [{}, 200],
        [{ 'if-none-match': etag }, 304],
      ];
      for (const [headers, status] of asked) {
        const answer = await later(1000, () => get('/probe/has-age', headers));
        expect([answer.status, Number(answer.headers.age) >= 8]).toEqual([status, true]);
      }
    });

    it("a handler's Cache-Status stands before ours, and once (RFC 9211, 2)", async () => {
      const seen = (await several('/probe/cache-status')).map(({ headers }) => String(headers['cache-status']));
      expect(seen[0]).toBe('Upstream; hit, rest-cache; fwd=miss; stored');
      for (const status of seen.slice(1)) expect(status).toMatch(/^Upstream; hit, rest-cache; hit; ttl=\d+$/);
    });

    it('If-Modified-Since is answered by the Last-Modified of the handler, where there is no If-None-Match', async () => {
      const path = '/probe/modified';
      const [, , { headers }] = (await several(path)) as [RawResponse, RawResponse, RawResponse];
      expect(headers['last-modified']).toBe(MODIFIED);
      const since = { 'if-modified-since': MODIFIED };
      for (const method of ['GET', 'HEAD', 'GET', 'HEAD']) {
        const { status, headers: sent, body } = await get(path, since, method);
        expect([status, sent['content-length'], body.byteLength]).toEqual([304, undefined, 0]);
        expect(sent['cache-status']).toMatch(/hit/);
      }
      for (let attempt = 0; attempt < 2; attempt += 1) {
        expect((await get(path, { 'if-modified-since': 'Sun, 06 Nov 1994 08:49:36 GMT' })).status).toBe(200);
        expect((await get(path, { ...since, 'if-none-match': '"other"' })).status).toBe(200);
        expect((await get(path, { 'if-none-match': String(headers.etag) })).status).toBe(304);
      }
    });

    it.each([
      ['If-Match', { 'if-match': '"other"' }],
      ['If-Unmodified-Since', { 'if-unmodified-since': 'Sun, 06 Nov 1994 08:49:36 GMT' }],
    ])('%s is for the handler to heed (RFC 9111, 4.3.2)', async (_name, headers) => {
      const whole = await get('/probe/modified');
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const { status, body } = await get('/probe/modified', headers);
        expect([status, body]).toEqual([200, whole.body]);
      }
    });
  },
};
