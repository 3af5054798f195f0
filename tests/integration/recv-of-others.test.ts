import { afterAll, beforeAll, expect, it } from 'vitest';
import { probeApi } from '../application/probe';
import { startApplication, type Application } from '../application/start-application';

/** Code of others that puts the middleware `recv` of @strapi-community/plugin-rest-cache in front of routes of its own. */

const probe = probeApi([
  { path: '/probe/menu', handler: () => ({ at: Math.random() }) },
  { path: '/probe/menu/:child', handler: () => ({ at: Math.random() }) },
  { path: '/probe/named', handler: () => ({ at: Math.random() }) },
]);

let application: Application;
beforeAll(async () => {
  application = await startApplication({
    files: {
      ...probe.files,
      'src/index.js': `const Router = require('@koa/router');
        module.exports = {
          bootstrap({ strapi }) {
            const router = new Router();
            const make = strapi.plugin('rest-cache').middleware('recv');
            for (const path of ['/api/probe/menu', '/api/probe/menu/:child', '/api/probe/named'])
              router.get(path, make({ cacheRouteConfig: { path, maxAge: 1000, hitpass: false } }, { strapi }));
            strapi.server.router.use(router.routes());
          },
        };`,
    },
    restCache: {
      strategy: {
        enableXCacheHeaders: true,
        contentTypes: [
          { contentType: 'api::article.article', injectDefaultRoutes: false, routes: ['/api/probe/named'] },
        ],
      },
    },
  });
});
afterAll(() => application.stop());

it('is warned of once, with what to write, and its routes answer as without the plugin', async () => {
  expect(application.warnings.filter((line) => line.includes('recv'))).toEqual([
    expect.stringContaining(
      'wants GET /api/probe/menu, GET /api/probe/menu/:child cached. Here a route is cached by its name, behind ' +
        "authentication: add to strategy.contentTypes { contentType: 'api::article.article', injectDefaultRoutes: false, " +
        "routes: ['/api/probe/menu', '/api/probe/menu/:child'] }.",
    ),
  ]);
  const answers = [await application.get('/api/probe/menu'), await application.get('/api/probe/menu')];
  expect(answers.map(({ status, cache }) => [status, cache])).toEqual([
    [200, null],
    [200, null],
  ]);
});

it('does not keep a route from being cached that the configuration names', async () => {
  const answers = [await application.get('/api/probe/named'), await application.get('/api/probe/named')];
  expect(answers.map(({ cache }) => cache)).toEqual(['MISS', 'HIT']);
});
