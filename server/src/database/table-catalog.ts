import { isDeepStrictEqual } from 'node:util';
import { textKey, wholeNumberKey } from '../sql/column-value';
import type { DatabaseDescription, DescribedTable, ForeignKey } from './database-description';
import type { NamesInForce } from '../sql/tokens';
import { stores, TEXT_LOOKUPS, TEXT_LOOKUPS_OF, type LookUpColumn } from './look-up-columns';

/** Two columns that together refer to a row: `type` holds its content type, `id` its primary key. */
export interface MorphReference {
  readonly type: string;
  readonly id: string;
}

/**
 * The facts about a table in Strapi's schema. A table that is not in it has no columns, no references and no `morph`.
 */
interface OwnFacts {
  readonly columns: ReadonlySet<string>;
  /** The table that each column refers to, by the foreign keys in Strapi's schema. */
  readonly references: ReadonlyMap<string, string>;
  /** The columns by which rows of a join table refer to rows of several tables, as media do to whatever uses them. */
  readonly morph: MorphReference | undefined;
}

/** The facts about one table that the observer knows. Names are in lower case unless said otherwise. */
export interface TableFacts extends DescribedTable, OwnFacts {
  /**
   * Foreign keys that refer to this table, its own included. A change to its rows may change the referring rows without
   * a statement.
   */
  readonly referencedBy: readonly ForeignKey[];
}

/**
 * Shape of `strapi.db.schema.schema`: the tables Strapi keeps, join tables included. The schema does not say which
 * columns are a {@link MorphReference}: a component may have attributes of any names.
 */
export interface DatabaseSchema {
  readonly tables: ReadonlyArray<{
    readonly name: string;
    readonly morph?: MorphReference | undefined;
    readonly columns: ReadonlyArray<{ readonly name: string }>;
    readonly foreignKeys: ReadonlyArray<{ readonly columns: readonly string[]; readonly referencedTable: string }>;
  }>;
}

/** Changes in these columns alone are book-keeping which no content response shows. */
const BOOKKEEPING_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  strapi_api_tokens: ['last_used_at', 'updated_at'],
};

const NOT_OWN: OwnFacts = { columns: new Set(), references: new Map(), morph: undefined };

/**
 * The tables of the database: Strapi's as its schema defines them, and everything the database has said about itself.
 * Immutable: new knowledge makes a new catalog, so that what was derived from a catalog can be remembered by it.
 */
export class TableCatalog {
  readonly #schema: DatabaseSchema;
  readonly #tablesOfTypes: ReadonlyMap<string, string>;
  readonly #typesOfTables: ReadonlyMap<string, string>;
  readonly #description: DatabaseDescription | undefined;
  readonly #isExpired: boolean;
  readonly #tables: ReadonlyMap<string, TableFacts>;

  /**
   * @param tablesOfTypes the tables of content types and components, by their uid.
   * @param description the database's description of itself, once it was asked: before that, no table is known.
   * @param isExpired whether something may have changed since the description was made.
   */
  constructor(
    schema: DatabaseSchema,
    tablesOfTypes: ReadonlyMap<string, string> = new Map(),
    description?: DatabaseDescription,
    isExpired = description === undefined,
  ) {
    this.#schema = schema;
    this.#tablesOfTypes = tablesOfTypes;
    this.#typesOfTables = new Map([...tablesOfTypes].map(([type, table]) => [table, type]));
    this.#description = description;
    this.#isExpired = isExpired;
    const own = new Map(schema.tables.map((table) => [table.name.toLowerCase(), ownFacts(table)]));
    this.#tables = description === undefined ? new Map() : describedTables(description, own);
  }

