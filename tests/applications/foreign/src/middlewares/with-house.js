/** Loads the house that the request's header names, or else the one that the route's configuration names. */
module.exports =
  (config, { strapi }) =>
  async (ctx, next) => {
    const slug = config.header === undefined ? config.slug : ctx.get(config.header) || config.slug;
    ctx.state.house = await strapi.db.query('api::house.house').findOne({ where: { slug } });
    await next();
  };
