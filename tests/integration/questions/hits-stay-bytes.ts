import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { probeApi, type ProbeContext } from '../../application/probe';
import { rawRequest, type RawResponse } from '../../application/raw-request';
import type { Questions } from './questions';

/**
 * A hit behind global middlewares of the application's own. Its body is parsed only if a middleware reads it, and
 * compressed only once, whichever middlewares surround it.
 */

const TEXT = 'a text that is long enough to be compressed '.repeat(200);
const LONG = TEXT.length;

/**
 * While this symbol is set, the middleware forbids compression. A header would not do, because the cache would store
 * one answer for each value.
 */
const FORBID = Symbol.for('rest-cache-forbid-compression');

const probe = probeApi([
  { path: '/probe/looked-at', handler: () => ({ text: TEXT }) },
  // A middleware of the application's own, which keeps the route's hits in the route lane.
  {
    path: '/probe/looked-at-on-route',
    handler: () => ({ text: TEXT }),
    config: { auth: false, middlewares: ['global::look'] },
  },
  // `ctx.compress` contradicts what the content type would decide.
  ...[false, true].map((compress) => ({
    path: `/probe/compress-${compress}`,
    handler: (ctx: ProbeContext) => {
      Object.assign(ctx, { compress });
      ctx.type = compress ? 'image/png' : 'text/plain';
      ctx.body = Buffer.from(TEXT);
    },
  })),
]);

export const hitsStayBytes: Questions = {
  about: 'the bytes of a hit',
  files: {
    ...probe.files,
    'src/middlewares/look.js': `module.exports = () => async (ctx, next) => {
      const { look } = ctx.query;
      await next();
      if (look === 'reads') ctx.set('X-Length', String(ctx.body.text.length));
      if (look === 'changes') ctx.body.at = String(Math.random());
      if (globalThis[Symbol.for('rest-cache-forbid-compression')]) ctx.compress = false;
    };`,
  },
  middlewares: ['global::look'],
  contentTypes: [{ contentType: 'api::article.article', routes: probe.paths }],
  ask: (application) => {
    afterEach(() => void vi.restoreAllMocks());

    const gzipped = { 'accept-encoding': 'gzip' };

    const get = (path: string, headers: Record<string, string> = {}): Promise<RawResponse> =>
      rawRequest(application, path, { headers });

    /** A hit, sent after its compressed bytes are ready. */
    const warm = async (path: string, headers: Record<string, string>): Promise<RawResponse> => {
      let answer = await get(path, headers);
      for (let attempt = 0; attempt < 5; attempt += 1) {
        // The body is compressed after the response, and nothing tells when it is done.
        await new Promise((resolve) => setTimeout(resolve, 50));
        answer = await get(path, headers);
      }
      return answer;
    };

    /** Counts how often texts longer than the body are parsed and serialised. */
    const countJson = (): { parsed: number; serialised: number } => {
      const counts = { parsed: 0, serialised: 0 };
      const { parse, stringify } = JSON;
      vi.spyOn(JSON, 'parse').mockImplementation((text, reviver) => {
        if (text.length > LONG) counts.parsed += 1;
        return parse(text, reviver) as unknown;
      });
      vi.spyOn(JSON, 'stringify').mockImplementation((value: unknown, ...rest) => {
        const text = stringify(value, ...(rest as [])) as string | undefined;
        if (text !== undefined && text.length > LONG) counts.serialised += 1;
        return text as string;
      });
      return counts;
    };

    const ofLane = describe.each([
      // Behind each of Strapi's middlewares that may send the body: compression alone, or the public files as well.
      ['a global middleware', '/api/probe/looked-at', 1],
      ['a middleware of the route', '/api/probe/looked-at-on-route', 2],
    ] as const);

    ofLane('a hit behind %s', (_lane, path, comparisons) => {
      it.each([
        ['as it is', {}],
        ['compressed', gzipped],
      ])('parses and serialises nothing, sent %s', async (_how, headers) => {
        await warm(path, headers);
        const counts = countJson();
        const answer = await get(path, headers);
        expect(answer.headers['x-cache']).toBe('HIT');
        expect(counts).toEqual({ parsed: 0, serialised: 0 });
      });

      it('parses once for a middleware that reads the body, and serialises to see whether it was changed', async () => {
        await warm(`${path}?look=reads`, gzipped);
        const counts = countJson();
        const answer = await get(`${path}?look=reads`, gzipped);
        expect(answer.headers).toMatchObject({
          'x-cache': 'HIT',
          'x-length': String(LONG),
          'content-encoding': 'gzip',
        });
        expect(counts).toEqual({ parsed: 1, serialised: comparisons });
      });

      it('sends bytes that were compressed once, under a weak entity tag', async () => {
        const { etag } = (await warm(path, {})).headers;
        const answer = await warm(path, gzipped);
        // A response that is compressed while it is sent would have no Content-Length.
        expect(answer.headers['content-length']).toBe(String(answer.body.byteLength));
        expect(answer.headers).toMatchObject({ 'x-cache': 'HIT', 'content-encoding': 'gzip', etag: `W/${etag}` });
        expect(answer.headers.vary?.toLowerCase()).toContain('accept-encoding');
        expect(JSON.parse(gunzipSync(answer.body).toString())).toEqual({ text: TEXT });
      });

      it('sends what a middleware has made of the body, compressed', async () => {
        await warm(`${path}?look=changes`, gzipped);
        const answers = [await get(`${path}?look=changes`, gzipped), await get(`${path}?look=changes`, gzipped)];
        const bodies = answers.map(
          ({ body }) => JSON.parse(gunzipSync(body).toString()) as { text: string; at: string },
        );
        expect(answers.map(({ headers }) => headers['x-cache'])).toEqual(['HIT', 'HIT']);
        expect(bodies.map(({ text }) => text)).toEqual([TEXT, TEXT]);
        expect(new Set(bodies.map(({ at }) => at)).size).toBe(2);
      });

      it('is left as it is where a middleware forbids to compress it', async () => {
        await warm(path, gzipped);
        Reflect.set(globalThis, FORBID, true);
        const answer = await get(path, gzipped);
        Reflect.deleteProperty(globalThis, FORBID);
        expect(answer.headers['x-cache']).toBe('HIT');
        expect(answer.headers['content-encoding']).toBeUndefined();
        expect(answer.headers.etag).toMatch(/^"/);
        expect((await get(path, gzipped)).headers['content-encoding']).toBe('gzip');
      });
    });

    it.each([
      ['false', undefined],
      ['true', 'gzip'],
    ])('a handler decides about compression, on hits as well: %s', async (compress, coding) => {
      for (const outcome of ['MISS', 'HIT', 'HIT', 'HIT']) {
        const { headers } = await get(`/api/probe/compress-${compress}`, gzipped);
        expect([headers['x-cache'], headers['content-encoding']]).toEqual([outcome, coding]);
      }
    });
  },
};
