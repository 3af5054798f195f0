import path from 'node:path';
import type { Core } from '@strapi/strapi';

type Env = Core.Config.Shared.ConfigParams['env'];
type Client = 'mysql' | 'postgres';

const defaultPort = { mysql: 3306, postgres: 5432 };

const server = (env: Env, client: Client) => {
  const address = env('DATABASE_URL');
  if (!address) {
    return {
      host: env('DATABASE_HOST', '127.0.0.1'),
      port: env.int('DATABASE_PORT', defaultPort[client]),
      database: env('DATABASE_NAME', 'playground'),
      user: env('DATABASE_USERNAME', 'playground'),
      password: env('DATABASE_PASSWORD', ''),
    };
  }

  const url = new URL(address);
  return {
    host: url.hostname,
    port: Number(url.port) || defaultPort[client],
    database: decodeURIComponent(url.pathname.slice(1)),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    // Only pg reads a connection string, for parameters such as sslmode; mysql2 warns about a key it does not know.
    ...(client === 'postgres' && { connectionString: address }),
  };
};

const connection = (env: Env, client: string): Core.Config.Database['connection'] => {
  if (client === 'sqlite') {
    // This file runs from dist/config.
    const root = path.join(__dirname, '..', '..');
    return {
      client,
      connection: { filename: path.resolve(root, env('DATABASE_FILENAME', '.tmp/data.db')) },
      useNullAsDefault: true,
    };
  }

  if (client !== 'mysql' && client !== 'postgres') {
    throw new Error(`DATABASE_CLIENT must be sqlite, postgres or mysql, not "${client}".`);
  }

  return {
    client,
    connection: { ...server(env, client), ssl: env.bool('DATABASE_SSL', false) },
    pool: { min: env.int('DATABASE_POOL_MIN', 2), max: env.int('DATABASE_POOL_MAX', 10) },
  };
};

export default ({ env }: Core.Config.Shared.ConfigParams): Core.Config.Database => ({
  connection: connection(env, env('DATABASE_CLIENT', 'sqlite')),
});
