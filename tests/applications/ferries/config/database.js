const path = require('node:path');

/** Like Strapi's own template: relative to this file. */
module.exports = ({ env }) => ({
  connection: {
    client: 'sqlite',
    connection: { filename: path.join(__dirname, env('HULL', '..'), '.tmp/ferries.db') },
    useNullAsDefault: true,
  },
});
