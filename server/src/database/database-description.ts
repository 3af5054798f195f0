import type { Row } from '../sql/column-value';
import type { Dialect } from '../sql/tokens';
import { type Ask, text } from './ask';
import { judgeFunction } from './function-natures';
import { MYSQL } from './mysql-questions';
import { POSTGRES } from './postgres-questions';
import { SQLITE } from './sqlite-questions';

/** What happens to a row when the row it refers to is deleted, or gets another key: its reference is `set` to another value. */
export type ReferentialAction = 'none' | 'cascade' | 'set';

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
  /**
   * Columns of those in `text-lookups.ts` that hold text, and find equal what is spelled the same, but for case and blanks;
   * `undefined` where the database has not been asked.
   */
  readonly texts: ReadonlySet<string> | undefined;
  /**
   * A trigger, a rule of PostgreSQL's, or a default or check of its that calls a function which may write: a write may
   * change rows of any table.
   */
  readonly hasTriggers: boolean;
}

/** What the database says of itself, asked at boot and after everything that may have changed it. */
export interface DatabaseDescription {
  /** Another after anything has changed of which this tells; `undefined` where the database cannot say so at once. */
  readonly state: string | undefined;
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
  /** Those of them that take one row of a table: PostgreSQL calls them by the notation of a column as well. */
  readonly rowFunctions: ReadonlySet<string>;
}

/** What a database is asked about itself. Whichever it is, the columns of its answers have the same names. */
interface Questions {
  /** `state`: another after anything has changed of which the others tell. */
  readonly state?: string;
  /** The schema a name without one means: `home`. */
  readonly home: string;
  /** Tables, views and the like: `schema`, `name`, and `what` it is where it is no plain table. */
  readonly relations: string;
  /** Columns that the database gives a value: `schema`, `table`, `name`, and whether `on_update` as well. */
  readonly filled: string;
  /**
   * Unique keys, column by column in their order: `schema`, `table`, `name`, `column`, `is_primary`, and `is_whole` where it
   * is a whole column of every row, compared as the column is.
   */
  readonly keys: string;
  /** Likewise: `schema`, `table`, `name`, `column`, `target_schema`, `target`, `target_column`, `on_delete`, `on_update`. */
  readonly foreignKeys: string;
  /** Columns of text by which rows may be looked up: `schema`, `table`, `name`. */
  readonly texts: string;
  /** Tables to which a write may do more than it says: `schema`, `table`. */
  readonly triggered: string;
  /** Functions that may be called by writes to a table which do not name them: `schema`, `table`, `name`. */
  readonly calling?: string;
  /** `name`, and on PostgreSQL `of_row`. */
  readonly ownFunctions: string;
}

const QUESTIONS: Readonly<Record<Dialect, Questions>> = { sqlite: SQLITE, postgres: POSTGRES, mysql: MYSQL };

/**
 * @param schema the one Strapi is configured to use, if any: PostgreSQL has several in one database.
 * @param known what it has said before, which is returned where it still holds.
 */
export const describeDatabase = async (
  dialect: Dialect,
  ask: Ask,
  schema: string | undefined,
  known?: DatabaseDescription,
): Promise<DatabaseDescription> => {
  const questions = QUESTIONS[dialect];
  // First: what changes meanwhile makes another state.
  const state = questions.state === undefined ? undefined : text((await ask(questions.state))[0]?.state);
  if (state !== undefined && state === known?.state) return known;
  const [session] = await ask(questions.home);
  const first = text(session?.home);
  const home = (dialect === 'postgres' ? schema : undefined) ?? first;
  const names = new Names(home, home === first);

  const relations = (await ask(questions.relations)).map(relationOf);
  const others = othersAmong(relations, names);
  const filled = gather(await ask(questions.filled), names.tableOf);
  const keys = gather(keysIn(await ask(questions.keys)), ([part]) => names.tableOf(part));
  const foreignKeys = keysIn(await ask(questions.foreignKeys)).map((parts) => foreignKeyOf(parts, names));
  const texts = gather(await ask(questions.texts), names.tableOf);
  const triggered = new Set((await ask(questions.triggered)).map(names.tableOf));

  for (const row of questions.calling === undefined ? [] : await ask(questions.calling))
    if ((await judgeFunction(dialect, text(row.name), ask)) === 'writes') triggered.add(names.tableOf(row));

  const tables = new Map<string, DescribedTable>();
  for (const relation of relations) {
    const key = names.keyOf(relation.schema, relation.name);
    if (others.has(key)) continue;
    tables.set(key, {
      name: relation.name,
      schema: names.isHome(relation.schema) ? undefined : relation.schema,
      ...describeColumns(filled.get(key) ?? [], keys.get(key) ?? []),
      texts: new Set(texts.get(key)?.map(({ name }) => lowerCase(name))),
      hasTriggers: triggered.has(key),
    });
  }
  const ownFunctions = await ask(questions.ownFunctions);
  return {
    state,
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

/** SQLite and MySQL have numbers for it. */
const isTrue = (value: unknown): boolean => Number(value) === 1;

/** How tables are named here: by their schema only where it is another than home. */
class Names {
  /** @param comesFirst whether a name without a schema means the one at home, where another schema has it as well. */
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

/** Everything that is no plain table, and every name that may mean one of several. */
const othersAmong = (relations: readonly Relation[], names: Names): Map<string, string> => {
  const others = new Map<string, string>();
  const seen = new Set<string>();
  const atHome = new Set(relations.filter(({ schema }) => names.isHome(schema)).map(({ name }) => name.toLowerCase()));
  for (const { schema, name, what } of relations) {
    const key = names.keyOf(schema, name);
    if (what !== undefined) others.set(key, what);
    else if (name.includes('.')) others.set(key, 'a table with a dot in its name');
    else if (seen.has(key)) others.set(key, 'one of two tables whose names differ in capitals only');
    seen.add(key);
  }
  for (const { schema, name, what } of relations) {
    const plain = name.toLowerCase();
    if (names.isHome(schema)) continue;
    // A temporary table hides those of its name on the connection that made it.
    if (what === TEMPORARY) others.set(plain, TEMPORARY);
    else if (!atHome.has(plain)) others.set(plain, `a name of the schema ${schema}`);
    else if (!names.comesFirst) others.set(plain, 'a name that several schemas have');
  }
  return others;
};

/** The rows that tell of one key, a column each. */
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

/** Statements are analysed in lower case: a column with capitals cannot be asked for by what they say. */
const isWhole = (key: KeyParts): boolean =>
  key.every(({ is_whole, column }) => isTrue(is_whole) && text(column) === lowerCase(column));

const describeColumns = (
  filled: readonly Row[],
  keys: readonly KeyParts[],
): Omit<DescribedTable, 'name' | 'schema' | 'texts' | 'hasTriggers'> => {
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

/** As databases write it; PostgreSQL has letters. */
export const referentialAction = (written: unknown): ReferentialAction => {
  const action = String(written).toLowerCase();
  if (action === 'cascade' || action === 'c') return 'cascade';
  return ['set null', 'n', 'set default', 'd'].includes(action) ? 'set' : 'none';
};
