/** Loads what every page shows into `ctx.state`, as for a site's footer. */
module.exports =
  (_config, { strapi }) =>
  async (ctx, next) => {
    if (ctx.path.startsWith('/api/') || ctx.path === '/graphql') {
      const [site] = await strapi.db.connection('imprints').whereNotNull('published_at').orderBy('id').limit(1);
      ctx.state.site = site === undefined ? null : { owner: site.owner, line: site.line };
    }
    await next();
  };
