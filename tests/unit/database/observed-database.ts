import { randomUUID } from 'node:crypto';
import { connect } from 'node:net';
import knex, { type Knex } from 'knex';
import { describe } from 'vitest';
import type { Tag } from '../../../server/src/cache/tag';
import { systemClock } from '../../../server/src/cache/clock';
import { ConnectionNames } from '../../../server/src/database/connection-names';
import { describeDatabase } from '../../../server/src/database/database-description';
import { DescriptionKeeper } from '../../../server/src/database/description-keeper';
import { FunctionNatures } from '../../../server/src/database/function-natures';
import { askKnex, observeKnex } from '../../../server/src/observe/knex-seam';
import { currentRecording, record, Recording } from '../../../server/src/observe/recording';
import { SqlObserver, type SqlObserverSettings } from '../../../server/src/observe/sql-observer';
import { createStatementMemo } from '../../../server/src/sql/statement-memo';
import { TableCatalog, type DatabaseSchema } from '../../../server/src/database/table-catalog';
import type { Dialect } from '../../../server/src/sql/tokens';

const POSTGRES = { host: '127.0.0.1', port: 5432, user: process.env.PGUSER ?? 'postgres' };
const MYSQL = { host: '127.0.0.1', port: 3306, user: 'root', password: '' };

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const settle = (isThere: boolean): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once('connect', () => settle(true)).once('error', () => settle(false));
  });

type ServerDialect = Exclude<Dialect, 'sqlite'>;

/** Why a database is not asked. On CI, a missing database fails the tests. */
const reasonToSkip = async (dialect: ServerDialect): Promise<string | undefined> => {
  if (process.env.REST_CACHE_TEST_QUICK === 'true') return 'asked by npm run test:all';
  const { port, hint } = {
    postgres: { port: POSTGRES.port, hint: 'PostgreSQL on 127.0.0.1:5432 (trust): apt-get install postgresql' },
    mysql: {
      port: MYSQL.port,
      hint: 'MariaDB on 127.0.0.1:3306 (root, empty password): apt-get install mariadb-server',
    },
  }[dialect];
  if (await answers(port)) return undefined;
  if (process.env.CI === 'true') throw new Error(`CI has no ${hint}; these tests must not be skipped`);
  console.warn(`tests on ${dialect} skipped: no ${hint}`);
  return `no ${hint}`;
};

const SKIPPED: Readonly<Record<Dialect, string | undefined>> = {
  sqlite: process.env.REST_CACHE_TEST_REST === 'true' ? 'asked by npm test' : undefined,
  postgres: await reasonToSkip('postgres'),
  mysql: await reasonToSkip('mysql'),
};

/**
 * Runs the same tests on each database. If a database is missing, the name of the skipped tests says so and what to
 * install.
 *
 * @param title with `%s` for the database.
 */
export const describeOnEach = <D extends Dialect>(
  dialects: readonly D[],
  title: string,
  tests: (dialect: D) => void,
): void => {
  for (const dialect of dialects) {
    const reason = SKIPPED[dialect];
    const name = title.replace('%s', dialect);
    describe.skipIf(reason !== undefined)(reason === undefined ? name : `${name} (${reason})`, () => tests(dialect));
  }
};

export const DATABASES = ['sqlite', 'postgres', 'mysql'] as const satisfies readonly Dialect[];

/** The tags that a read depends on, and why its answer must not be stored. */
export interface SeenRead {
  readonly tags: readonly Tag[];
  readonly unstorable: string | undefined;
}

/** A database for one test, observed like an application's. */
export class ObservedDatabase {
  readonly #stamped: Tag[] = [];

  private constructor(
    readonly dialect: Dialect,
    readonly knex: Knex,
    readonly description: DescriptionKeeper,
    stamped: Tag[],
    readonly drop: () => Promise<void>,
  ) {
    this.#stamped = stamped;
  }

