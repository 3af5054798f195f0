import { randomUUID } from 'node:crypto';
import path from 'node:path';
import knex, { type Knex } from 'knex';

export const DATABASES = ['sqlite', 'postgres', 'mysql'] as const;
export type DatabaseName = (typeof DATABASES)[number];

/** An empty database for one application. `drop` removes it. */
export interface OwnDatabase {
  readonly environment: Readonly<Record<string, string>>;
  drop(): Promise<void>;
}

const servers = {
  postgres: { client: 'pg', user: process.env.PGUSER ?? 'postgres', port: 5432, database: 'postgres' },
  mysql: { client: 'mysql2', user: 'root', port: 3306, database: 'mysql' },
} as const;

const administrate = async (name: keyof typeof servers, work: (server: Knex) => Promise<unknown>): Promise<void> => {
  const { client, ...connection } = servers[name];
  const server = knex({ client, connection: { host: '127.0.0.1', password: '', ...connection } });
  try {
    await work(server);
  } finally {
    await server.destroy();
  }
};

export const ownDatabase = async (client: DatabaseName, directory: string): Promise<OwnDatabase> => {
  if (client === 'sqlite') {
    const file = path.join(directory, 'data.db');
    // Two processes use the file. With a write-ahead log, readers do not wait for a writer. The file keeps this mode.
    const database = knex({ client: 'better-sqlite3', connection: { filename: file }, useNullAsDefault: true });
    await database.raw('pragma journal_mode = wal');
    await database.destroy();
    return { environment: { BOX_CLIENT: client, BOX_DATABASE: file }, drop: () => Promise.resolve() };
  }
  const name = `box_office_${randomUUID().slice(0, 8)}`;
  await administrate(client, async (server) => server.raw(`create database ${name}`));
  return {
    environment: { BOX_CLIENT: client, BOX_DATABASE: name, BOX_USER: servers[client].user },
    drop: () =>
      administrate(client, async (server) => {
        await server.raw(`drop database if exists ${name}${client === 'postgres' ? ' with (force)' : ''}`);
        if (client === 'mysql') await server.raw(`drop database if exists ${name}_reports`);
      }),
  };
};
