const { seed } = require('./seed');
const tables = require('./tables');
const { start, stop } = require('./work-queue');

module.exports = {
  register() {},

  async bootstrap({ strapi }) {
    await seed(strapi);
    await tables.make(strapi.db.connection, strapi.db.dialect.client);
    start();
  },

  destroy() {
    stop();
  },
};