  /**
   * @param ddl statements to run before the observer is attached.
   * @param schema the schema as Strapi would know it.
   * @param file the file of a database of SQLite; left out, it is in memory.
   */
  static async create(
    dialect: Dialect,
    ddl: readonly string[],
    schema: DatabaseSchema = { tables: [] },
    settings: Partial<SqlObserverSettings> & { readonly tablesOfTypes?: ReadonlyMap<string, string> } = {},
    file = ':memory:',
  ): Promise<ObservedDatabase> {
    const [connection, drop] = await open(dialect, file);
    for (const statement of ddl) await connection.raw(statement);
    const catalog = new TableCatalog(schema, settings.tablesOfTypes);
    const description = new DescriptionKeeper({
      catalog,
      clock: systemClock,
      describe: (ask) => describeDatabase(dialect, ask, undefined),
      onDescribed: () => undefined,
      onFailure: (error) => {
        throw error;
      },
    });
    await description.refresh({ select: askKnex(connection) });
    const names = new ConnectionNames(dialect);
    await names.learn(askKnex(connection));
    const stamped: Tag[] = [];
    const observer = new SqlObserver({
      sink: { announce: () => undefined, invalidate: (tags) => void stamped.push(...tags) },
      catalog: () => description.catalog,
      description,
      names,
      precision: 'document',
      functions: new FunctionNatures(dialect, () => description.catalog),
      classify: createStatementMemo(dialect, () => description.catalog.names),
      currentRecording,
      writeRequestsOnly: false,
      identityTables: new Set(),
      ...settings,
    });
    observeKnex(connection, observer);
    return new ObservedDatabase(dialect, connection, description, stamped, drop);
  }

  /** Holds one connection for some work, and runs statements on it. */
  async onConnection(
    work: (run: (sql: string) => Promise<unknown>, connection: object) => Promise<void>,
  ): Promise<void> {
    const client = this.knex.client as Knex.Client;
    const connection = (await client.acquireConnection()) as object;
    try {
      await work(async (sql) => this.knex.raw(sql).connection(connection), connection);
    } finally {
      await client.releaseConnection(connection);
    }
  }

  /** Runs statements as a request of a cached route would. */
  async read(work: string | (() => Promise<unknown>)): Promise<SeenRead> {
    const recording = new Recording();
    recording.makesAnswer = true;
    await record(recording, async () => (typeof work === 'string' ? this.knex.raw(work) : work()));
    return { tags: [...recording.content], unstorable: recording.unstorable?.text };
  }

  /** Runs statements, and returns the tags that they stamped. */
  async write(work: string | (() => Promise<unknown>)): Promise<readonly Tag[]> {
    this.#stamped.length = 0;
    if (typeof work === 'string') await this.knex.raw(work);
    else await work();
    return [...new Set(this.#stamped)];
  }
}

const open = async (dialect: Dialect, filename: string): Promise<[Knex, () => Promise<void>]> => {
  if (dialect === 'sqlite') {
    const connection = knex({
      client: 'better-sqlite3',
      connection: { filename },
      useNullAsDefault: true,
      pool: { min: 1, max: 1 },
    });
    await connection.raw('pragma foreign_keys = on');
    return [connection, () => connection.destroy()];
  }
  const name = `rest_cache_observed_${randomUUID().slice(0, 8)}`;
  const client = dialect === 'postgres' ? 'pg' : 'mysql2';
  const address = dialect === 'postgres' ? POSTGRES : MYSQL;
  const server = knex({
    client,
    connection: { ...address, database: dialect === 'postgres' ? 'postgres' : 'mysql' },
    pool: { min: 0, max: 1 },
  });
  await server.raw(`create database ${name}`);
  const connection = knex({ client, connection: { ...address, database: name }, pool: { min: 0, max: 4 } });
  return [
    connection,
    async () => {
      await connection.destroy();
      await server.raw(`drop database ${name}${dialect === 'postgres' ? ' with (force)' : ''}`);
      await server.destroy();
    },
  ];
};
