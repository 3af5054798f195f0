/** Typical code of users in src/index.js: they empty the cache at boot, and after writes of their own. */
module.exports = {
  async bootstrap({ strapi }) {
    const cacheStore = strapi.plugin('rest-cache').service('cacheStore');
    strapi.db.lifecycles.subscribe({
      models: ['api::tag.tag'],
      async afterUpdate() {
        await cacheStore.clearByUid('api::category.category', {}, true);
      },
    });
    await cacheStore.reset();
  },
};