  /** The catalog with this description. */
  describedBy(description: DatabaseDescription): TableCatalog {
    return new TableCatalog(this.#schema, this.#tablesOfTypes, description);
  }

  /** The catalog until the database is asked again: the same, but no name counts as a plain table. */
  expired(): TableCatalog {
    return new TableCatalog(this.#schema, this.#tablesOfTypes, this.#description, true);
  }

  /** The meanings of names, by the latest description; `undefined` if the database was never asked. */
  get names(): NamesInForce | undefined {
    return this.#description;
  }

  /** Why this name does not count as a plain table, in a few words such as `a view`; `undefined` if it does. */
  whyNotPlain(table: string): string | undefined {
    if (this.#isExpired) return 'a name that the database has not described yet';
    if (this.#tables.has(table)) return undefined;
    return this.#description?.others.get(table) ?? 'not a table that the database has described';
  }

  /** The facts about a table; `undefined` if the database has not described it. */
  facts(table: string): TableFacts | undefined {
    return this.#tables.get(table);
  }

  /** Whether Strapi's schema has this column. */
  has(table: string, column: string): boolean {
    return this.#tables.get(table)?.columns.has(column) === true;
  }

  /** Whether no two rows of the table have the same `id`. */
  isIdentifiedById(table: string): boolean {
    return this.#tables.get(table)?.primaryKey.join() === 'id';
  }

  /** Whether rows are tagged by their value in this column: ids, foreign and morph keys, look-up columns of text. */
  isLookupColumn(table: string, column: string): boolean {
    const isNamedSo = column === 'id' || column.endsWith('_id');
    return (isNamedSo && this.#lookUp(table, column) !== undefined) || this.isTextLookup(table, column);
  }

  #lookUp(table: string, column: string): LookUpColumn | undefined {
    return this.#tables.get(table)?.lookUps.get(column);
  }

  /**
   * Whether this is a look-up column that certainly holds text. The type matters: a numeric `sku` equals both `1e3` and
   * `1000`, a `handle` in a collation that ignores hyphens equals both spellings, and MySQL compares text with numbers
   * by rules of its own.
   */
  isTextLookup(table: string, column: string): boolean {
    if (!TEXT_LOOKUPS.has(column) && TEXT_LOOKUPS_OF[table]?.includes(column) !== true) return false;
    return this.#lookUp(table, column)?.isText === true;
  }

  /**
   * The spelling of a value by which readers and writers of a look-up column are matched; `undefined` if the database
   * may consider other values equal to it, or store another. Columns that do not certainly hold text are matched by whole
   * numbers alone.
   */
  lookupKey(table: string, column: string, value: unknown): string | undefined {
    return this.lookupSpelling(table, column)(value);
  }

  /** How {@link lookupKey} spells the values of one column. */
  lookupSpelling(table: string, column: string): (value: unknown) => string | undefined {
    const lookUp = this.#lookUp(table, column);
    const spell = this.isTextLookup(table, column) ? textKey : wholeNumberKey;
    return (value) => {
      const key = spell(value);
      return lookUp !== undefined && key !== undefined && stores(lookUp, value, key) ? key : undefined;
    };
  }

  /** Whether the database may store 0 or '' where a statement writes null. */
  mayReplaceNull(table: string, column: string): boolean {
    return this.#lookUp(table, column)?.neverNull === true;
  }

  /** Whether this column of a join table only holds the position of a row among its siblings. */
  isPlaceColumn(table: string, column: string): boolean {
    return (column.endsWith('_ord') || column === 'order') && !this.has(table, 'document_id');
  }

  /** Whether the database guarantees that `column` holds the primary key of a row of `target`, or null. */
  isReference(table: string, column: string, target: string): boolean {
    return this.#tables.get(table)?.references.get(column) === target;
  }

  /**
   * Whether rows that `column` refers to are there before the rows that refer to them: by a foreign key, or because
   * Strapi inserts a component, or what has a medium, before the row that joins it. The latter have no foreign key, and
   * one of the columns compared with a value (`required`) has to tell of which table the key is.
   */
  refersToPresent(table: string, column: string, target: string, required: ReadonlySet<string>): boolean {
    if (this.isReference(table, column, target)) return true;
    const morph = this.#tables.get(table)?.morph;
    if (morph?.id === column) return required.has(morph.type);
    const isOfComponent = column === 'cmp_id' && this.has(table, 'component_type');
    return isOfComponent && (required.has('field') || required.has('component_type'));
  }

  /** The table of a content type or component; `undefined` if none has exactly this uid. */
  tableOfType(type: unknown): string | undefined {
    return typeof type === 'string' ? this.#tablesOfTypes.get(type) : undefined;
  }

  /** The uid of the content type or component that this is the main table of; `undefined` if there is none. */
  typeOf(table: string): string | undefined {
    return this.#typesOfTables.get(table);
  }

  isBookkeeping(table: string, changed: readonly string[]): boolean {
    const ignored = BOOKKEEPING_COLUMNS[table];
    return ignored !== undefined && changed.every((column) => ignored.includes(column));
  }
}

const describedTables = (
  description: DatabaseDescription,
  own: ReadonlyMap<string, OwnFacts>,
): ReadonlyMap<string, TableFacts> => {
  const referencedBy = new Map<string, ForeignKey[]>();
  for (const foreignKey of description.foreignKeys) {
    const known = referencedBy.get(foreignKey.target) ?? [];
    // On SQLite, Strapi's join tables have each of their foreign keys twice.
    if (known.some((other) => isDeepStrictEqual(other, foreignKey))) continue;
    referencedBy.set(foreignKey.target, [...known, foreignKey]);
  }
  return new Map(
    [...description.tables].map(([name, described]) => [
      name,
      { ...described, ...(own.get(name) ?? NOT_OWN), referencedBy: referencedBy.get(name) ?? [] },
    ]),
  );
};

const ownFacts = (table: DatabaseSchema['tables'][number]): OwnFacts => {
  const columns = new Set(table.columns.map((column) => column.name.toLowerCase()));
  return {
    columns,
    morph: columns.has('document_id') ? undefined : table.morph,
    references: new Map(
      table.foreignKeys.flatMap(({ columns: [column], referencedTable }) =>
        column === undefined ? [] : [[column.toLowerCase(), referencedTable.toLowerCase()] as const],
      ),
    ),
  };
};
