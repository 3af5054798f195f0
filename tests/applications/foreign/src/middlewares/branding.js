/** Adds a header to every response, and removes one of Strapi's. */
module.exports = (config) => async (ctx, next) => {
  await next();
  ctx.set(config.header, 'open');
  ctx.remove('X-Powered-By');
};
