import { expect, it } from 'vitest';
import { parseCacheStatus } from '../../application/cache-status-field';
import { probeApi, type ProbeContext } from '../../application/probe';
import { rawRequest, type RawRequest, type RawResponse } from '../../application/raw-request';
import type { Questions } from './questions';

/** Shows the request body, which it reads from the socket: Strapi itself parses no body of a GET. */
const bodyOf = async (ctx: ProbeContext): Promise<object> => {
  const chunks: Buffer[] = [];
  for await (const chunk of ctx.req) chunks.push(chunk as Buffer);
  return { asked: Buffer.concat(chunks).toString(), at: Math.random() };
};

const probe = probeApi([{ path: '/probe/search', handler: bodyOf }]);
const SEARCH = '/api/probe/search';

const WITH_BODY: ReadonlyArray<readonly [what: string, request: RawRequest]> = [
  ['a length', { body: 'cats', headers: { 'content-length': '4' } }],
  ['a length and a type', { body: '{"q":1}', headers: { 'content-length': '7', 'content-type': 'application/json' } }],
  ['chunks', { body: 'dogs', headers: { 'transfer-encoding': 'chunked' } }],
  ['chunks, none of them filled', { body: '', headers: { 'transfer-encoding': 'chunked' } }],
];

export const requestBody: Questions = {
  about: 'a GET with a body',
  files: probe.files,
  contentTypes: [{ contentType: 'api::tag.tag', routes: probe.paths }],
  ask: (application) => {
    const expectBypassed = ({ headers }: RawResponse): void => {
      expect(headers['x-cache']).toBe('HITPASS');
      expect(parseCacheStatus(String(headers['cache-status'])).parameters).toEqual({
        fwd: 'bypass',
        detail: 'request with a body',
      });
    };

    it.each(WITH_BODY)('announced by %s is not stored', async (what, request) => {
      const path = `${SEARCH}?unstored=${encodeURIComponent(what)}`;
      const first = await rawRequest(application, path, request);
      expectBypassed(first);
      expect(JSON.parse(first.body.toString())).toMatchObject({ asked: request.body });
      expect((await rawRequest(application, path)).headers['x-cache']).toBe('MISS');
    });

    it.each(WITH_BODY)('announced by %s is not answered from the store', async (what, request) => {
      const path = `${SEARCH}?stored=${encodeURIComponent(what)}`;
      const plain: unknown[] = [];
      for (let time = 0; time < 3; time += 1) plain.push((await rawRequest(application, path)).headers['x-cache']);
      expect(plain).toEqual(['MISS', 'HIT', 'HIT']);
      const answer = await rawRequest(application, path, request);
      expectBypassed(answer);
      expect(JSON.parse(answer.body.toString())).toMatchObject({ asked: request.body });
      expectBypassed(await rawRequest(application, path, { ...request, method: 'HEAD' }));
    });

    it('does not join the computation of one without', async () => {
      const path = `${SEARCH}?together`;
      const answers = await Promise.all([
        rawRequest(application, path),
        ...WITH_BODY.map(([, request]) => rawRequest(application, path, request)),
      ]);
      answers.slice(1).forEach(expectBypassed);
    });

    it('of length 0 has none', async () => {
      const path = `${SEARCH}?nothing`;
      const headers = { 'content-length': '0' };
      expect((await rawRequest(application, path, { headers })).headers['x-cache']).toBe('MISS');
      expect((await rawRequest(application, path, { headers })).headers['x-cache']).toBe('HIT');
    });
  },
};
