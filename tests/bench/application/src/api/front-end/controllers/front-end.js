'use strict';

module.exports = ({ strapi }) => ({
  /** Responds with JSON as a string. */
  async text(ctx) {
    ctx.body = JSON.stringify(await strapi.controller('api::article.article').find(ctx));
    ctx.type = 'json';
  },
});
