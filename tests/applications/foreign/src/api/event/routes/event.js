const { factories } = require('@strapi/strapi');

module.exports = factories.createCoreRouter('api::event.event', {
  config: { findOne: { middlewares: ['global::populate-event'] } },
});
