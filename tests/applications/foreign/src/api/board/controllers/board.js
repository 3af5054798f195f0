const files = ['tables', 'engine', 'streams', 'functions', 'shared', 'answers'];

const handler = (read, strapi) => async (ctx) => {
  const knex = strapi.db.connection;
  const rows = await read({ ctx, knex, strapi, client: strapi.db.dialect.client });
  if (ctx.body === undefined) ctx.body = { rows: rows ?? null };
};

module.exports = ({ strapi }) =>
  Object.fromEntries(
    files
      .flatMap((file) => Object.entries(require(`../reads/${file}`)))
      .map(([name, read]) => [name, handler(read, strapi)]),
  );
