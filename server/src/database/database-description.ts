import type { Row } from '../sql/column-value';
import type { Dialect } from '../sql/tokens';
import { type Ask, text } from './ask';
import { judgeFunction } from './function-natures';
import type { LookUpColumn } from './look-up-columns';
import { MYSQL } from './mysql-questions';
import { POSTGRES } from './postgres-questions';
import { SQLITE } from './sqlite-questions';

/**
 * The effect on a row when the row it refers to is deleted or gets another key. `set`: its reference gets another
 * value (null or the default).
 */
export type ReferentialAction = 'none' | 'cascade' | 'set';

/**
 * A foreign key as the database enforces it. Tables are named by their key in `DatabaseDescription.tables`, columns as
 * they are spelled.
 */
export interface ForeignKey {
  /** The table whose rows refer to others. */
  readonly table: string;
  readonly columns: readonly string[];
  /** The table that these rows refer to; `targetColumns` are its columns, in the order of `columns`. */
  readonly target: string;
  readonly targetColumns: readonly string[];
  readonly onDelete: ReferentialAction;
  readonly onUpdate: ReferentialAction;
}

/** A plain table, as the database itself describes it. Columns are in lower case unless said otherwise. */
export interface DescribedTable {
  /** As it is spelled in the database. */
  readonly name: string;
  /** The schema of the table, as it is spelled. */
  readonly schema: string;
  /**
   * Columns that the database gives a value if the statement does not name them: by a default that is not null, as
   * identity or serial, as generated columns, or on update. A primary key of one column is not among them.
   */
  readonly filledByDatabase: ReadonlySet<string>;
  /** Those of `filledByDatabase` that may also change in an UPDATE that does not name them: generated, on update. */
  readonly filledOnUpdate: ReadonlySet<string>;
  /** The columns of the primary key in order; empty if there is none, or if `select *` does not show all columns. */
  readonly primaryKey: readonly string[];
  /** Unique keys over whole columns, the primary key among them. */
  readonly uniqueKeys: ReadonlyArray<readonly string[]>;
  /** Whether something else is unique too: an expression, a part of the rows, a prefix, text in another collation. */
  readonly hasOtherUniqueKeys: boolean;
  /** Columns by which rows may be looked up (`look-up-columns.ts`), and in which a whole number has one spelling. */
  readonly lookUps: ReadonlyMap<string, LookUpColumn>;
  /**
   * Whether a write to the table may change rows of any table: because of a trigger, a rule or a default or check that
   * calls a function which may write (PostgreSQL), or a key with `ON CONFLICT` (SQLite).
   */
  readonly hasTriggers: boolean;
}

/** The database's description of itself. It is asked at boot, and after everything that may have changed the answer. */
export interface DatabaseDescription {
  /** The schema (MySQL: database) Strapi's tables are in, in lower case. */
  readonly home: string;
  /** Plain tables, by name in lower case; those of other schemas by `schema.name`. */
  readonly tables: ReadonlyMap<string, DescribedTable>;
  /** Names that do not count as plain tables in statements, and what each of them is, such as `a view`. */
  readonly others: ReadonlyMap<string, string>;
  /** The names in `tables` and in `others`. */
  readonly relations: ReadonlySet<string>;
  readonly foreignKeys: readonly ForeignKey[];
  /**
   * Functions that the application has created or registered, by name in lower case. They are not judged by their name:
   * it may be that of a harmless function of another database.
   */
  readonly ownFunctions: ReadonlySet<string>;
  /** Those of `ownFunctions` that take one row of a table: PostgreSQL also calls them in the notation of a column. */
  readonly rowFunctions: ReadonlySet<string>;
}

