import type { Row } from '../sql/column-value';

/** What happens to a row when the row it refers to is deleted, or gets another key. */
export type ReferentialAction = 'none' | 'cascade' | 'set null' | 'set default';

/** A foreign key as the database enforces it. Tables go by their key, columns as they are spelled. */
export interface ForeignKey {
  /** The table whose rows refer to others. */
  readonly table: string;
  readonly columns: readonly string[];
  /** The table they refer to, and the columns there, in the same order. */
  readonly target: string;
  readonly targetColumns: readonly string[];
  readonly onDelete: ReferentialAction;
  readonly onUpdate: ReferentialAction;
}

/** A plain table, as the database itself describes it. Columns are in lower case unless said otherwise. */
export interface DescribedTable {
  /** As it is spelled in the database. */
  readonly name: string;
  /** The schema it is in, as spelled; `undefined` for the one Strapi's tables are in. */
  readonly schema: string | undefined;
  /**
   * Columns, beside a primary key of one column, that get a value although no statement names them: by a default that is
   * not null, as identity or serial, generated, on update.
   */
  readonly filledByDatabase: ReadonlySet<string>;
  /** Those of them that may also change in an UPDATE that does not name them: generated, on update. */
  readonly filledOnUpdate: ReadonlySet<string>;
  /** In order; empty where there is none. */
  readonly primaryKey: readonly string[];
  /** Unique keys over whole columns, the primary key among them. */
  readonly uniqueKeys: ReadonlyArray<readonly string[]>;
  /** Something else is unique as well: an expression, a part of the rows, a prefix, text in another collation. */
  readonly hasOtherUniqueKeys: boolean;
  /** A trigger, or a rule of PostgreSQL's: a write may change rows of any table. */
  readonly hasTriggers: boolean;
}

/** What the database says of itself, asked at boot and after everything that may have changed it. */
export interface DatabaseDescription {
  /** The schema (MySQL: database) Strapi's tables are in, in lower case. */
  readonly home: string;
  /** By name in lower case; those of other schemas by `schema.name`. */
  readonly tables: ReadonlyMap<string, DescribedTable>;
  /** Names that statements must not take for a plain table, and what they are: `a view`. */
  readonly others: ReadonlyMap<string, string>;
  /** The names of both. */
  readonly relations: ReadonlySet<string>;
  readonly foreignKeys: readonly ForeignKey[];
  /** Functions of the application's own, by name in lower case: the name may be one that is a harmless function elsewhere. */
  readonly ownFunctions: ReadonlySet<string>;
}

/** One connection, asked beneath the observer. */
export type Ask = (sql: string, bindings?: readonly unknown[]) => Promise<readonly Row[]>;

/** A table, view or the like. `what` says why it is no plain table: `a view`; `null` for plain ones. */
export interface FoundRelation {
  readonly schema: string;
  readonly name: string;
  readonly what: string | null;
}

export interface FoundColumn {
  readonly schema: string;
  readonly table: string;
  readonly name: string;
  readonly onUpdate: boolean;
}

export interface FoundKey {
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly string[];
  readonly isPrimary: boolean;
  /** Over whole columns of every row, compared as the columns are. */
  readonly isWhole: boolean;
}

export interface FoundForeignKey extends Omit<ForeignKey, 'table' | 'target'> {
  readonly schema: string;
  readonly table: string;
  readonly targetSchema: string;
  readonly target: string;
}

/** What a dialect's questions answer, before it is put together. */
export interface Findings {
  readonly home: string;
  /** Whether a name without a schema means the one in `home`, where another schema has it as well. */
  readonly homeComesFirst: boolean;
  readonly relations: readonly FoundRelation[];
  readonly filled: readonly FoundColumn[];
  readonly keys: readonly FoundKey[];
  readonly foreignKeys: readonly FoundForeignKey[];
  readonly triggered: ReadonlyArray<{ readonly schema: string; readonly table: string }>;
  readonly ownFunctions: readonly string[];
}

