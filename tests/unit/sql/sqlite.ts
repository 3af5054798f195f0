import { createRequire } from 'node:module';

interface PreparedStatement {
  /** Whether the statement changes nothing, according to SQLite. */
  readonly readonly: boolean;
  run(...bindings: unknown[]): { readonly changes: number };
  all(...bindings: unknown[]): unknown[];
  /** Returns rows as arrays, because several columns may have the same name. */
  raw(): PreparedStatement;
}

export interface Sqlite {
  exec(sql: string): void;
  prepare(sql: string): PreparedStatement;
  close(): void;
}

/** better-sqlite3 brings no types. */
const BetterSqlite3 = createRequire(import.meta.url)('better-sqlite3') as new (file: string) => Sqlite;

export const openSqlite = (): Sqlite => new BetterSqlite3(':memory:');
