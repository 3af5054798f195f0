import { copyFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { TEMPLATE_DATABASE } from '../application/paths';

interface Database {
  pragma(text: string): unknown;
  prepare(sql: string): {
    run(...values: unknown[]): { readonly lastInsertRowid: number | bigint };
    get(...values: unknown[]): unknown;
  };
  close(): void;
}

/** better-sqlite3 brings no types. */
const BetterSqlite3 = createRequire(import.meta.url)('better-sqlite3') as new (file: string) => Database;

interface Granted {
  /** Granted actions by the role's type. */
  readonly roles?: Readonly<Record<string, readonly string[]>>;
  /** Granted actions by the name of an API token of the type "custom". */
  readonly tokens?: Readonly<Record<string, readonly string[]>>;
  /** Granted actions by the admin role's code. */
  readonly adminRoles?: Readonly<Record<string, readonly string[]>>;
  /** Whether the grants are still in a write-ahead log. */
  readonly writeAhead?: boolean;
}

/** A database as Strapi makes it, with grants, at the path that the ferries application uses. The caller closes it. */
export const grantedDatabase = (directory: string, granted: Granted): Database => {
  const file = path.join(directory, '.tmp/ferries.db');
  mkdirSync(path.dirname(file), { recursive: true });
  copyFileSync(TEMPLATE_DATABASE, file);
  const db = new BetterSqlite3(file);
  db.pragma(`journal_mode = ${granted.writeAhead === true ? 'WAL' : 'DELETE'}`);
  const insert = (table: string, columns: string, ...values: unknown[]): number | bigint =>
    db.prepare(`insert into ${table} (${columns}) values (${values.map(() => '?').join()})`).run(...values)
      .lastInsertRowid;
  const idOf = (table: string, column: string, value: string): number =>
    (db.prepare(`select id from ${table} where ${column} = ?`).get(value) as { id: number }).id;
  const give = (permissions: string, columns: string, holder: number | bigint, actions: readonly string[]): void => {
    for (const action of actions)
      insert(
        `${permissions}_lnk`,
        columns,
        insert(permissions.replace(/_(role|token)$/, ''), 'action', action),
        holder,
      );
  };
  for (const [type, actions] of Object.entries(granted.roles ?? {}))
    give('up_permissions_role', 'permission_id, role_id', idOf('up_roles', 'type', type), actions);
  for (const [code, actions] of Object.entries(granted.adminRoles ?? {}))
    give('admin_permissions_role', 'permission_id, role_id', idOf('admin_roles', 'code', code), actions);
  db.prepare("delete from strapi_api_tokens where type = 'full-access'").run();
  for (const [name, actions] of Object.entries(granted.tokens ?? {}))
    give(
      'strapi_api_token_permissions_token',
      'api_token_permission_id, api_token_id',
      insert('strapi_api_tokens', 'name, type, kind', name, 'custom', 'content-api'),
      actions,
    );
  return db;
};