/** The queries that ask a database about itself. The columns of the results have the same names for each database. */
interface Questions {
  /** `home`, the schema that a name without a schema means. */
  readonly home: string;
  /** Tables, views and the like: `schema`, `name`, and `what` it is, null for a plain table. */
  readonly relations: string;
  /** Columns that the database gives a value: `schema`, `table`, `name`, and `on_update` (whether in an UPDATE too). */
  readonly filled: string;
  /**
   * Unique keys, one row for each column, in their order: `schema`, `table`, `name`, `column`, `is_primary`, and
   * `is_whole` (whether the key covers the whole column of every row, and compares it as the column is compared).
   */
  readonly keys: string;
  /**
   * Foreign keys, likewise: `schema`, `table`, `name`, `column`, `target_schema`, `target`, `target_column`,
   * `on_delete`, `on_update`.
   */
  readonly foreignKeys: string;
  /**
   * Columns by which rows may be looked up: `schema`, `table`, `name`, `is_text`, and on MySQL what it may change to make
   * it fit: `longest`, `bits`, `is_unsigned`, `never_null`. Left out are columns in which whole numbers that are spelled
   * differently may be equal, or are stored as others.
   */
  readonly lookUps: string;
  /** Tables where a write may do more than the statement says: `schema`, `table`. */
  readonly triggered: string;
  /** Functions that a write to a table may call without naming them: `schema`, `table`, `name`. */
  readonly calling?: string;
  /** Functions of the application: `name`, and on PostgreSQL `of_row` (whether it takes one row of a table). */
  readonly ownFunctions: string;
}

const QUESTIONS: Readonly<Record<Dialect, Questions>> = { sqlite: SQLITE, postgres: POSTGRES, mysql: MYSQL };

/**
 * Asks the database to describe itself.
 *
 * @param schema the schema that Strapi is configured to use, if any: PostgreSQL has several in one database.
 */
export const describeDatabase = async (
  dialect: Dialect,
  ask: Ask,
  schema: string | undefined,
): Promise<DatabaseDescription> => {
  const questions = QUESTIONS[dialect];
  const [session] = await ask(questions.home);
  const first = text(session?.home);
  const home = (dialect === 'postgres' ? schema : undefined) ?? first;
  const names = new Names(home, home === first);

  const relations = (await ask(questions.relations)).map(relationOf);
  const others = othersAmong(relations, names);
  const filled = gather(await ask(questions.filled), names.tableOf);
  const keys = gather(keysIn(await ask(questions.keys)), ([part]) => names.tableOf(part));
  const foreignKeys = keysIn(await ask(questions.foreignKeys)).map((parts) => foreignKeyOf(parts, names));
  const lookUps = gather(await ask(questions.lookUps), names.tableOf);
  const triggered = new Set((await ask(questions.triggered)).map(names.tableOf));

  for (const row of questions.calling === undefined ? [] : await ask(questions.calling))
    if ((await judgeFunction(dialect, text(row.name), ask)) === 'writes') triggered.add(names.tableOf(row));

  const tables = new Map<string, DescribedTable>();
  for (const relation of relations) {
    const key = names.keyOf(relation.schema, relation.name);
    if (others.has(key)) continue;
    tables.set(key, {
      name: relation.name,
      schema: relation.schema,
      ...describeColumns(filled.get(key) ?? [], keys.get(key) ?? []),
      lookUps: new Map(lookUps.get(key)?.map((row) => [lowerCase(row.name), lookUpColumn(row)])),
      hasTriggers: triggered.has(key),
    });
  }
  const ownFunctions = await ask(questions.ownFunctions);
  return {
    home: home.toLowerCase(),
    tables,
    others,
    relations: new Set([...tables.keys(), ...others.keys()]),
    foreignKeys,
    ownFunctions: new Set(ownFunctions.map(({ name }) => lowerCase(name))),
    rowFunctions: new Set(ownFunctions.filter(({ of_row }) => isTrue(of_row)).map(({ name }) => lowerCase(name))),
  };
};

const lowerCase = (value: unknown): string => text(value).toLowerCase();

/** SQLite and MySQL return truth values as numbers. */
const isTrue = (value: unknown): boolean => Number(value) === 1;

/** The keys of tables in a description: with the schema only if it is not `home`. */
class Names {
  /** @param comesFirst whether a name without a schema means the table in `home` if several schemas have that name. */
  constructor(
    readonly home: string,
    readonly comesFirst: boolean,
  ) {}

  isHome(schema: string): boolean {
    return schema.toLowerCase() === this.home.toLowerCase();
  }

  keyOf(schema: string, name: string): string {
    return (this.isHome(schema) ? name : `${schema}.${name}`).toLowerCase();
  }

  readonly tableOf = ({ schema, table }: Row): string => this.keyOf(text(schema), text(table));
}

interface Relation {
  readonly schema: string;
  readonly name: string;
  readonly what: string | undefined;
}

const relationOf = ({ schema, name, what }: Row): Relation => ({
  schema: text(schema),
  name: text(name),
  what: what === null ? undefined : text(what),
});

