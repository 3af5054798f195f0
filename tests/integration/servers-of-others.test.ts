import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { afterEach, beforeAll, afterAll, describe, expect, it } from 'vitest';
import { probeApi } from '../application/probe';
import { rawRequest } from '../application/raw-request';
import { bytesAnswered } from '../application/bytes-answered';
import { startApplication, type Application } from '../application/start-application';
import { runningApplication } from './running-application';

/** Request listeners and headers that do not come from Strapi. */

const TAGS = '/api/tags?fields=name&pagination[pageSize]=2';
const strategy = { enableXCacheHeaders: true, enableEtag: true, contentTypes: ['api::tag.tag' as const] };

describe('a listener in the place of Strapi’s own', () => {
  const GUARD = `(request, response) => {
    if (request.headers['x-banned'] === undefined) return false;
    response.statusCode = 403; response.end('banned'); return true;
  }`;
  const application = runningApplication(
    {
      'src/index.js': `module.exports = { register({ strapi }) {
        const guard = ${GUARD}; const { httpServer } = strapi.server; const [own] = httpServer.listeners('request');
        httpServer.removeAllListeners('request');
        httpServer.on('request', (request, response) => { response.setHeader('X-Guard', 'seen'); if (!guard(request, response)) own(request, response); });
      } };`,
    },
    { ...strategy, lane: 'auto' },
  );

  it('is called for every request, and answers for all', async () => {
    for (const expected of ['MISS', 'HIT', 'HIT', 'HIT']) {
      const { status, headers } = await rawRequest(application, TAGS);
      expect([status, headers['x-cache'], headers['x-guard']]).toEqual([200, expected, 'seen']);
    }
    expect((await rawRequest(application, TAGS, { headers: { 'x-banned': 'yes' } })).status).toBe(403);
    expect(application.logs).toContain(
      "[rest-cache] hits are answered on the route: a request listener that is not that of Strapi's own server has to see every request",
    );
  });
});

describe('a server of the application’s own, while Strapi’s never listens', () => {
  const probe = probeApi([
    { path: '/probe/tenant', handler: (ctx) => ({ at: Math.random(), tenant: ctx.state.tenant ?? null }) },
    { path: '/probe/plain', handler: () => ({ at: Math.random() }) },
  ]);
  let application: Application;
  beforeAll(async () => {
    application = await startApplication({
      ownServer: true,
      restCache: {
        strategy: {
          ...strategy,
          lane: 'auto',
          contentTypes: [{ contentType: 'api::tag.tag', routes: ['/api/probe/tenant', '/api/probe/plain'] }],
        },
      },
      files: {
        ...probe.files,
        'config/middlewares.js': `module.exports = ['strapi::logger', 'strapi::errors', 'strapi::security', 'strapi::cors',
          'strapi::query', 'strapi::body', 'strapi::session', 'strapi::favicon', 'global::tenant', 'strapi::public'];`,
        'src/middlewares/tenant.js':
          'module.exports = () => (ctx, next) => { if (ctx.path.endsWith("tenant")) ctx.state.tenant = ctx.get("x-tenant"); return next(); };',
      },
    });
  });
  afterAll(() => application.stop());

  it('has the route lane, and what a middleware reads of a request counts from the first on', async () => {
    const tenantOf = async (tenant: string): Promise<unknown> =>
      (JSON.parse((await application.get('/api/probe/tenant', { 'x-tenant': tenant })).body) as { tenant: string })
        .tenant;
    expect([await tenantOf('one'), await tenantOf('two')]).toEqual(['one', 'two']);
    const outcomes = [];
    for (let asked = 0; asked < 3; asked += 1) outcomes.push((await application.get('/api/probe/plain')).cache);
    expect(outcomes).toEqual(['MISS', 'HIT', 'HIT']);
    expect(application.logs.some((line) => line.startsWith('[rest-cache] hits are answered on the route'))).toBe(true);
  });
});

