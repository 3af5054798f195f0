import { rawRequest } from '../application/raw-request';
import { middlewares } from '../application/stack';
import type { Application } from '../application/start-application';

/** A global middleware of the application's own, behind the router, that tells which route has answered. */
export const SHOWS_ROUTES = {
  ...middlewares(['global::shows'], 'strapi::query'),
  'src/middlewares/shows.js': `module.exports = () => async (ctx, next) => {
    await next();
    const { route } = ctx.state;
    if (route !== undefined) ctx.set('X-Route', route.info.type + ' ' + route.path);
  };`,
};

/** What it tells, as without the plugin. */
export const ROUTES_SHOWN: ReadonlyArray<readonly [path: string, status: number, route: string]> = [
  ['/api/tags', 200, 'content-api /tags'],
  ['/api/tags/none', 404, 'content-api /tags/:id'],
  ['/api/authors/none', 404, 'content-api /authors/:id'],
  ['/api/nowhere', 404, 'api /((?!uploads/).+)'],
];

/** What the second request of each of these paths is told. */
export const routesShown = async (application: Application): Promise<unknown> => {
  const shown: unknown[] = [];
  for (const [path] of ROUTES_SHOWN) {
    await rawRequest(application, path);
    const { status, headers } = await rawRequest(application, path);
    shown.push([path, status, headers['x-route']]);
  }
  return shown;
};
