const path = require('node:path');

const ports = { mysql: 3306, postgres: 5432 };

module.exports = ({ env }) => {
  const client = env('BOX_CLIENT', 'sqlite');
  if (client === 'sqlite') {
    const filename = path.resolve(__dirname, '..', env('BOX_DATABASE', 'data.db'));
    return { connection: { client, connection: { filename }, useNullAsDefault: true } };
  }
  return {
    connection: {
      client,
      connection: {
        host: '127.0.0.1',
        port: ports[client],
        database: env('BOX_DATABASE'),
        user: env('BOX_USER'),
        password: '',
      },
      pool: { min: 1, max: 8 },
    },
  };
};
