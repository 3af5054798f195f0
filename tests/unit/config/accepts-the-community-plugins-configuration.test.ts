import { describe, expect, it } from 'vitest';

import { resolveConfig } from '../../../server/src/config/resolve';
import { application } from './application';

/** A class that fills in what is left out, as those of @strapi-community/plugin-rest-cache do. */
const filling = (defaults: object) =>
  class {
    constructor(options: object = {}) {
      Object.assign(this, defaults, options);
    }
  };

/** The classes of 5.0.1. */
const CacheKeysConfig = filling({ useHeaders: [], useQueryParams: true });
const CacheRouteConfig = filling({
  method: 'GET',
  paramNames: [],
  maxAge: 3_600_000,
  hitpass: false,
  keys: new CacheKeysConfig(),
});
const CacheContentTypeConfig = filling({
  singleType: false,
  injectDefaultRoutes: true,
  maxAge: true,
  hitpass: false,
  keys: new CacheKeysConfig(),
  routes: [],
  relatedContentTypeUid: [],
  plugin: undefined,
});
const CachePluginStrategy = filling({
  debug: false,
  enableEtag: false,
  enableXCacheHeaders: false,
  enableAdminCTBMiddleware: true,
  resetOnStartup: false,
  clearRelatedCache: true,
  maxAge: 3_600_000,
  keysPrefix: '',
  contentTypes: [],
  keys: new CacheKeysConfig(),
});

/** A configuration with everything that the documentation of @strapi-community/plugin-rest-cache shows. */
const documented = {
  provider: { name: 'memory', getTimeout: 500, options: { max: 32767, updateAgeOnGet: false, ttl: 3600000 } },
  strategy: {
    debug: false,
    enableEtag: true,
    enableXCacheHeaders: true,
    enableAdminCTBMiddleware: true,
    enableDocumentServiceMiddleware: true,
    enableContentApiPurge: false,
    resetOnStartup: true,
    clearRelatedCache: true,
    keysPrefix: 'my-app',
    hitpass: () => false,
    keys: { useQueryParams: true, useHeaders: ['Accept-Encoding'] },
    maxAge: 3600000,
    cacheControl: { enabled: true, maxAge: 'config', scope: 'public', staleWhileRevalidate: 60000 },
    contentTypes: [
      'api::article.article',
      {
        contentType: 'api::category.category',
        maxAge: 3600000,
        hitpass: false,
        injectDefaultRoutes: true,
        singleType: false,
        keys: { useQueryParams: false, useHeaders: ['accept-encoding'], useAuth: true },
        routes: [
          '/api/articles/featured',
          {
            path: '/api/articles/slug/:slug+',
            method: 'GET',
            maxAge: 18000,
            paramNames: ['slug'],
            keys: { useQueryParams: ['populate', 'locale'], useHeaders: [], useAuth: true },
          },
        ],
      },
      { contentType: 'plugin::users-permissions.user', injectDefaultRoutes: false, routes: ['/api/users'] },
    ],
  },
};

describe('a configuration of @strapi-community/plugin-rest-cache', () => {
  it('means here what it meant there', () => {
    const { provider, strategy } = resolveConfig(documented, application());
    expect(provider).toMatchObject({
      name: 'memory',
      getTimeout: 500,
      options: { maxSize: 32767, updateAgeOnGet: false, ttl: 3600000 },
    });
    expect(strategy).toMatchObject({
      enableEtag: true,
      enableXCacheHeaders: true,
      resetOnStartup: true,
      keysPrefix: 'my-app',
      maxAge: 3600000,
      keys: { useQueryParams: true, useHeaders: ['accept-encoding'], useAuth: false },
      cacheControl: { enabled: true, maxAge: 'config', scope: 'public', staleWhileRevalidate: 60000 },
    });
    const routes = Object.fromEntries(
      strategy.contentTypes.flatMap((type) => type.routes).map((route) => [route.path, route]),
    );
    expect(Object.keys(routes)).toEqual([
      '/api/articles',
      '/api/articles/:id',
      '/api/categories',
      '/api/categories/:id',
      '/api/articles/featured',
      '/api/articles/slug/:slug+',
      '/api/users',
    ]);
    expect(routes['/api/articles/slug/:slug+']).toMatchObject({ maxAge: 18000, paramNames: ['slug'], hitpass: false });
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'may list %s routes to purge after, which says that it need not',
    (method) => {
      const { strategy, warnings } = resolveConfig(
        {
          strategy: {
            contentTypes: [
              { contentType: 'api::article.article', routes: [{ path: '/api/articles/:slug/like', method }] },
            ],
          },
        },
        application(),
      );
      expect(strategy.contentTypes[0]?.routes.map(({ path }) => path)).toEqual(['/api/articles', '/api/articles/:id']);
      expect(warnings.map(({ text }) => text)).toEqual([
        `strategy.contentTypes[0].routes[0] has no effect: only GET is cached. What ${method} /api/articles/:slug/like writes invalidates without being listed.`,
      ]);
    },
  );

  it('may be made of its classes, whose `maxAge: true` takes the level above', () => {
    const { strategy, warnings } = resolveConfig(
      {
        strategy: new CachePluginStrategy({
          maxAge: 60_000,
          enableEtag: true,
          keys: new CacheKeysConfig({ useHeaders: ['accept'] }),
          contentTypes: [
            'api::category.category',
            new CacheContentTypeConfig({
              contentType: 'api::article.article',
              routes: [new CacheRouteConfig({ path: '/api/articles/slug/:slug+', maxAge: 5000 })],
            }),
          ],
        }),
      },
      application(),
    );
    expect(strategy).toMatchObject({ maxAge: 60_000, enableEtag: true, clearRelatedCache: true, hitpass: true });
    const [category, article] = strategy.contentTypes;
    expect(category).toMatchObject({ maxAge: 60_000, hitpass: true, keys: { useHeaders: ['accept'] } });
    expect(article).toMatchObject({ maxAge: 60_000, hitpass: false, keys: { useQueryParams: true, useHeaders: [] } });
    expect(article?.routes.map(({ path, maxAge, paramNames }) => [path, maxAge, paramNames])).toEqual([
      ['/api/articles', 60_000, []],
      ['/api/articles/:id', 60_000, ['id']],
      ['/api/articles/slug/:slug+', 5000, ['slug']],
    ]);
    // Options that the classes fill in cannot be distinguished from options that a user has written.
    expect(warnings.map(({ text }) => text).join('\n')).toContain(
      '"api::article.article": hitpass is false, so requests with credentials are',
    );
  });

  it('is told that `true` is no duration where no class fills it in', () => {
    expect(() => resolveConfig({ strategy: { maxAge: true } }, application())).toThrow('strategy.maxAge is true');
  });

  it.each([
    ['a name and a connection', { name: 'redis', options: { max: 32767, connection: 'default', ttl: 3600000 } }],
    ['options of a module of its own', { name: './src/my-provider', options: { maxSize: 'many', anything: [1] } }],
  ])('passes the options of other providers unchanged: %s', (_description, provider) => {
    const resolved = resolveConfig({ provider }, application()).provider;
    expect(resolved.name).toBe(provider.name);
    expect(resolved.options).toBe(provider.options);
  });

  it('says so where its first documentation named an option that never had an effect', () => {
    const { provider, warnings } = resolveConfig({ provider: { name: 'memory', max: 32767 } }, application());
    expect(provider.options).toEqual({});
    expect(warnings).toEqual([
      expect.objectContaining({
        code: 'memory-option',
        text: 'provider.max has no effect; write provider.options.maxSize.',
      }),
    ]);
  });
});