/** Puts together what was found. */
export const describe = (found: Findings): DatabaseDescription => {
  const home = found.home.toLowerCase();
  const keyOf = (schema: string, name: string): string =>
    schema.toLowerCase() === home ? name.toLowerCase() : `${schema}.${name}`.toLowerCase();
  const others = othersAmong(found, keyOf);
  const filledBy = gather(found.filled, keyOf);
  const keysBy = gather(found.keys, keyOf);
  const triggered = new Set(found.triggered.map(({ schema, table }) => keyOf(schema, table)));

  const tables = new Map<string, DescribedTable>();
  for (const { schema, name, what } of found.relations) {
    const key = keyOf(schema, name);
    if (what !== null || others.has(key)) continue;
    const keys = keysBy.get(key) ?? [];
    const primaryKey = lowerCase(keys.find(({ isPrimary }) => isPrimary)?.columns ?? []);
    const filled = (filledBy.get(key) ?? []).filter(
      (column) => primaryKey.length !== 1 || primaryKey[0] !== column.name.toLowerCase(),
    );
    tables.set(key, {
      name,
      schema: schema.toLowerCase() === home ? undefined : schema,
      filledByDatabase: new Set(lowerCase(filled.map((column) => column.name))),
      filledOnUpdate: new Set(lowerCase(filled.filter(({ onUpdate }) => onUpdate).map((column) => column.name))),
      primaryKey,
      uniqueKeys: keys.filter(isPlainKey).map(({ columns }) => lowerCase(columns)),
      hasOtherUniqueKeys: !keys.every(isPlainKey),
      hasTriggers: triggered.has(key),
    });
  }
  const foreignKeys = found.foreignKeys.map(
    ({ schema, table, targetSchema, target, columns, targetColumns, onDelete, onUpdate }) => ({
      table: keyOf(schema, table),
      columns,
      target: keyOf(targetSchema, target),
      targetColumns,
      onDelete,
      onUpdate,
    }),
  );
  const relations = new Set([...tables.keys(), ...others.keys()]);
  return { home, tables, others, relations, foreignKeys, ownFunctions: new Set(lowerCase(found.ownFunctions)) };
};

/** Everything that is no plain table, and every name that may mean one of several. */
const othersAmong = (
  { relations, home, homeComesFirst }: Findings,
  keyOf: (schema: string, name: string) => string,
): Map<string, string> => {
  const others = new Map<string, string>();
  const seen = new Set<string>();
  const namesAtHome = new Set<string>();
  for (const { schema, name, what } of relations) {
    const key = keyOf(schema, name);
    if (what !== null) others.set(key, what);
    else if (name.includes('.')) others.set(key, 'a table with a dot in its name');
    else if (seen.has(key)) others.set(key, 'one of two tables whose names differ in capitals only');
    seen.add(key);
    if (schema.toLowerCase() === home.toLowerCase()) namesAtHome.add(name.toLowerCase());
  }
  for (const { schema, name, what } of relations) {
    const plain = name.toLowerCase();
    if (schema.toLowerCase() === home.toLowerCase()) continue;
    // A temporary table hides those of its name on the connection that made it.
    if (what === TEMPORARY) others.set(plain, TEMPORARY);
    else if (!namesAtHome.has(plain)) others.set(plain, `a name of the schema ${schema}`);
    else if (!homeComesFirst) others.set(plain, 'a name that several schemas have');
  }
  return others;
};

/** Statements are analysed in lower case: a column with capitals cannot be asked for by what they say. */
const isPlainKey = ({ isWhole, columns }: FoundKey): boolean => isWhole && columns.join() === lowerCase(columns).join();

export const TEMPORARY = 'a temporary table';

const lowerCase = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase());

const gather = <T extends { readonly schema: string; readonly table: string }>(
  items: readonly T[],
  keyOf: (schema: string, name: string) => string,
): Map<string, T[]> => {
  const byTable = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item.schema, item.table);
    const known = byTable.get(key);
    if (known === undefined) byTable.set(key, [item]);
    else known.push(item);
  }
  return byTable;
};

/** `CASCADE`, `SET NULL`, … as databases write it. */
export const referentialAction = (text: unknown): ReferentialAction => {
  switch (String(text).toLowerCase()) {
    case 'cascade':
    case 'c':
      return 'cascade';
    case 'set null':
    case 'n':
      return 'set null';
    case 'set default':
    case 'd':
      return 'set default';
    default:
      return 'none';
  }
};
