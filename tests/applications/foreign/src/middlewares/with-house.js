/** The house of a request: by its header where one is given, or the one that is named by the route. */
module.exports =
  (config, { strapi }) =>
  async (ctx, next) => {
    const slug = config.header === undefined ? config.slug : ctx.get(config.header) || config.slug;
    ctx.state.house = await strapi.db.query('api::house.house').findOne({ where: { slug } });
    await next();
  };
