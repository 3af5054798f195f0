import { describe, expect, it } from 'vitest';

import { resolveConfig } from '../../../server/src/config/resolve';
import { application } from './application';

/** Classes as the incumbent's types package exports them, with every field they have. */
class CacheKeysConfig {
  useHeaders: string[] = [];
  useQueryParams: boolean | string[] = true;
  useAuth = false;
  constructor(options: Partial<CacheKeysConfig> = {}) {
    Object.assign(this, options);
  }
}

class CacheRouteConfig {
  maxAge = 3600000;
  path = '';
  method = 'GET';
  paramNames: string[] = [];
  keys = new CacheKeysConfig();
  hitpass = false;
  constructor(options: Partial<CacheRouteConfig>) {
    Object.assign(this, options);
  }
}

class CacheContentTypeConfig {
  singleType = false;
  injectDefaultRoutes = true;
  maxAge = 3600000;
  hitpass = false;
  keys = new CacheKeysConfig();
  plugin: string | undefined = undefined;
  routes: CacheRouteConfig[] = [];
  contentType = '';
  relatedContentTypeUid: string[] = [];
  constructor(options: Partial<CacheContentTypeConfig>) {
    Object.assign(this, options);
  }
}

/** The incumbent's own documentation, put together. */
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

describe('a configuration of the incumbent', () => {
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
      expect(warnings).toEqual([
        `strategy.contentTypes[0].routes[0] has no effect: only GET is cached. What ${method} /api/articles/:slug/like writes invalidates without being listed.`,
      ]);
    },
  );

  it('may be made of its classes', () => {
    const { strategy, warnings } = resolveConfig(
      {
        strategy: {
          keys: new CacheKeysConfig({ useHeaders: ['accept'], useAuth: true }),
          contentTypes: [
            new CacheContentTypeConfig({
              contentType: 'api::article.article',
              keys: new CacheKeysConfig({ useAuth: true }),
              routes: [
                new CacheRouteConfig({
                  path: '/api/articles/slug/:slug+',
                  maxAge: 5000,
                  keys: new CacheKeysConfig({ useAuth: true }),
                }),
              ],
            }),
          ],
        },
      },
      application(),
    );
    expect(strategy.keys).toMatchObject({ useQueryParams: true, useHeaders: ['accept'], useAuth: true });
    expect(strategy.contentTypes[0]?.keys).toMatchObject({ useQueryParams: true, useHeaders: [], useAuth: true });
    expect(strategy.contentTypes[0]?.routes.map(({ path, maxAge, paramNames }) => [path, maxAge, paramNames])).toEqual([
      ['/api/articles', 3600000, undefined],
      ['/api/articles/:id', 3600000, undefined],
      ['/api/articles/slug/:slug+', 5000, undefined],
    ]);
    expect(warnings).toEqual([]);
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
    expect(warnings).toEqual(['provider.max has no effect; write provider.options.maxSize.']);
  });
});
