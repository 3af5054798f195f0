import { closeSync, copyFileSync, existsSync, openSync, readSync } from 'node:fs';
import path from 'node:path';
import type { Knex } from 'knex';
import { type LoadedApplication, requireOf } from './load-application';

export interface Holder {
  readonly kind: 'role' | 'token' | 'admin role';
  readonly name: string;
  /** The type of a role or a token, or the code of an admin role. */
  readonly type: string;
  readonly actions: ReadonlySet<string>;
}

/** The tables of holders and permissions in Strapi 5, the relation that joins both, and the columns of its table. */
const HOLDERS: ReadonlyArray<
  readonly [
    kind: Holder['kind'],
    holders: string,
    type: string,
    permissions: string,
    relation: string,
    columns: readonly [holder: string, permission: string],
  ]
> = [
  ['role', 'up_roles', 'type', 'up_permissions', 'role', ['role_id', 'permission_id']],
  [
    ...(['token', 'strapi_api_tokens', 'type', 'strapi_api_token_permissions', 'token'] as const),
    ['api_token_id', 'api_token_permission_id'],
  ],
  ['admin role', 'admin_roles', 'code', 'admin_permissions', 'role', ['role_id', 'permission_id']],
];

/** Milliseconds to wait for a connection before the database counts as unreachable. */
const PATIENCE = 5000;

/**
 * Reads which actions roles and tokens are granted, on a separate connection that cannot write: a SQLite file is opened
 * read-only, other databases are asked in a read-only transaction.
 *
 * @param scratch an empty folder, for a copy of the SQLite file.
 * @throws Error if there is no database yet, Strapi has never started on it, or it does not answer.
 */
export const readGrants = async (
  { strapi, requireFromStrapi }: Pick<LoadedApplication, 'strapi' | 'requireFromStrapi'>,
  scratch: string,
): Promise<Holder[]> => {
  const knex = requireOf(requireFromStrapi, '@strapi/database')('knex') as (config: Knex.Config) => Knex;
  const { client, connection, ...others } = strapi.config.get<Knex.Config>('database.connection');
  const settings = { ...others, pool: { min: 0, max: 1 }, acquireConnectionTimeout: PATIENCE };
  const { schema } = connection as { readonly schema?: string };
  if (client === 'sqlite') {
    const filename = readableFile((connection as { readonly filename: string }).filename, scratch);
    const readOnly = { filename, options: { readonly: true } };
    return ask(knex({ ...settings, client: 'better-sqlite3', connection: readOnly }), (db) => holdersIn(db, schema));
  }
  const driver = client === 'postgres' ? 'pg' : 'mysql2';
  return ask(knex({ ...settings, client: driver, connection: connection ?? {} }), (db) =>
    db.transaction((transaction) => holdersIn(transaction, schema), { readOnly: true }),
  );
};

const ask = async <T>(db: Knex, question: (db: Knex) => Promise<T>): Promise<T> => {
  try {
    return await question(db);
  } finally {
    await db.destroy();
  }
};

interface Row {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly action: string | null;
}

/** @param schema PostgreSQL's, if one is configured. */
const holdersIn = async (db: Knex, schema: string | undefined): Promise<Holder[]> => {
  const all: Holder[] = [];
  for (const [kind, holders, type, permissions, relation, columns] of HOLDERS) {
    const link = `${permissions}_${relation}_lnk`;
    if (!(await (schema === undefined ? db.schema : db.schema.withSchema(schema)).hasTable(holders))) continue;
    const table = schema === undefined ? db(holders) : db(holders).withSchema(schema);
    const rows = (await table
      .leftJoin(link, `${link}.${columns[0]}`, `${holders}.id`)
      .leftJoin(permissions, `${permissions}.id`, `${link}.${columns[1]}`)
      .select(`${holders}.id as id`, `${holders}.name as name`, `${holders}.${type} as type`)
      .select(`${permissions}.action as action`)
      .orderBy(`${holders}.id`)) as readonly Row[];
    const byId = new Map<number, Holder & { actions: Set<string> }>();
    for (const { id, name, type: ofType, action } of rows) {
      const holder = byId.get(id) ?? { kind, name, type: ofType, actions: new Set() };
      byId.set(id, holder);
      if (action !== null) holder.actions.add(action);
    }
    all.push(...byId.values());
  }
  if (all.length === 0) throw new Error('it has no roles yet, which Strapi makes when it first starts');
  return all;
};

/** The file to open. If it has a write-ahead log, a copy: even reading such a database creates files next to it. */
const readableFile = (filename: string, scratch: string): string => {
  const file = path.resolve(filename);
  if (!existsSync(file)) throw new Error(`its file ${path.basename(file)} does not exist yet`);
  if (!hasWriteAheadLog(file)) return file;
  const copy = path.join(scratch, 'data.db');
  copyFileSync(file, copy);
  if (existsSync(`${file}-wal`)) copyFileSync(`${file}-wal`, `${copy}-wal`);
  return copy;
};

/** Reads the file's header (https://sqlite.org/fileformat2.html, section 1.3.3). */
const hasWriteAheadLog = (file: string): boolean => {
  const versions = Buffer.alloc(2);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, versions, 0, 2, 18);
  closeSync(descriptor);
  return versions[0] === 2;
};