const TEMPORARY = 'a temporary table';

/** Everything that is not a plain table, and every name that may mean one of several tables. */
const othersAmong = (relations: readonly Relation[], names: Names): Map<string, string> => {
  const others = new Map<string, string>();
  const seen = new Set<string>();
  const atHome = new Set(relations.filter(({ schema }) => names.isHome(schema)).map(({ name }) => name.toLowerCase()));
  for (const { schema, name, what } of relations) {
    const key = names.keyOf(schema, name);
    if (what !== undefined) others.set(key, what);
    else if (name.includes('.')) others.set(key, 'a table with a dot in its name');
    else if (seen.has(key)) others.set(key, 'one of two tables whose names differ only in upper and lower case');
    seen.add(key);
  }
  for (const { schema, name, what } of relations) {
    const plain = name.toLowerCase();
    if (names.isHome(schema)) continue;
    // A temporary table hides tables of the same name on the connection that created it.
    if (what === TEMPORARY) others.set(plain, TEMPORARY);
    else if (!atHome.has(plain)) others.set(plain, `a table of the schema ${schema}`);
    else if (!names.comesFirst) others.set(plain, 'a name that exists in several schemas');
  }
  return others;
};

/** The rows that describe one key, one for each of its columns. */
type KeyParts = readonly [Row, ...Row[]];

const keysIn = (rows: readonly Row[]): KeyParts[] => [
  ...gather(rows, ({ schema, table, name }) => JSON.stringify([schema, table, name])).values(),
];

const gather = <T>(items: readonly T[], keyOf: (item: T) => string): Map<string, [T, ...T[]]> => {
  const gathered = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const known = gathered.get(keyOf(item));
    if (known === undefined) gathered.set(keyOf(item), [item]);
    else known.push(item);
  }
  return gathered;
};

/**
 * Whether every column of the key is whole. Columns with capitals do not count: statements are analysed in lower case,
 * so the observer cannot query such a column by the name found in them.
 */
const isWhole = (key: KeyParts): boolean =>
  key.every(({ is_whole, column }) => isTrue(is_whole) && text(column) === lowerCase(column));

const describeColumns = (
  filled: readonly Row[],
  keys: readonly KeyParts[],
): Omit<DescribedTable, 'name' | 'schema' | 'lookUps' | 'hasTriggers'> => {
  const columnsOf = (key: KeyParts): string[] => key.map(({ column }) => lowerCase(column));
  const primary = keys.find(([{ is_primary }]) => isTrue(is_primary));
  const primaryKey = primary === undefined ? [] : columnsOf(primary);
  const others = filled.filter(({ name }) => primaryKey.length !== 1 || primaryKey[0] !== lowerCase(name));
  return {
    filledByDatabase: new Set(others.map(({ name }) => lowerCase(name))),
    filledOnUpdate: new Set(others.filter((row) => isTrue(row.on_update)).map(({ name }) => lowerCase(name))),
    primaryKey,
    uniqueKeys: keys.filter(isWhole).map(columnsOf),
    hasOtherUniqueKeys: !keys.every(isWhole),
  };
};

const lookUpColumn = ({ is_text, longest, bits, is_unsigned, never_null }: Row): LookUpColumn => {
  const size = 2 ** (Number(bits ?? Infinity) - (isTrue(is_unsigned) ? 0 : 1));
  return {
    isText: isTrue(is_text),
    longest: Number(longest ?? Infinity),
    lowest: isTrue(is_unsigned) ? 0 : -size,
    highest: size - 1,
    neverNull: isTrue(never_null),
  };
};

const foreignKeyOf = (parts: KeyParts, names: Names): ForeignKey => {
  const [{ target_schema, target, on_delete, on_update }] = parts;
  return {
    table: names.tableOf(parts[0]),
    columns: parts.map(({ column }) => text(column)),
    target: names.keyOf(text(target_schema), text(target)),
    targetColumns: parts.map(({ target_column }) => text(target_column)),
    onDelete: referentialAction(on_delete),
    onUpdate: referentialAction(on_update),
  };
};

/** Reads an action as databases write it; PostgreSQL uses single letters. */
const referentialAction = (written: unknown): ReferentialAction => {
  const action = String(written).toLowerCase();
  if (action === 'cascade' || action === 'c') return 'cascade';
  return ['set null', 'n', 'set default', 'd'].includes(action) ? 'set' : 'none';
};
