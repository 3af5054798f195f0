module.exports = () => ({
  'strapi-cache': {
    enabled: true,
    config: {
      debug: false,
      max: 500,
      ttl: 120_000,
      size: 1_000_000,
      provider: 'redis',
      redisConfig: 'redis://:secret@127.0.0.1:6399',
      cacheableRoutes: ['/api/ferries', '/api/boards'],
      excludeRoutes: ['/api/boards/crew'],
      cacheAuthorizedRequests: true,
      autoPurgeCache: true,
      autoPurgeCacheOnStart: true,
      disableAdminButtons: true,
    },
  },
});
