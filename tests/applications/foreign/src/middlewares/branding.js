/** Marks every answer, and takes one of Strapi's marks away. */
module.exports = (config) => async (ctx, next) => {
  await next();
  ctx.set(config.header, 'open');
  ctx.remove('X-Powered-By');
};
