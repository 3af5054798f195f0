import type { Row } from '../sql/column-value';
import type { TableCatalog } from './table-catalog';

/** One connection, as far as looking things up takes it. */
export interface LookUpAccess {
  select(sql: string, bindings: readonly unknown[]): Promise<readonly Row[]>;
  quoteTable(name: string): string;
  quoteColumn(name: string): string;
}

/** One connection, asked beneath the observer: these queries are not observed. */
export interface ConnectionAccess extends LookUpAccess {
  /** Identifies the physical connection. */
  readonly connection: object;
  execute(sql: string): Promise<void>;
  /** Locks selected rows as the statement itself is about to; empty where the database locks as a whole. */
  readonly rowLock: { readonly update: string; readonly delete: string };
  /** An expression that is true of a row which no earlier statement has made, where the database has one. */
  readonly isNewRow?: string | undefined;
  /** Whether a transaction is open, where the driver tells without being waited for. */
  readonly isInTransaction?: boolean | undefined;
  /** A statement that fails may have ended the transaction, by a deadlock for instance, and nobody tells. */
  readonly failureMayEndTransaction?: boolean | undefined;
}

/** What the driver answered, as far as the observer looks at it. */
export interface QueryOutcome {
  /** `undefined` for statements that return none. */
  readonly rows: readonly Row[] | undefined;
  /** Primary key of the first inserted row, where the driver tells instead of returning rows. */
  readonly insertedId: unknown;
  /** Rows that an UPDATE or DELETE matched, where the driver tells. */
  readonly affected?: number | undefined;
}

/** A table as it is spelled and quoted in a statement of the observer's own. */
export const quotedTable = (
  table: string,
  catalog: TableCatalog,
  access: Pick<LookUpAccess, 'quoteTable' | 'quoteColumn'>,
): string => {
  const facts = catalog.facts(table);
  return facts?.schema === undefined
    ? access.quoteTable(facts?.name ?? table)
    : `${access.quoteColumn(facts.schema)}.${access.quoteColumn(facts.name)}`;
};
