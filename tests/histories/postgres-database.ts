import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import knex, { type Knex } from 'knex';
import { PLAYGROUND } from '../application/paths';
import { startApplication } from '../application/start-application';

/** A database for one application. `drop` removes it. */
export interface OwnDatabase {
  readonly environment: Readonly<Record<string, string>>;
  drop(): Promise<void>;
}

const address = { host: '127.0.0.1', port: 5432, user: process.env.PGUSER ?? 'postgres', database: 'postgres' };

const administrate = async <T>(work: (server: Knex) => Promise<T>): Promise<T> => {
  // A single connection, so that it keeps its locks.
  const server = knex({ client: 'pg', connection: address, pool: { min: 1, max: 1 } });
  try {
    return await work(server);
  } finally {
    await server.destroy();
  }
};

const environmentFor = (name: string, poolSize: number): Record<string, string> => ({
  DATABASE_CLIENT: 'postgres',
  DATABASE_HOST: address.host,
  DATABASE_PORT: String(address.port),
  DATABASE_USERNAME: address.user,
  DATABASE_PASSWORD: '',
  DATABASE_NAME: name,
  DATABASE_POOL_MIN: String(poolSize),
  DATABASE_POOL_MAX: String(poolSize),
});

/** A digest of everything that decides the content of a seeded database. */
const seedDigest = (): string => {
  const hash = createHash('sha1');
  const visit = (place: string): void => {
    if (statSync(place).isDirectory()) for (const name of readdirSync(place).sort()) visit(path.join(place, name));
    else hash.update(readFileSync(place));
  };
  visit(path.join(PLAYGROUND, 'src'));
  return hash.digest('hex').slice(0, 10);
};

/** Resolves once no connection is used or waited for: Strapi's first boot leaves work running. */
const idle = async (connection: Knex): Promise<void> => {
  const { pool } = connection.client as { pool: { numUsed(): number; numPendingAcquires(): number } };
  while (pool.numUsed() + pool.numPendingAcquires() > 0) await pause(100);
};

/** The playground seeds an empty database once. Later runs, and test files that run at the same time, copy it. */
const template = (): Promise<string> =>
  administrate(async (server) => {
    const name = `rest_cache_seeded_${seedDigest()}`;
    // This connection holds the lock until it is closed.
    await server.raw('select pg_advisory_lock(hashtext(?))', [name]);
    const isThere = (await server('pg_database').where({ datname: name })).length > 0;
    if (!isThere) await seed(server, name);
    return name;
  });

const seed = async (server: Knex, name: string): Promise<void> => {
  const unfinished = `rest_cache_seeding_${randomUUID().slice(0, 8)}`;
  await server.raw(`create database ${unfinished}`);
  const application = await startApplication({
    environment: { ...environmentFor(unfinished, 4), REST_CACHE: 'false' },
  });
  await idle(application.strapi.db.connection);
  await application.stop();
  process.env.REST_CACHE = 'true';
  await server.raw(`alter database ${unfinished} rename to ${name}`);
};

/** A seeded PostgreSQL database. */
export const postgresDatabase = async (poolSize = 10): Promise<OwnDatabase> => {
  const source = await template();
  const name = `rest_cache_test_${randomUUID().slice(0, 8)}`;
  await administrate(async (server) => server.raw(`create database ${name} template ${source}`));
  return {
    environment: environmentFor(name, poolSize),
    drop: async () => {
      await administrate(async (server) => server.raw(`drop database if exists ${name} with (force)`));
      for (const variable of Object.keys(environmentFor(name, poolSize))) delete process.env[variable];
    },
  };
};
