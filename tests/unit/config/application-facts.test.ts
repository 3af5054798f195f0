import { createRequire } from 'node:module';
import path from 'node:path';

import type { Core } from '@strapi/strapi';
import { describe, expect, it, vi } from 'vitest';

import { gatherApplicationFacts } from '../../../server/src/config/application-facts';

const require = createRequire(import.meta.url);
const core = path.dirname(require.resolve('@strapi/core'));
const registerRoutes = require(path.join(core, 'services/server/register-routes.js')) as (strapi: unknown) => void;
const { createContentAPI } = require(path.join(core, 'services/server/content-api.js')) as {
  createContentAPI: (strapi: unknown) => { routes: (router: unknown) => void; listRoutes: () => Layer[] };
};

interface Layer {
  path: string;
  methods: string[];
  stack: Array<(ctx: object, next: () => Promise<void>) => Promise<void>>;
}

type Owners = Record<string, { routes: unknown }>;

const handler = () => undefined;
const get = (routePath: string, config?: object) => ({
  method: 'GET',
  path: routePath,
  handler,
  ...(config && { config }),
});

/** The parts of Strapi that its own registration of routes needs. */
const fakeStrapi = ({
  apis = {},
  plugins = {},
  restPrefix,
}: {
  apis?: Owners;
  plugins?: Owners;
  restPrefix?: string;
}) => {
  const strapi = {
    apis,
    plugins,
    admin: { routes: {} },
    dirs: { app: { root: '/' } },
    contentTypes: { 'api::a.a': { kind: 'collectionType', attributes: {} } },
    components: { 'shared.seo': { attributes: {} } },
    config: {
      get: (option: string, fallback: unknown) => (option === 'api.rest.prefix' ? (restPrefix ?? fallback) : fallback),
    },
    api: (name: string) => apis[name],
    get: () => ({
      authenticate: (_ctx: unknown, next: () => unknown) => next(),
      verify: () => undefined,
      resolve: () => [],
    }),
    contentAPI: { applyExtraParamsToRoutes: () => undefined },
    server: { routes: (_router: unknown) => undefined as unknown },
  };
  return strapi as typeof strapi & Core.Strapi;
};

/** The GET routes of the content API as Strapi mounts them, in the order in which its router tries them. */
const mount = (strapi: ReturnType<typeof fakeStrapi>): Layer[] => {
  const contentApi = createContentAPI(strapi);
  strapi.server = {
    ...strapi.server,
    routes: ((router: { type?: string }) => router.type === 'content-api' && contentApi.routes(router)) as never,
  };
  registerRoutes(strapi);
  return contentApi.listRoutes().filter((layer) => layer.methods.includes('GET'));
};

const router = (...routes: object[]) => ({ routes });
/** An application with an API, or with plugins, that has these routers. */
const api = (routers: object): Parameters<typeof fakeStrapi>[0] => ({ apis: { a: { routes: { a: routers } } } });
const plugin = (name: string, ...routers: object[]): Parameters<typeof fakeStrapi>[0] => ({
  plugins: { [name]: { routes: Object.fromEntries(routers.entries()) } },
});
const contentApi = (routes: object[], prefix?: string) => ({
  type: 'content-api',
  routes,
  ...(prefix !== undefined && { prefix }),
});