describe('listeners that are added while the front lane answers', () => {
  const failures: unknown[] = [];
  const fail = (error: unknown): void => void failures.push(error);
  let application: Application;
  beforeAll(async () => {
    process.on('uncaughtException', fail).on('unhandledRejection', fail);
    application = await startApplication({ restCache: { strategy: { ...strategy, lane: 'auto' } } });
    expect(application.logs.some((line) => line.startsWith('[rest-cache] hits are answered before Strapi'))).toBe(true);
  });
  afterEach(() => {
    const { httpServer } = application.strapi.server;
    for (const event of ['checkContinue', 'checkExpectation', 'upgrade']) httpServer.removeAllListeners(event);
  });
  afterAll(async () => {
    await application.stop();
    process.off('uncaughtException', fail).off('unhandledRejection', fail);
    expect(failures).toEqual([]);
  });

  const get = (...headers: string[]): string =>
    [`GET ${TAGS} HTTP/1.1`, 'Host: localhost', 'Connection: close', ...headers, '', ''].join('\r\n');
  const statusLines = (bytes: string): string[] => bytes.match(/HTTP\/1\.1 \d{3}/g) ?? [];
  const answers = async (request: string): Promise<string[]> => {
    const all: string[] = [];
    for (let time = 0; time < 4; time += 1) all.push(await bytesAnswered(application, request));
    return all;
  };

  it.each([[['Expect: 100-continue']], [['Expect: something']], [['Upgrade: other', 'Connection: upgrade']]])(
    'without a listener Node.js and Strapi answer %s, once',
    async (headers) => {
      for (const bytes of await answers(get(...headers))) {
        const lines = statusLines(bytes).filter((line) => line !== 'HTTP/1.1 100');
        expect(lines).toEqual([headers[0] === 'Expect: something' ? 'HTTP/1.1 417' : 'HTTP/1.1 200']);
      }
    },
  );

  it('checkContinue that passes the request on: answered once, from the store', async () => {
    const { httpServer } = application.strapi.server;
    httpServer.on('checkContinue', (request, response) => {
      response.setHeader('X-Guard', 'seen');
      response.writeContinue();
      httpServer.emit('request', request, response);
    });
    const all = await answers(get('Expect: 100-continue'));
    for (const bytes of all) {
      expect(statusLines(bytes)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200']);
      expect(bytes).toContain('X-Guard: seen');
    }
    expect(all.at(-1)).toContain('X-Cache: HIT');
  });

  it.each(['checkContinue', 'checkExpectation'] as const)(
    '%s that answers by itself: nobody else does',
    async (event) => {
      application.strapi.server.httpServer.on(event, (_request: IncomingMessage, response: ServerResponse) => {
        response.statusCode = 403;
        response.end('banned');
      });
      await answers(get());
      for (const bytes of await answers(
        get(event === 'checkContinue' ? 'Expect: 100-continue' : 'Expect: something'),
      )) {
        expect(statusLines(bytes)).toEqual(['HTTP/1.1 403']);
        expect(bytes.endsWith('banned')).toBe(true);
      }
    },
  );

  it('upgrade: its listener gets the connection, and requests without one are answered as ever', async () => {
    application.strapi.server.httpServer.on('upgrade', (_request, socket) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: upgrade\r\n\r\nhello');
    });
    for (const bytes of await answers(get('Upgrade: other').replace('Connection: close', 'Connection: upgrade'))) {
      expect(statusLines(bytes)).toEqual(['HTTP/1.1 101']);
      expect(bytes.endsWith('hello')).toBe(true);
    }
    for (const bytes of await answers(get())) expect(statusLines(bytes)).toEqual(['HTTP/1.1 200']);
  });

  it.each([
    ['at once', (response: ServerResponse) => void response.writeHead(403).end('banned')],
    [
      'in two parts',
      (response: ServerResponse) => (response.writeHead(403), setTimeout(() => response.end('banned'), 20), undefined),
    ],
  ])('a guard prepended for one request after listening, which answers it %s', async (_how, answer) => {
    await answers(get());
    const { httpServer } = application.strapi.server;
    for (const add of ['prependListener', 'prependOnceListener'] as const) {
      const guard: RequestListener = (_request, response) => answer(response);
      httpServer[add]('request', guard);
      const bytes = await bytesAnswered(application, get());
      httpServer.removeListener('request', guard);
      expect(statusLines(bytes)).toEqual(['HTTP/1.1 403']);
      // If a status was sent already, Koa writes the body up to the last chunk, as it would without the plugin.
      expect(bytes).toMatch(/banned$|\r\n0\r\n\r\n$/);
      const [after = ''] = await answers(get());
      expect(statusLines(after)).toEqual(['HTTP/1.1 200']);
    }
  });

  it('one for requests is called for every request from then on', async () => {
    for (let attempt = 0; attempt < 3; attempt += 1) await rawRequest(application, TAGS);
    const { httpServer } = application.strapi.server;
    const guard: RequestListener = (_request, response) => void response.setHeader('X-Guard', 'seen');
    httpServer.prependListener('request', guard);
    const guarded = await rawRequest(application, TAGS);
    expect([guarded.status, guarded.headers['x-cache'], guarded.headers['x-guard']]).toEqual([200, 'HIT', 'seen']);
    httpServer.removeListener('request', guard);
  });

  // The last one: it stays in the place of Strapi's own.
  it('one in the place of Strapi’s own decides what is asked for', async () => {
    const { httpServer } = application.strapi.server;
    const [own] = httpServer.listeners('request') as RequestListener[];
    httpServer.removeAllListeners('request');
    httpServer.on('request', (request, response) => {
      request.url = TAGS;
      own?.(request, response);
    });
    expect((await rawRequest(application, '/api/anything')).headers['x-cache']).toBe('HIT');
  });
});
