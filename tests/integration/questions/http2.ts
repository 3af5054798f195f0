import { connect, createSecureServer, createServer, type ClientHttp2Session, type Http2Server } from 'node:http2';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cacheStore } from '../../application/cache-store';
import { probeApi, type ProbeContext } from '../../application/probe';
import { selfSigned } from '../../application/self-signed';
import type { Questions } from './questions';

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}
type Ask = (path: string, headers?: Record<string, string>, body?: string) => Promise<Answer>;

/** Ways to read a request that differ in HTTP/2. */
const READS: ReadonlyArray<readonly [way: string, read: (ctx: ProbeContext) => unknown]> = [
  ['ctx.host', (ctx) => ctx.host],
  [':authority', (ctx) => ctx.headers[':authority'] ?? null],
  ['a spread', (ctx) => ({ ...ctx.headers })],
  ['rawHeaders', (ctx) => ctx.req.rawHeaders.length],
  ['headersDistinct', (ctx) => typeof ctx.req.headersDistinct],
  ['ctx.ip', (ctx) => ctx.ip],
  ['the socket', (ctx) => typeof ctx.req.socket.remoteAddress],
  ['the response’s socket', (ctx) => typeof ctx.res.socket?.remoteAddress],
];

const at = (value: unknown): object => ({ at: Math.random(), value });

const probe = probeApi([
  { path: '/probe/json', handler: () => at(null) },
  { path: '/probe/text', handler: () => `${Math.random()}` },
  { path: '/probe/stream', handler: () => Readable.from([`${Math.random()}`]) },
  { path: '/probe/cookie', handler: (ctx) => (ctx.cookies.set('seen', 'yes'), at(null)) },
  {
    path: '/probe/headers',
    handler: (ctx) => (ctx.set('X-Own', 'e'), ctx.append('Link', ['<a>', '<b>']), at(null)),
  },
  { path: '/probe/with-function', handler: () => at(null), config: { auth: false, middlewares: ['global::reading'] } },
  ...READS.map(([, read], index) => ({ path: `/probe/read-${index}`, handler: (ctx: ProbeContext) => at(read(ctx)) })),
]);

