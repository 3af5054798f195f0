import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { probeApi } from '../application/probe';
import { rawRequest } from '../application/raw-request';
import { middlewares } from '../application/stack';
import { startApplication, type Application } from '../application/start-application';
import { http2 } from './questions/http2';
import { listenersAddedLater } from './questions/listeners-added-later';
import { publicFiles, publicFilesBehindMiddlewares } from './questions/public-files';
import { askTogether } from './questions/questions';
import { runningApplication } from './running-application';

/** Request listeners, servers and files that do not come from Strapi's own routes. */

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
        ...middlewares(['global::tenant'], 'strapi::public'),
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

describe('an application of which nothing keeps hits on the route', () => {
  askTogether('auto', { enableEtag: true }, [publicFiles, http2, listenersAddedLater]);
});

describe('an application with a middleware on its router', () => {
  askTogether('auto', {}, [publicFilesBehindMiddlewares]);
});
