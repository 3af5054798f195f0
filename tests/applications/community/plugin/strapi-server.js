/** Leaves the same actions in the database as @strapi-community/plugin-rest-cache 5.1 does. It caches nothing. */

const allowed = (action) => ({
  policies: [
    'admin::isAuthenticatedAdmin',
    { name: 'plugin::content-manager.hasPermissions', config: { actions: [`plugin::rest-cache.${action}`] } },
  ],
});

const answer = (ctx) => {
  ctx.body = {};
};

module.exports = {
  async bootstrap({ strapi }) {
    const actions = ['cache.purge', 'cache.read-strategy', 'cache.read-provider'].map((uid) => ({
      section: 'plugins',
      subCategory: uid === 'cache.purge' ? 'purge' : 'read',
      pluginName: 'rest-cache',
      displayName: uid,
      uid,
    }));
    await strapi.service('admin::permission').actionProvider.registerMany(actions);
  },
  controllers: {
    purge: () => ({ index: answer, contentApi: answer }),
    config: () => ({ strategy: answer, provider: answer }),
  },
  routes: {
    admin: {
      type: 'admin',
      routes: [
        { method: 'POST', path: '/purge', handler: 'purge.index', config: allowed('cache.purge') },
        { method: 'GET', path: '/config/strategy', handler: 'config.strategy', config: allowed('cache.read-strategy') },
        { method: 'GET', path: '/config/provider', handler: 'config.provider', config: allowed('cache.read-provider') },
      ],
    },
    'content-api': {
      type: 'content-api',
      routes: [{ method: 'POST', path: '/purge', handler: 'purge.contentApi', config: { policies: [] } }],
    },
  },
  services: {
    cacheStore: () => ({ reset: async () => undefined, clearByUid: async () => undefined }),
  },
};
