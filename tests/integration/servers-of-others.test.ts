import type { RequestListener } from 'node:http';
import { afterEach, beforeAll, afterAll, describe, expect, it } from 'vitest';
import { probeApi } from '../application/probe';
import { rawRequest } from '../application/raw-request';
import { startApplication, type Application } from '../application/start-application';

/** Request listeners and headers that Strapi itself does not bring. */

const TAGS = '/api/tags?fields=name&pagination[pageSize]=2';
const strategy = { enableXCacheHeaders: true, enableEtag: true, contentTypes: ['api::tag.tag' as const] };

describe('a listener of somebody else on the HTTP server', () => {
  let application: Application | undefined;
  afterEach(async () => {
    await application?.stop();
    application = undefined;
  });

  const LINE =
    '[rest-cache] lane "router": a request listener on the HTTP server that is not Strapi\'s has to see every request';
  const GUARD = `(request, response) => {
    if (request.headers['x-banned'] === undefined) return false;
    response.statusCode = 403; response.end('banned'); return true;
  }`;

  it.each([
    [
      'prepended: it is called for every request, and the front lane stays shut',
      `strapi.server.httpServer.prependListener('request', (request, response) => { response.setHeader('X-Guard', 'seen'); });`,
      LINE,
    ],
    [
      "in the place of Strapi's own",
      `const guard = ${GUARD}; const { httpServer } = strapi.server; const [own] = httpServer.listeners('request');
       httpServer.removeAllListeners('request');
       httpServer.on('request', (request, response) => { response.setHeader('X-Guard', 'seen'); if (!guard(request, response)) own(request, response); });`,
      LINE,
    ],
  ])('%s', async (_what, register, line) => {
    application = await startApplication({
      restCache: { strategy: { ...strategy, lane: 'auto' } },
      files: { 'src/index.js': `module.exports = { register({ strapi }) { ${register} } };` },
    });
    expect(application.logs).toContain(line);
    for (const expected of ['MISS', 'HIT', 'HIT', 'HIT']) {
      const { status, headers } = await rawRequest(application, TAGS);
      expect([status, headers['x-cache'], headers['x-guard']]).toEqual([200, expected, 'seen']);
    }
    const banned = await rawRequest(application, TAGS, { headers: { 'x-banned': 'yes' } });
    expect(banned.status).toBe(register.includes('403') ? 403 : 200);
  });

  it('added while the front lane answers: called for every request from then on, nothing answered twice', async () => {
    application = await startApplication({ restCache: { strategy: { ...strategy, lane: 'auto' } } });
    expect(application.logs.some((line) => line.startsWith('[rest-cache] lane "front"'))).toBe(true);
    for (let attempt = 0; attempt < 3; attempt += 1) await rawRequest(application, TAGS);
    const { httpServer } = application.strapi.server;
    const guard: RequestListener = (_request, response) => void response.setHeader('X-Guard', 'seen');
    httpServer.prependListener('request', guard);
    const guarded = await rawRequest(application, TAGS);
    expect([guarded.status, guarded.headers['x-cache'], guarded.headers['x-guard']]).toEqual([200, 'HIT', 'seen']);
    httpServer.removeListener('request', guard);

    const [own] = httpServer.listeners('request') as RequestListener[];
    httpServer.removeAllListeners('request');
    httpServer.on('request', (request, response) => {
      request.url = TAGS;
      own?.(request, response);
    });
    expect((await rawRequest(application, '/api/anything')).headers['x-cache']).toBe('HIT');
  });
});

describe('a Trailer, which goes with chunks alone', () => {
  let application: Application;
  const probe = probeApi([
    { path: '/probe/trailer', handler: (ctx) => (ctx.set('Trailer', 'X-Late'), 'x'.repeat(5000)) },
  ]);
  beforeAll(async () => {
    const names = ['errors', 'security', 'cors', 'compression', 'query', 'body', 'session', 'favicon', 'public'];
    application = await startApplication({
      files: {
        ...probe.files,
        'config/middlewares.js': `module.exports = ${JSON.stringify(names.map((name) => `strapi::${name}`))};`,
      },
      restCache: {
        strategy: {
          ...strategy,
          lane: 'auto',
          contentTypes: [{ contentType: 'api::article.article', routes: probe.paths }],
        },
      },
    });
  }, 300_000);
  afterAll(() => application.stop());

  it('does not end the process: the stack sends it each time', async () => {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      const { status } = await rawRequest(application, '/api/probe/trailer', {
        headers: { 'accept-encoding': 'gzip' },
      });
      expect(status).toBe(200);
    }
    expect((await rawRequest(application, TAGS)).status).toBe(200);
  });
});
