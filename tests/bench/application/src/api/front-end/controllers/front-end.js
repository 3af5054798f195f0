'use strict';

module.exports = ({ strapi }) => ({
  /** JSON, answered as text. */
  async text(ctx) {
    ctx.body = JSON.stringify(await strapi.controller('api::article.article').find(ctx));
    ctx.type = 'json';
  },
});
