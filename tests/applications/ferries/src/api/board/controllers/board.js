module.exports = {
  /** A comment that names ctx.get('x-comment') reads nothing. */
  async departures(ctx) {
    const quay = ctx.get('X-Quay');
    const tide = await strapi.service('api::board.board').tide();
    ctx.body = { quay, tide };
  },
  async crew(ctx) {
    ctx.body = await strapi.documents('api::ferry.ferry').findMany({ fields: ['name'] });
  },
};
