import type { Row } from '../sql/column-value';
import type { TableCatalog } from './table-catalog';

/** The part of a connection that look-ups need. */
export interface LookUpAccess {
  select(sql: string, bindings: readonly unknown[]): Promise<readonly Row[]>;
  /** Quotes the name of a schema, a table or a column. */
  quote(name: string): string;
}

/** One connection, used beneath the observer: statements sent through it are not observed. */
export interface ConnectionAccess extends LookUpAccess {
  /** Identifies the physical connection. */
  readonly connection: object;
  execute(sql: string): Promise<void>;
  /**
   * The clause that locks selected rows as the UPDATE or DELETE itself is about to lock them; empty where the database
   * has no row locks.
   */
  readonly rowLock: { readonly update: string; readonly delete: string };
  /**
   * An SQL expression that is true for a row which an upsert has inserted, and false for one it has updated, where the
   * database has such an expression.
   */
  readonly isNewRow?: string | undefined;
  /** Whether a transaction is open; `undefined` where the driver cannot say so synchronously. */
  readonly isInTransaction?: boolean | undefined;
  /**
   * Asks whether no transaction is open and none begins by itself (autocommit), where `isInTransaction` cannot say.
   *
   * @throws Error if asking may have aborted a transaction: its COMMIT would be a rollback.
   */
  askIfIdle?(): Promise<boolean>;
  /** Whether a failed statement may have ended the transaction (by a deadlock, for instance) without any notice. */
  readonly failureMayEndTransaction?: boolean | undefined;
}

/** The part of the driver's response that the observer uses. */
export interface QueryOutcome {
  /** `undefined` for statements that return none. */
  readonly rows: readonly Row[] | undefined;
  /** Primary key of the first inserted row (SQLite: the last one), where the driver reports it instead of rows. */
  readonly insertedId: unknown;
  /** Number of affected rows, where the driver reports it; for UPDATE and DELETE, the rows that matched. */
  readonly affected?: number | undefined;
}

/** A statement that selects the rows of a table with one of so many values, which are bound, in a column. */
export const selectWith = (
  { table, column, count }: { readonly table: string; readonly column: string; readonly count: number },
  catalog: TableCatalog,
  access: Pick<LookUpAccess, 'quote'>,
): string => {
  const placeholders = Array.from({ length: count }, () => '?').join(', ');
  return `select * from ${quotedTable(table, catalog, access)} where ${access.quote(column)} in (${placeholders})`;
};

/** A table's name, spelled and quoted for a statement that the observer itself sends. */
export const quotedTable = (table: string, catalog: TableCatalog, access: Pick<LookUpAccess, 'quote'>): string => {
  const facts = catalog.facts(table);
  return facts === undefined ? access.quote(table) : `${access.quote(facts.schema)}.${access.quote(facts.name)}`;
};
