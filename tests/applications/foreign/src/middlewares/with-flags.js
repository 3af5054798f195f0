/** Loads the feature flags by SQL. */
module.exports =
  (_config, { strapi }) =>
  async (ctx, next) => {
    const rows = await strapi.db.connection('flags').where({ enabled: true }).orderBy('name').pluck('name');
    ctx.state.flags = rows;
    await next();
    if (rows.includes('stamp')) ctx.set('X-Flags', rows.join(','));
  };
