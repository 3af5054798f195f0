/** Configured like @strapi-community/plugin-rest-cache's own playgrounds. */
module.exports = () => ({
  'rest-cache': {
    enabled: true,
    config: {
      provider: { name: 'memory', getTimeout: 500, options: { max: 100, updateAgeOnGet: false } },
      strategy: {
        debug: true,
        enableEtag: true,
        enableXCacheHeaders: true,
        enableAdminCTBMiddleware: true,
        enableContentApiPurge: true,
        clearRelatedCache: true,
        resetOnStartup: true,
        maxAge: 3_600_000,
        hitpass: (ctx) => Boolean(ctx.request.headers.authorization || ctx.request.headers.cookie),
        keys: { useHeaders: [], useQueryParams: true },
        contentTypes: [
          'api::office.office',
          'plugin::upload.file',
          {
            contentType: 'api::ferry.ferry',
            injectDefaultRoutes: true,
            singleType: false,
            relatedContentTypeUid: ['api::office.office'],
            hitpass: true,
            maxAge: 60_000,
            routes: [
              { path: '/api/boards/departures', method: 'GET' },
              { path: '/api/boards/crew', method: 'GET' },
              { path: '/api/ferries/:id', method: 'PUT' },
            ],
          },
        ],
      },
    },
  },
});
