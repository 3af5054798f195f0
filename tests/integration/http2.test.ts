import { connect, createSecureServer, createServer, type ClientHttp2Session, type Http2Server } from 'node:http2';
import { request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probeApi, type ProbeContext } from '../application/probe';
import { selfSigned } from '../application/self-signed';
import { startApplication, type Application } from '../application/start-application';

/** An application that serves `app.callback()` over HTTP/2 beside Strapi's own server. */

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}
type Ask = (path: string, headers?: Record<string, string>, body?: string) => Promise<Answer>;

/** Reads of a request that another request with the same key may have otherwise; what is named for each. */
const READS: ReadonlyArray<readonly [way: string, read: (ctx: ProbeContext) => unknown, named: string]> = [
  ['ctx.get', (ctx) => ctx.get('x-tenant'), 'x-tenant'],
  ['ctx.host', (ctx) => ctx.host, 'host'],
  [':authority', (ctx) => ctx.headers[':authority'], 'host'],
  ['req.authority', (ctx) => (ctx.req as { authority?: string }).authority, 'host'],
  ['a spread', (ctx) => ({ ...ctx.headers }), 'all headers (*)'],
  ['rawHeaders', (ctx) => ctx.req.rawHeaders.length, 'all headers (*)'],
  ['ctx.ip', (ctx) => ctx.ip, 'remote-address'],
  ['the socket', (ctx) => ctx.req.socket.remoteAddress, 'remote-address'],
  ['the response’s socket', (ctx) => ctx.res.socket?.remoteAddress, 'remote-address'],
];

/** Reads of its framing, which the path and the method tell. */
const HARMLESS: ReadonlyArray<readonly [way: string, read: (ctx: ProbeContext) => unknown]> = [
  ['nothing', () => null],
  [':path, :method, :scheme', ({ headers }) => [headers[':path'], headers[':method'], headers[':scheme']]],
  ['headersDistinct, which HTTP/2 has not', (ctx) => ctx.req.headersDistinct ?? null],
  ['ctx.secure', (ctx) => [ctx.path, ctx.method, ctx.secure]],
];

const at = (value: unknown): object => ({ at: Math.random(), value });

const probe = probeApi([
  { path: '/probe/json', handler: () => at(null) },
  { path: '/probe/text', handler: () => `${Math.random()}` },
  { path: '/probe/stream', handler: () => Readable.from([`${Math.random()}`]) },
  { path: '/probe/cookie', handler: (ctx) => (ctx.cookies.set('seen', 'yes'), at(null)) },
  {
    path: '/probe/headers',
    handler: (ctx) => (ctx.set('X-Own', 'é'), ctx.append('Link', ['<a>', '<b>']), ctx.vary('X-Keyed'), at(null)),
  },
  { path: '/probe/by-host', handler: (ctx) => at(ctx.host) },
  ...READS.map(([, read], index) => ({ path: `/probe/read-${index}`, handler: (ctx: ProbeContext) => at(read(ctx)) })),
  ...HARMLESS.map(([, read], index) => ({
    path: `/probe/harmless-${index}`,
    handler: (ctx: ProbeContext) => at(read(ctx)),
  })),
]);

