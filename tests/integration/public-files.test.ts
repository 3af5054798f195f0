import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEMPLATE_PUBLIC, WORK } from '../application/paths';
import { rawRequest } from '../application/raw-request';
import { startApplication, type Application } from '../application/start-application';
import { ROUTES_SHOWN, routesShown, SHOWS_ROUTES } from './shown-routes';

/** `strapi::public` serves files on a route around all others. The plugin leaves it where Strapi asks it. */
describe.each([
  ['front', {}],
  // A middleware on the router that is not Strapi's sees the route of the files first, as it does without the plugin.
  [
    'route',
    {
      ...SHOWS_ROUTES,
      'src/index.js': `module.exports = { register({ strapi }) {
        strapi.server.api('content-api').use((ctx, next) => { ctx.set('X-First-Route', String(ctx.state.route?.path)); return next(); });
      } };`,
    },
  ],
] as const)('public files, lane "%s"', (lane, files) => {
  let application: Application;
  beforeAll(async () => {
    const publicDirectory = mkdtempSync(path.join(WORK, 'public-'));
    cpSync(TEMPLATE_PUBLIC, publicDirectory, { recursive: true });
    mkdirSync(path.join(publicDirectory, 'api'));
    writeFileSync(path.join(publicDirectory, 'here.txt'), 'at the top');
    writeFileSync(path.join(publicDirectory, 'api', 'here.txt'), 'among the routes');
    writeFileSync(path.join(publicDirectory, 'api', 'tags'), 'in the shadow of a route');
    application = await startApplication({
      restCache: { strategy: { enableXCacheHeaders: true, lane: 'auto', contentTypes: ['api::tag.tag'] } },
      files,
      publicDirectory,
    });
  }, 120_000);
  afterAll(() => application.stop());

  it('stand where they should', () => {
    const place = lane === 'front' ? 'before Strapi' : 'on the route';
    expect(application.logs.some((line) => line.startsWith(`[rest-cache] hits are answered ${place}`))).toBe(true);
  });

  it.each([
    ['/here.txt', 'at the top'],
    ['/api/here.txt', 'among the routes'],
  ])('%s is served', async (url, text) => {
    for (let time = 0; time < 2; time += 1) {
      const { status, headers, body } = await rawRequest(application, url);
      expect([status, headers['content-type'], headers['cache-control'], body.toString()]).toEqual([
        200,
        'text/plain; charset=utf-8',
        'max-age=60',
        text,
      ]);
    }
    const head = await rawRequest(application, url, { method: 'HEAD' });
    expect([head.status, head.headers['content-length'], head.body.length]).toEqual([200, String(text.length), 0]);
  });

  it('leaves what a route answers', async () => {
    for (const expected of ['MISS', 'HIT', 'HIT']) {
      const { headers, body } = await rawRequest(application, '/api/tags?pagination[pageSize]=1');
      expect([headers['x-cache'], body.toString().slice(0, 8)]).toEqual([expected, '{"data":']);
      if (lane === 'route') expect(headers['x-first-route']).toBe('/((?!uploads/).+)');
    }
  });

  it('leaves what nobody answers to Strapi', async () => {
    const { status, body } = await rawRequest(application, '/api/nowhere.txt');
    expect([status, (JSON.parse(body.toString()) as { error: { name: string } }).error.name]).toEqual([
      404,
      'NotFoundError',
    ]);
    const posted = await rawRequest(application, '/api/here.txt', { method: 'POST' });
    expect(posted.status).toBe(405);
  });

  it.skipIf(lane === 'front')(
    'a global middleware behind the router finds the route, as without the plugin',
    async () => {
      expect(await routesShown(application)).toEqual(ROUTES_SHOWN);
    },
  );
});
