const { extend } = require('./graphql');
const { seed } = require('./seed');
const tables = require('./tables');
const { start, stop } = require('./work-queue');

module.exports = {
  register({ strapi }) {
    extend(strapi);
  },

  async bootstrap({ strapi }) {
    await seed(strapi);
    await tables.make(strapi.db.connection, strapi.db.dialect.client);
    start();
  },

  destroy() {
    stop();
  },
};
