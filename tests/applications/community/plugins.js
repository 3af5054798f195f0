const {
  CacheContentTypeConfig,
  CacheKeysConfig,
  CacheRouteConfig,
} = require('@strapi-community/plugin-rest-cache/types');

/** A typical configuration of @strapi-community/plugin-rest-cache 5, with its classes and some needless options. */
module.exports = ({ env }) => ({
  'users-permissions': { config: { jwtSecret: env('JWT_SECRET') } },
  'rest-cache': {
    enabled: true,
    config: {
      provider: { name: 'memory', getTimeout: 500, options: { max: 32767, updateAgeOnGet: false, ttl: 3600 } },
      strategy: {
        debug: false,
        enableEtag: true,
        enableXCacheHeaders: true,
        enableAdminCTBMiddleware: true,
        enableContentApiPurge: true,
        resetOnStartup: true,
        clearRelatedCache: true,
        keysPrefix: 'shop:',
        maxAge: 3_600_000,
        hitpass: (ctx) => Boolean(ctx.request.headers.authorization || ctx.request.headers.cookie),
        keys: new CacheKeysConfig({ useHeaders: ['Accept-Language'] }),
        contentTypes: [
          'api::category.category',
          new CacheContentTypeConfig({
            contentType: 'api::article.article',
            keys: new CacheKeysConfig(),
            relatedContentTypeUid: ['api::category.category'],
            routes: [
              '/api/articles/by-slug/:slug',
              new CacheRouteConfig({ path: '/api/reports/editorial', maxAge: 60_000, keys: new CacheKeysConfig() }),
              { path: '/api/articles/:id', method: 'PUT' },
            ],
          }),
          {
            contentType: 'api::homepage.homepage',
            singleType: true,
            injectDefaultRoutes: true,
            hitpass: (ctx) =>
              Boolean(ctx.query.preview || ctx.request.headers.authorization || ctx.request.headers.cookie),
          },
          {
            contentType: 'api::order.order',
            maxAge: 10_000,
            hitpass: false,
            keys: { useHeaders: [], useAuth: true },
          },
          { contentType: 'api::tag.tag', keys: { useQueryParams: false } },
        ],
      },
    },
  },
});