/** HTTP/2 over `app.callback()`, on servers of the application's own. */
export const http2: Questions = {
  about: 'HTTP/2 over app.callback()',
  files: {
    ...probe.files,
    'src/middlewares/reading.js':
      'module.exports = () => (ctx, next) => (ctx.state.seen = [ctx.get("x-tenant"), ctx.ip, { ...ctx.headers }], next());',
  },
  contentTypes: ['api::tag.tag', { contentType: 'api::article.article', routes: probe.paths }],
  ask: (application) => {
    let plain: Http2Server;
    let secure: Http2Server;
    const sessions: ClientHttp2Session[] = [];
    const { key, cert } = selfSigned();

    beforeAll(async () => {
      const listener = application.strapi.server.app.callback() as never;
      plain = createServer(listener);
      secure = createSecureServer({ key, cert, allowHTTP1: true }, listener);
      for (const server of [plain, secure]) await new Promise<void>((listening) => server.listen(0, listening));
    });

    afterAll(async () => {
      // A server closes only after its sessions.
      for (const session of sessions) session.destroy();
      for (const server of [plain, secure]) await new Promise((closed) => server.close(closed));
    });

    const port = (server: Http2Server): number => (server.address() as AddressInfo).port;

    const overSession = (open: () => ClientHttp2Session): Ask => {
      let session: ClientHttp2Session | undefined;
      return (path, headers = {}, body) => {
        if (session === undefined) sessions.push((session = open()));
        const stream = session.request({ ':path': path, ...headers }, { endStream: body === undefined });
        if (body !== undefined) stream.end(body);
        return new Promise((resolve, reject) => {
          let head: Readonly<Record<string, unknown>> = {};
          let text = '';
          stream.setEncoding('utf8');
          stream.on('response', (received) => (head = received));
          stream.on('data', (chunk: string) => (text += chunk));
          stream.on('error', reject);
          stream.on('end', () => resolve({ status: Number(head[':status']), headers: head, body: text }));
        });
      };
    };

    const overHttps: Ask = (path, headers = {}, body) => {
      const { ':method': method = 'GET', ':authority': host, ...others } = headers;
      const options = { port: port(secure), path, method, rejectUnauthorized: false };
      return new Promise((resolve, reject) => {
        const sent = request({ ...options, headers: { ...others, ...(host && { host }) } }, (response) => {
          let text = '';
          response.setEncoding('utf8');
          response.on('data', (chunk: string) => (text += chunk));
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }),
          );
        });
        sent.on('error', reject);
        sent.end(body);
      });
    };

    const overHttp2: ReadonlyArray<readonly [string, Ask]> = [
      ['h2c', overSession(() => connect(`http://localhost:${port(plain)}`))],
      ['h2', overSession(() => connect(`https://localhost:${port(secure)}`, { rejectUnauthorized: false }))],
    ];

    const reset = (): Promise<void> => cacheStore(application).reset();

    const thrice = async (ask: Ask, path: string, headers: Record<string, string> = {}): Promise<Answer[]> => [
      await ask(path, headers),
      await ask(path, headers),
      await ask(path, headers),
    ];
    const outcomes = (answers: readonly Answer[]): unknown[] => answers.map(({ headers }) => headers['x-cache']);
    const HITPASSES = ['HITPASS', 'HITPASS', 'HITPASS'];
    const withoutTime = ({ status, headers, body }: Answer): unknown => [
      status,
      ...['content-type', 'link', 'x-own'].map((name) => headers[name]),
      String(headers['set-cookie']).split(';')[0],
      body.replace(/0\.\d+(e-\d+)?/, ''),
    ];

    describe.each(overHttp2)('%s', (_client, ask) => {
      it.each(['/api/tags', ...probe.paths.filter((path) => !path.includes('read-'))])(
        '%s bypasses, and is answered as over HTTP/1.1, whatever is stored',
        async (path) => {
          await reset();
          const asked = await thrice(ask, path);
          expect(outcomes(asked)).toEqual(HITPASSES);
          expect(String(asked[0]?.headers['cache-status'])).toContain('HTTP/2');
          const known = await thrice(overHttps, path);
          expect(outcomes(known)[0]).toBe('MISS');
          const again = await thrice(ask, path);
          expect(outcomes(again)).toEqual(HITPASSES);
          for (const answer of [...asked, ...again])
            expect(withoutTime(answer)).toEqual(withoutTime(known[0] as Answer));
        },
      );

      it.each(READS.map(([way], index) => [way, `/api/probe/read-${index}`] as const))(
        'a handler may read by %s',
        async (_way, path) => {
          const answers = await thrice(ask, path);
          expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
          expect(outcomes(answers)).toEqual(HITPASSES);
        },
      );

      it('a condition, a cookie and a body change nothing of that', async () => {
        for (const [name, value] of [
          ['if-none-match', '"x"'],
          ['cookie', 'a=1'],
        ] as const)
          expect(outcomes(await thrice(ask, '/api/probe/json', { [name]: value }))).toEqual(HITPASSES);
        const { status, headers } = await ask('/api/probe/json', { 'content-length': '2' }, '{}');
        expect([status, headers['x-cache']]).toEqual([200, 'HITPASS']);
      });

      it('a POST goes to Strapi', async () => {
        const { status, headers } = await ask(
          '/api/tags',
          { ':method': 'POST', 'content-type': 'application/json' },
          '{}',
        );
        expect([status, headers['x-cache']]).toEqual([403, undefined]);
      });
    });

    it('HTTP/1.1 with TLS on the same server is answered from the store, a HEAD as well', async () => {
      await reset();
      const answers = await thrice(overHttps, '/api/probe/json');
      expect(outcomes(answers)).toEqual(['MISS', 'HIT', 'HIT']);
      expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
      const head = await overHttps('/api/probe/json', { ':method': 'HEAD' });
      expect([head.status, head.headers['x-cache'], head.body]).toEqual([200, 'HIT', '']);
      expect(head.headers.etag).toBe(answers[0]?.headers.etag);
      const { cache, body } = await application.get('/api/probe/json');
      expect([cache, body]).toEqual(['HIT', answers[0]?.body]);
    });
  },
};