describe.each(['auto', 'router', 'inner'] as const)('HTTP/2 over app.callback(), lane "%s"', (lane) => {
  let application: Application;
  let plain: Http2Server;
  let secure: Http2Server;
  const sessions: ClientHttp2Session[] = [];
  const { key, cert } = selfSigned();

  beforeAll(async () => {
    application = await startApplication({
      files: probe.files,
      restCache: {
        strategy: {
          lane,
          enableXCacheHeaders: true,
          enableEtag: true,
          contentTypes: [
            'api::tag.tag',
            {
              contentType: 'api::article.article',
              keys: { useHeaders: ['X-Keyed'] },
              routes: [
                ...probe.paths.filter((path) => path !== '/api/probe/by-host'),
                { path: '/api/probe/by-host', keys: { useHeaders: ['host'] } },
              ],
            },
          ],
        },
      },
    });
    const listener = application.strapi.server.app.callback() as never;
    plain = createServer(listener);
    secure = createSecureServer({ key, cert, allowHTTP1: true }, listener);
    for (const server of [plain, secure]) await new Promise<void>((listening) => server.listen(0, listening));
  });

  afterAll(async () => {
    // A server is closed when its sessions are.
    for (const session of sessions) session.destroy();
    for (const server of [plain, secure]) await new Promise((closed) => server.close(closed));
    await application.stop();
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
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      });
      sent.on('error', reject);
      sent.end(body);
    });
  };

  const clients: Readonly<Record<string, Ask>> = {
    h2c: overSession(() => connect(`http://localhost:${port(plain)}`)),
    h2: overSession(() => connect(`https://localhost:${port(secure)}`, { rejectUnauthorized: false })),
    'HTTP/1.1 with TLS': overHttps,
  };

  const reset = (): Promise<void> =>
    application.strapi.plugin('rest-cache').service('cacheStore').reset() as Promise<void>;

  const thrice = async (ask: Ask, path: string, headers: Record<string, string> = {}): Promise<Answer[]> => {
    await reset();
    return [await ask(path, headers), await ask(path, headers), await ask(path, headers)];
  };
  const outcomes = (answers: readonly Answer[]): unknown[] => answers.map(({ headers }) => headers['x-cache']);

  describe.each(Object.entries(clients))('%s', (_client, ask) => {
    it.each(['/api/tags', '/api/probe/json', '/api/probe/text', '/api/probe/headers'])(
      '%s is stored, and given again as it was',
      async (path) => {
        const answers = await thrice(ask, path);
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
        expect(outcomes(answers)).toEqual(['MISS', 'HIT', 'HIT']);
        expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
        const kept = answers.map(({ headers }) =>
          ['content-type', 'etag', 'link', 'x-own', 'vary'].map((name) => headers[name]),
        );
        expect(kept).toEqual([kept[0], kept[0], kept[0]]);
      },
    );

    it('a condition is answered with 304', async () => {
      const [first] = await thrice(ask, '/api/probe/json');
      const etag = first?.headers.etag;
      for (let time = 0; time < 3; time += 1) {
        const { status, headers, body } = await ask('/api/probe/json', { 'if-none-match': String(etag) });
        expect([status, headers['x-cache'], headers.etag, body]).toEqual([304, 'HIT', etag, '']);
      }
    });

    it('a stream and a cookie are sent, and not stored', async () => {
      expect(outcomes(await thrice(ask, '/api/probe/stream'))).toEqual(['MISS', 'MISS', 'MISS']);
      const answers = await thrice(ask, '/api/probe/cookie');
      expect(outcomes(answers)).toEqual(['MISS', 'MISS', 'MISS']);
      expect(String(answers[2]?.headers['set-cookie'])).toContain('seen=yes');
    });

    it('a caller with a cookie, and a GET with a body, bypass', async () => {
      expect(outcomes(await thrice(ask, '/api/probe/json', { cookie: 'a=1' }))).toEqual(Array(3).fill('HITPASS'));
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

    it('a host in the key keeps hosts apart', async () => {
      await reset();
      for (const cache of ['MISS', 'HIT', 'HIT'])
        for (const host of ['a.example', 'b.example']) {
          const { headers, body } = await ask('/api/probe/by-host', { ':authority': host });
          expect([headers['x-cache'], (JSON.parse(body) as { value: unknown }).value]).toEqual([cache, host]);
        }
    });

    it.each(READS.map(([way, , named], index) => [way, named, `/api/probe/read-${index}`] as const))(
      'a handler that reads by %s is not stored',
      async (way, named, path) => {
        if (way === 'req.authority' && ask === overHttps) return;
        const answers = await thrice(ask, path);
        expect(outcomes(answers)).toEqual(['MISS', 'MISS', 'MISS']);
        expect(String(answers[0]?.headers['cache-status'])).toContain(named);
      },
    );

    it.each(HARMLESS.map(([way], index) => [way, `/api/probe/harmless-${index}`] as const))(
      'one that reads %s is',
      async (_way, path) => {
        expect(outcomes(await thrice(ask, path))).toEqual(['MISS', 'HIT', 'HIT']);
      },
    );
  });

  /** Koa leaves every HEAD over HTTP/2 without an answer: Node.js has ended the stream's writable side by then. */
  it('a HEAD is answered from the store over HTTP/1.1 with TLS', async () => {
    const [first] = await thrice(overHttps, '/api/probe/json');
    const head = await overHttps('/api/probe/json', { ':method': 'HEAD' });
    expect([head.status, head.headers['x-cache'], head.body]).toEqual([200, 'HIT', '']);
    expect(head.headers.etag).toBe(first?.headers.etag);
    await reset();
    expect((await overHttps('/api/probe/json', { ':method': 'HEAD' })).headers['x-cache']).toBe('MISS');
  });

  it('HTTP/1.1, h2c and h2 share entries, and many at once are answered alike', async () => {
    await reset();
    const asked = await Promise.all(
      [...Object.values(clients), ...Object.values(clients), ...Object.values(clients)].map((ask) =>
        ask('/api/probe/json'),
      ),
    );
    expect(new Set(asked.map(({ body }) => body)).size).toBe(1);
    const { status, cache, body } = await application.get('/api/probe/json');
    expect([status, cache, body]).toEqual([200, 'HIT', asked[0]?.body]);
  });
});
