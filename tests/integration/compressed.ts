import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { probeApi } from '../application/probe';
import { rawRequest, type RawResponse } from '../application/raw-request';
import type { Application } from '../application/start-application';

const LARGE = 'a response large enough to be compressed '.repeat(100);

export const large = probeApi([
  { path: '/probe/text', handler: () => ({ text: LARGE }) },
  { path: '/probe/trailer', handler: (ctx) => (ctx.set('Trailer', 'X-Late'), 'x'.repeat(5000)) },
  { path: '/probe/own-tag', handler: (ctx) => (ctx.set('ETag', '"v1"'), { text: LARGE }) },
]);

/** Handlers outside of the cache. */
export const uncached = probeApi([
  { path: '/probe/uncached', handler: (ctx) => (ctx.set('ETag', '"v1"'), { text: LARGE }) },
  { path: '/probe/written', method: 'PUT', handler: (ctx) => (ctx.set('ETag', '"v2"'), { text: LARGE }) },
]);

/** Asks an application whose stack compresses, and whose handlers are those of `large`. */
export const askOfCompression = (application: Application): void => {
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawResponse> =>
    rawRequest(application, path, { headers, method });

  describe('ranges (RFC 9110, section 14)', () => {
    const whole = Buffer.from(JSON.stringify({ text: LARGE }));

    it.each([
      ['one', { range: 'bytes=0-9' }],
      ['several', { range: 'bytes=0-1,3-4' }],
      ['none of its bytes', { range: `bytes=${whole.byteLength}-` }],
      ['another unit', { range: 'items=0-1' }],
      ['of another representation', { range: 'bytes=0-9', 'if-range': '"another"' }],
    ])('%s: all is sent, miss or hit', async (what, headers: Record<string, string>) => {
      const outcomes: unknown[] = [];
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const answer = await get(`/api/probe/text?part=${encodeURIComponent(what)}`, headers);
        expect([answer.status, answer.body.equals(whole)]).toEqual([200, true]);
        outcomes.push(answer.headers['x-cache']);
      }
      expect(outcomes).toEqual(['MISS', 'HIT', 'HIT']);
    });

    it('a 304 for who holds it already, and compressed bytes for who takes them', async () => {
      const path = '/api/probe/text?no-part';
      const range = 'bytes=0-9';
      const etag = String((await get(path)).headers.etag);
      expect((await get(path, { range }, 'HEAD')).status).toBe(200);
      expect((await get(path, { range, 'if-none-match': etag })).status).toBe(304);
      const compressed = await get(path, { range, 'accept-encoding': 'gzip' });
      expect([compressed.status, compressed.headers['content-encoding']]).toEqual([200, 'gzip']);
      expect(gunzipSync(compressed.body).equals(whole)).toBe(true);
    });
  });

  describe('with strapi::compression', () => {
    const gzipped = { 'accept-encoding': 'gzip' };

    it('the compressed representation never shares a strong tag with the identity one', async () => {
      const path = '/api/probe/text';
      for (let attempt = 0; attempt < 4; attempt += 1) {
        const identity = await get(path);
        const compressed = await get(path, gzipped);
        expect(identity.headers['content-encoding']).toBeUndefined();
        expect(identity.headers.etag).toMatch(/^"/);
        expect(compressed.headers['content-encoding']).toBe('gzip');
        expect(compressed.headers.etag).toBe(`W/${identity.headers.etag}`);
        expect(String(compressed.headers.vary).toLowerCase()).toContain('accept-encoding');
        expect(gunzipSync(compressed.body).equals(identity.body)).toBe(true);
        // The front lane compresses its copy outside of the request.
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });

    it.each([
      ['GET', '/api/probe/own-tag', '"v1"'],
      ['GET', '/api/probe/uncached', '"v1"'],
      ['PUT', '/api/probe/written', '"v2"'],
    ])('the strong tag of a handler’s own is kept: %s %s', async (method, path, tag) => {
      for (let attempt = 0; attempt < 4; attempt += 1) {
        const { headers } = await get(path, gzipped, method);
        expect([headers['content-encoding'], headers.etag]).toEqual(['gzip', tag]);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    });

    it('both representations come from one entry', async () => {
      const path = '/api/probe/text?one-entry';
      const calls = large.calls('/probe/text');
      for (const headers of [{}, gzipped, { 'accept-encoding': 'br' }, { 'accept-encoding': 'deflate' }, {}, gzipped]) {
        await get(path, headers);
      }
      expect(large.calls('/probe/text')).toBe(calls + 1);
    });

    it('a Trailer, which goes with chunks alone, does not end the process: the stack sends it each time', async () => {
      for (let attempt = 0; attempt < 5; attempt += 1)
        expect((await get('/api/probe/trailer', gzipped)).status).toBe(200);
      expect((await get('/api/probe/text')).status).toBe(200);
    });
  });
};
