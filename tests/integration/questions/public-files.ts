import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { rawRequest } from '../../application/raw-request';
import type { Application } from '../../application/start-application';
import { ROUTES_SHOWN, routesShown, SHOWS_ROUTES } from '../shown-routes';
import type { Questions } from './questions';

/** `strapi::public` serves files on a route around all others. The plugin leaves it where Strapi asks it. */
const askOfFiles = (application: Application, place: 'before Strapi' | 'on the route'): void => {
  beforeAll(() => {
    const directory = application.strapi.dirs.static.public;
    mkdirSync(path.join(directory, 'api'));
    writeFileSync(path.join(directory, 'here.txt'), 'at the top');
    writeFileSync(path.join(directory, 'api', 'here.txt'), 'among the routes');
    writeFileSync(path.join(directory, 'api', 'tags'), 'in the shadow of a route');
  });

  it('stand where they should', () => {
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

  it('leave what a route answers', async () => {
    for (const expected of ['MISS', 'HIT', 'HIT']) {
      const { headers, body } = await rawRequest(application, '/api/tags?pagination[pageSize]=1');
      expect([headers['x-cache'], body.toString().slice(0, 8)]).toEqual([expected, '{"data":']);
      if (place === 'on the route') expect(headers['x-first-route']).toBe('/((?!uploads/).+)');
    }
  });

  it('leave what nobody answers to Strapi', async () => {
    const { status, body } = await rawRequest(application, '/api/nowhere.txt');
    expect([status, (JSON.parse(body.toString()) as { error: { name: string } }).error.name]).toEqual([
      404,
      'NotFoundError',
    ]);
    const posted = await rawRequest(application, '/api/here.txt', { method: 'POST' });
    expect(posted.status).toBe(405);
  });
};

export const publicFiles: Questions = {
  about: 'public files',
  files: {},
  contentTypes: ['api::tag.tag'],
  ask: (application) => askOfFiles(application, 'before Strapi'),
};

/** A middleware on the router that is not Strapi's sees the route of the files first, as it does without the plugin. */
export const publicFilesBehindMiddlewares: Questions = {
  about: 'public files behind a middleware on the router',
  files: {
    ...SHOWS_ROUTES,
    'src/index.js': `module.exports = { register({ strapi }) {
      strapi.server.api('content-api').use((ctx, next) => { ctx.set('X-First-Route', String(ctx.state.route?.path)); return next(); });
    } };`,
  },
  contentTypes: ['api::tag.tag'],
  ask: (application) => {
    askOfFiles(application, 'on the route');

    it('leave to a global middleware behind the router the route, as without the plugin', async () => {
      expect(await routesShown(application)).toEqual(ROUTES_SHOWN);
    });
  },
};
