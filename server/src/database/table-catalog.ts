import { isDeepStrictEqual } from 'node:util';
import { textKey, wholeNumberKey } from '../sql/column-value';
import {
  referentialAction,
  type DatabaseDescription,
  type DescribedTable,
  type ForeignKey,
} from './database-description';
import type { NamesInForce } from '../sql/tokens';
import { TEXT_LOOKUPS, TEXT_LOOKUPS_OF } from './text-lookups';

/** Two columns that together refer to a row: of which content type, and its primary key. */
export interface MorphReference {
  readonly type: string;
  readonly id: string;
}

/**
 * What the observer knows of one table: what Strapi's schema and the database say of Strapi's own, what the database
 * alone says of the others. Names are in lower case unless said otherwise.
 */
export interface TableFacts extends DescribedTable {
  /** Empty for tables that Strapi's schema does not know, as are `references` and `morph`. */
  readonly columns: ReadonlySet<string>;
  /** Foreign keys of this table, by column. */
  readonly references: ReadonlyMap<string, string>;
  /** What of a join table's rows refers to rows of several tables, such as media to whatever has some. */
  readonly morph: MorphReference | undefined;
  /** Foreign keys of tables to this one, its own among them: changing its rows may change theirs without a statement. */
  readonly referencedBy: readonly ForeignKey[];
}

/** Shape of `strapi.db.schema.schema`: the tables Strapi keeps, join tables included. */
export interface DatabaseSchema {
  readonly tables: ReadonlyArray<{
    readonly name: string;
    readonly columns: ReadonlyArray<{ readonly name: string }>;
    readonly foreignKeys: ReadonlyArray<{
      readonly columns: readonly string[];
      readonly referencedTable: string;
      readonly referencedColumns?: readonly string[];
      readonly onDelete?: string | null;
      readonly onUpdate?: string | null;
    }>;
  }>;
}

/** Changes in these columns alone are book-keeping which no content response shows. */
const BOOKKEEPING_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  strapi_api_tokens: ['last_used_at', 'updated_at'],
};

/** What the database has not been asked about. */
const UNDESCRIBED: Omit<DescribedTable, 'name' | 'schema'> = {
  texts: undefined,
  filledByDatabase: new Set(),
  filledOnUpdate: new Set(),
  primaryKey: ['id'],
  uniqueKeys: [['id']],
  hasOtherUniqueKeys: false,
  hasTriggers: false,
};

/** What Strapi's schema says of a table. */
type OwnFacts = Pick<TableFacts, 'name' | 'columns' | 'references' | 'morph'>;

const NOT_OWN: Pick<TableFacts, 'columns' | 'references' | 'morph'> = {
  columns: new Set(),
  references: new Map(),
  morph: undefined,
};

/**
 * The tables of the database: Strapi's as its schema has them, and whatever the database has said of itself. Never
 * changes: who learns more makes another one, and what was worked out from this one is known by it.
 */
export class TableCatalog {
  readonly #schema: DatabaseSchema;
  readonly #tablesOfTypes: ReadonlyMap<string, string>;
  readonly #description: DatabaseDescription | undefined;
  readonly #isDoubtful: boolean;
  readonly #own: ReadonlyMap<string, OwnFacts>;
  readonly #tables: ReadonlyMap<string, TableFacts>;

  /**
   * @param tablesOfTypes the tables of content types and components, by their uid.
   * @param description what the database has said of itself, once it was asked.
   * @param isDoubtful whether something may have changed what the database has said.
   */
  constructor(
    schema: DatabaseSchema,
    tablesOfTypes: ReadonlyMap<string, string> = new Map(),
    description?: DatabaseDescription,
    isDoubtful = false,
  ) {
    this.#schema = schema;
    this.#tablesOfTypes = tablesOfTypes;
    this.#description = description;
    this.#isDoubtful = isDoubtful;
    this.#own = new Map(schema.tables.map((table) => [table.name.toLowerCase(), ownFacts(table)]));
    this.#tables = combined(this.#own, description?.foreignKeys ?? schema.tables.flatMap(foreignKeysOf), description);
  }