describe('finds every GET route of the content API at the path where Strapi mounts it', () => {
  it.each<[description: string, application: Parameters<typeof fakeStrapi>[0], paths: string[]]>([
    ['of an API', api(router(get('/as'), get('/as/:id'))), ['/api/as', '/api/as/:id']],
    ['at the root', api(router(get('/'))), ['/api']],
    ['around spaces', api(router(get(' /as '))), ['/api/as']],
    [
      'of several files and APIs',
      {
        apis: {
          b: { routes: { one: router(get('/b1')), two: router(get('/b2')) } },
          a: { routes: { a: router(get('/a')) } },
        },
      },
      ['/api/b1', '/api/b2', '/api/a'],
    ],
    ['of a router with a prefix', api({ prefix: '/v1', ...router(get('/as'), get('/')) }), ['/api/v1/as', '/api/v1']],
    [
      'with a prefix of their own, which come first and whose value Strapi ignores',
      api({ prefix: '/v1', ...router(get('/x'), get('/y', { prefix: '' }), get('/z', { prefix: '/own' })) }),
      ['/api/y', '/api/z', '/api/v1/x'],
    ],
    ['of a plugin', plugin('shop', contentApi([get('/carts'), get('/')])), ['/api/shop/carts', '/api/shop']],
    [
      'of a plugin with a prefix, or without one',
      plugin('shop', contentApi([get('/carts')], '/store'), contentApi([get('/offers')], '')),
      ['/api/store/carts', '/api/offers'],
    ],
    [
      'of a plugin, with a prefix of their own',
      plugin('users', contentApi([get('/roles'), get('/users', { prefix: '' })])),
      ['/api/users', '/api/users/roles'],
    ],
    [
      'of routers that are functions',
      { ...api(() => router(get('/as'))), ...plugin('p', () => contentApi([get('/ps')])) },
      ['/api/as', '/api/p/ps'],
    ],
    [
      'under another prefix',
      { restPrefix: '/v2', ...api(router(get('/as'), get('/'))), ...plugin('p', contentApi([get('/ps')])) },
      ['/v2/as', '/v2', '/v2/p/ps'],
    ],
    ['under no prefix', { restPrefix: '', ...api(router(get('/as'), get('/'))) }, ['/as', '/']],
    [
      'but not those of the admin API, or with other methods',
      {
        apis: {
          a: {
            routes: {
              a: router({ ...get('/as'), method: 'POST' }, { ...get('/as/:id'), method: 'DELETE' }),
              empty: {},
            },
          },
          none: { routes: [] },
        },
        plugins: {
          list: { routes: [get('/l')] },
          admin: { routes: { a: { type: 'admin', routes: [get('/x')] }, b: router(get('/y')) } },
          none: { routes: {} },
        },
      },
      [],
    ],
  ])('%s', (_description, application, paths) => {
    const strapi = fakeStrapi(application);
    const facts = gatherApplicationFacts(strapi);
    expect(facts.routes.map((route) => route.path)).toEqual(paths);
    expect(mount(strapi).map((layer) => layer.path)).toEqual(paths);
  });
});

it('returns the very route objects that Strapi composes', async () => {
  const memoised = { routes: [get('/own')] };
  const strapi = fakeStrapi({
    apis: {
      a: {
        routes: {
          object: router(get('/object')),
          factory: () => router(get('/factory')),
          getter: {
            get routes() {
              return memoised.routes;
            },
          },
        },
      },
    },
    ...plugin('p', () => contentApi([get('/plugin')])),
  });

  const ran: string[] = [];
  const { routes } = gatherApplicationFacts(strapi);
  for (const { path: mounted, target } of routes) {
    const middleware = (_ctx: object, next: () => Promise<void>) => {
      ran.push(mounted);
      return next();
    };
    target.config = { ...target.config, middlewares: [middleware] };
  }

  for (const { stack } of mount(strapi)) for (const run of stack) await run({ state: {} }, () => Promise.resolve());
  expect(ran).toEqual(['/api/object', '/api/factory', '/api/own', '/api/p/plugin']);
});

it('calls a router that is a function once, with Strapi', () => {
  const create = vi.fn(() => router(get('/as')));
  const strapi = fakeStrapi(api(create));
  gatherApplicationFacts(strapi);
  gatherApplicationFacts(strapi);
  mount(strapi);
  expect(create.mock.calls).toEqual([[{ strapi }]]);
});

it('says to which API or plugin a route belongs, and how it is configured', () => {
  const { routes, contentTypes, components, restPrefix } = gatherApplicationFacts(
    fakeStrapi({
      ...api(router({ ...get('/as', { auth: false }), handler: 'a.find' })),
      ...plugin('p', contentApi([get('/ps')])),
    }),
  );
  expect(routes).toEqual([
    expect.objectContaining({ apiName: 'a', handler: 'a.find', config: { auth: false } }),
    expect.objectContaining({ pluginName: 'p', handler, config: {} }),
  ]);
  expect([Object.keys(contentTypes), Object.keys(components), restPrefix]).toEqual([
    ['api::a.a'],
    ['shared.seo'],
    '/api',
  ]);
});
