import { textKey, wholeNumberKey } from '../sql/column-value';
import {
  referentialAction,
  type DatabaseDescription,
  type DescribedTable,
  type ForeignKey,
} from './database-description';
import type { NamesInForce } from '../sql/tokens';

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

/** Text columns of any table by which sites look up single rows: part of an address, or unique by their nature. */
const NAMES: ReadonlySet<string> = new Set(['slug', 'permalink', 'path', 'handle', 'sku', 'username', 'email']);

/** Columns beside primary and foreign keys by which single rows are looked up. */
const LOOKUP_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  strapi_core_store_settings: ['key'],
};

/** Changes in these columns alone are book-keeping which no content response shows. */
const BOOKKEEPING_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  strapi_api_tokens: ['last_used_at', 'updated_at'],
};

/** What the database has not been asked about. */
const UNDESCRIBED: Omit<DescribedTable, 'name' | 'schema'> = {
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

/** The tables of the database: Strapi's as its schema has them, and whatever the database has said of itself. */
export class TableCatalog {
  readonly #own = new Map<string, OwnFacts>();
  readonly #ownForeignKeys: readonly ForeignKey[];
  #tables: ReadonlyMap<string, TableFacts> = new Map();
  #description: DatabaseDescription | undefined;
  #isDoubtful = false;
  #version = 0;
  readonly #tablesOfTypes: ReadonlyMap<string, string>;

  /** `tablesOfTypes`: the tables of content types and components, by their uid. */
  constructor(schema: DatabaseSchema, tablesOfTypes: ReadonlyMap<string, string> = new Map()) {
    this.#tablesOfTypes = tablesOfTypes;
    for (const table of schema.tables) this.#own.set(table.name.toLowerCase(), ownFacts(table));
    this.#ownForeignKeys = schema.tables.flatMap(foreignKeysOf);
    this.#combine();
  }

  /** What the database says of itself holds from here on. */
  learn(description: DatabaseDescription): void {
    this.#description = description;
    this.#isDoubtful = false;
    this.#combine();
  }

  /** Something may have changed what the database has said: until it is asked again, no name is a plain table's. */
  doubt(): void {
    this.#isDoubtful = true;
    this.#version += 1;
  }

  /** What the database last said that names mean; `undefined` where it was never asked. */
  get names(): NamesInForce | undefined {
    return this.#description;
  }

  /** Another number whenever anything that is said here may have changed. */
  get version(): number {
    return this.#version;
  }

  #combine(): void {
    const described = this.#description;
    const referencedBy = new Map<string, ForeignKey[]>();
    for (const foreignKey of described?.foreignKeys ?? this.#ownForeignKeys) {
      const known = referencedBy.get(foreignKey.target);
      if (known === undefined) referencedBy.set(foreignKey.target, [foreignKey]);
      else known.push(foreignKey);
    }
    const tables = new Map<string, TableFacts>();
    for (const name of new Set([...this.#own.keys(), ...(described?.tables.keys() ?? [])])) {
      const own = this.#own.get(name);
      tables.set(name, {
        ...UNDESCRIBED,
        name,
        schema: undefined,
        ...NOT_OWN,
        ...own,
        ...described?.tables.get(name),
        referencedBy: referencedBy.get(name) ?? [],
      });
    }
    this.#tables = tables;
    this.#version += 1;
  }

  /** What keeps this name from being taken for a plain table's, in a few words: `a view`; `undefined` where nothing does. */
  whyNotPlain(table: string): string | undefined {
    if (this.#isDoubtful) return 'a name that the database has not described yet';
    const other = this.#description?.others.get(table);
    if (other !== undefined) return other;
    const isKnown = this.#description === undefined ? this.#own.has(table) : this.#description.tables.has(table);
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

  /** A look-up column that holds text for certain, which MySQL compares with numbers in ways of its own. */
  isTextLookup(table: string, column: string): boolean {
    return column === 'document_id' || NAMES.has(column) || LOOKUP_COLUMNS[table]?.includes(column) === true;
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
    onDelete: referentialAction(onDelete) === 'cascade' ? 'cascade' : 'set null',
    onUpdate: referentialAction(onUpdate),
  }));