  /** What holds once the database has said this of itself. */
  describedBy(description: DatabaseDescription): TableCatalog {
    return new TableCatalog(this.#schema, this.#tablesOfTypes, description);
  }

  /** What holds until the database is asked again: the same, but that no name is a plain table's. */
  doubted(): TableCatalog {
    return new TableCatalog(this.#schema, this.#tablesOfTypes, this.#description, true);
  }

  /** What the database last said that names mean; `undefined` where it was never asked. */
  get names(): NamesInForce | undefined {
    return this.#description;
  }

  /** What keeps this name from being taken for a plain table's, in a few words: `a view`; `undefined` where nothing does. */
  whyNotPlain(table: string): string | undefined {
    if (this.#isDoubtful) return 'a name that the database has not described yet';
    const other = this.#description?.others.get(table);
    if (other !== undefined) return other;
    const isKnown = (this.#description?.tables ?? this.#own).has(table);
    return isKnown ? undefined : 'no table that the database has described';
  }

  /** Of Strapi's tables and of those the database has described. */
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

  /** Whether rows are tagged by their value in this column: primary keys, document ids, foreign and morph keys. */
  isLookupColumn(table: string, column: string): boolean {
    return column === 'id' || column.endsWith('_id') || this.isTextLookup(table, column);
  }

  /**
   * A look-up column that holds text for certain, which MySQL compares with numbers in ways of its own. A `sku` that is a
   * number equals `1e3` and `1000`, and a `handle` in a collation that ignores hyphens equals both spellings.
   */
  isTextLookup(table: string, column: string): boolean {
    if (!TEXT_LOOKUPS.has(column) && TEXT_LOOKUPS_OF[table]?.includes(column) !== true) return false;
    return this.#tables.get(table)?.texts?.has(column) !== false;
  }

  /**
   * The spelling under which readers and writers of a look-up column meet; `undefined` where the database may take the
   * value for others as well. What is no text for certain is looked up by whole numbers alone.
   */
  lookupKey(table: string, column: string, value: unknown): string | undefined {
    return this.isTextLookup(table, column) ? textKey(value) : wholeNumberKey(value);
  }

  /** Whether this column of a join table only says where among its like a row stands. */
  isPlaceColumn(table: string, column: string): boolean {
    return (column.endsWith('_ord') || column === 'order') && !this.has(table, 'document_id');
  }

  /** Whether the database guarantees that `column` holds the primary key of a row of `target`, or null. */
  isReference(table: string, column: string, target: string): boolean {
    return this.#tables.get(table)?.references.get(column) === target;
  }

  /** The table of a content type or component; `undefined` where there is none of this name, letter by letter. */
  tableOfType(type: unknown): string | undefined {
    return typeof type === 'string' ? this.#tablesOfTypes.get(type) : undefined;
  }

  isBookkeeping(table: string, changed: readonly string[]): boolean {
    const ignored = BOOKKEEPING_COLUMNS[table];
    return ignored !== undefined && changed.every((column) => ignored.includes(column));
  }
}

const combined = (
  own: ReadonlyMap<string, OwnFacts>,
  foreignKeys: readonly ForeignKey[],
  description: DatabaseDescription | undefined,
): ReadonlyMap<string, TableFacts> => {
  const referencedBy = new Map<string, ForeignKey[]>();
  for (const foreignKey of foreignKeys) {
    const known = referencedBy.get(foreignKey.target) ?? [];
    // Strapi gives its join tables on SQLite each of theirs twice.
    if (known.some((other) => isDeepStrictEqual(other, foreignKey))) continue;
    referencedBy.set(foreignKey.target, [...known, foreignKey]);
  }
  return new Map(
    [...own.keys(), ...(description?.tables.keys() ?? [])].map((name) => [
      name,
      {
        ...UNDESCRIBED,
        name,
        schema: undefined,
        ...NOT_OWN,
        ...own.get(name),
        ...description?.tables.get(name),
        referencedBy: referencedBy.get(name) ?? [],
      },
    ]),
  );
};

/** Strapi calls these two `related_id` and `related_type`, or by the name of the attribute. */
const morphReference = (columns: ReadonlySet<string>): MorphReference | undefined => {
  for (const type of columns) {
    const id = type.replace(/_type$/, '_id');
    if (id !== type && columns.has(id)) return { type, id };
  }
  return undefined;
};

const ownFacts = (table: DatabaseSchema['tables'][number]): OwnFacts => {
  const columns = new Set(table.columns.map((column) => column.name.toLowerCase()));
  return {
    name: table.name,
    columns,
    morph: columns.has('document_id') ? undefined : morphReference(columns),
    references: new Map(
      table.foreignKeys.flatMap(({ columns: [column], referencedTable }) =>
        column === undefined ? [] : [[column.toLowerCase(), referencedTable.toLowerCase()] as const],
      ),
    ),
  };
};

const foreignKeysOf = ({ name, foreignKeys }: DatabaseSchema['tables'][number]): ForeignKey[] =>
  foreignKeys.map(({ columns, referencedTable, referencedColumns = ['id'], onDelete, onUpdate }) => ({
    table: name.toLowerCase(),
    columns,
    target: referencedTable.toLowerCase(),
    targetColumns: referencedColumns,
    // Strapi's own only ever leave the choice between these two.
    onDelete: referentialAction(onDelete) === 'cascade' ? 'cascade' : 'set',
    onUpdate: referentialAction(onUpdate),
  }));
