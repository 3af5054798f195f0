const reads = require('../patrons');

module.exports = ({ strapi }) =>
  Object.fromEntries(
    Object.entries(reads).map(([name, read]) => [
      name,
      async (ctx) => {
        ctx.body = await read(ctx, strapi);
      },
    ]),
  );
