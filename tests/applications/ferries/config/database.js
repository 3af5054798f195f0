const path = require('node:path');

/** As Strapi's own template has it: from where this file lies. */
module.exports = ({ env }) => ({
  connection: {
    client: 'sqlite',
    connection: { filename: path.join(__dirname, env('HULL', '..'), '.tmp/ferries.db') },
    useNullAsDefault: true,
  },
});
