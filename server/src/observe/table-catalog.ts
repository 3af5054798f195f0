/** A foreign key to a table, as the database enforces it. */
export interface ForeignKey {
  readonly table: string;
  /** As it is spelled in the database. */
  readonly column: string;
  /** Deleting the referenced row deletes this one; otherwise the reference becomes null. */
  readonly cascades: boolean;
}

/** Two columns that together refer to a row: of which content type, and its primary key. */
export interface MorphReference {
  readonly type: string;
  readonly id: string;
}

/** A join table that says which components the rows of one content type or component hold, and by which attribute. */
export interface ComponentLink {
  readonly table: string;
  /** Its column that refers to the row which holds the component, and the table of that. */
  readonly owner: string;
  readonly ownerTable: string;
  /** Its column that holds the component's primary key. No foreign key: components are of many tables. */
  readonly component: string;
  /** Its column that names the attribute. */
  readonly field: string;
  /** The component's table, by attribute. Attributes of components of many kinds are left out. */
  readonly components: ReadonlyMap<string, string>;
}

/** What the observer knows of one table. Names are in lower case unless said otherwise. */
export interface TableFacts {
  /** As it is spelled in the database; everywhere else tables go by their lower-case name. */
  readonly name: string;
  readonly columns: ReadonlySet<string>;
  /** Foreign keys of this table, by column. */
  readonly references: ReadonlyMap<string, string>;
  /** What of a join table's rows refers to rows of several tables, such as media to whatever has some. */
  readonly morph: MorphReference | undefined;
  /** Columns of whole numbers and booleans: equal means the same in every database. */
  readonly exact: ReadonlySet<string>;
  /** Foreign keys of other tables to this one: deleting its rows deletes or changes theirs without a statement. */
  readonly referencedBy: readonly ForeignKey[];
}

/** Shape of `strapi.db.schema.schema`: the tables Strapi keeps, join tables included. */
export interface DatabaseSchema {
  readonly tables: ReadonlyArray<{
    readonly name: string;
    readonly columns: ReadonlyArray<{ readonly name: string; readonly type?: string }>;
    readonly foreignKeys: ReadonlyArray<{
      readonly columns: readonly string[];
      readonly referencedTable: string;
      readonly onDelete?: string | null;
    }>;
  }>;
}

/** Column types whose values have one spelling each. */
const EXACT_TYPES: ReadonlySet<string> = new Set(['boolean', 'integer', 'bigInteger']);

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

/** The tables of the database as far as Strapi's schema tells; unknown tables have no facts. */
export class TableCatalog {
  readonly #tables = new Map<string, TableFacts>();
  readonly #tablesOfTypes: ReadonlyMap<string, string>;
  readonly #componentLinks: ReadonlyMap<string, ComponentLink>;
  readonly #linksTo = new Map<string, ComponentLink[]>();
  readonly #ownersWanted = new Set<string>();

  /** `tablesOfTypes`: the tables of content types and components, by their uid. */
  constructor(
    schema: DatabaseSchema,
    tablesOfTypes: ReadonlyMap<string, string> = new Map(),
    componentLinks: readonly ComponentLink[] = [],
  ) {
    this.#tablesOfTypes = tablesOfTypes;
    this.#componentLinks = new Map(componentLinks.map((link) => [link.table, link]));
    for (const link of componentLinks) {
      for (const component of new Set(link.components.values()))
        this.#linksTo.set(component, [...this.linksTo(component), link]);
    }
    const referencedBy = new Map<string, ForeignKey[]>();
    for (const table of schema.tables) {
      for (const { columns, referencedTable, onDelete } of table.foreignKeys) {
        const [column] = columns;
        if (column === undefined) continue;
        const target = referencedTable.toLowerCase();
        const known = referencedBy.get(target) ?? [];
        const cascades = onDelete?.toUpperCase() === 'CASCADE';
        known.push({ table: table.name.toLowerCase(), column, cascades });
        referencedBy.set(target, known);
      }
    }
    for (const table of schema.tables) {
      const name = table.name.toLowerCase();
      const columns = new Set(table.columns.map((column) => column.name.toLowerCase()));
      // Rows are looked up by those that are left out here, and have tags of their own.
      const exact = table.columns.filter(
        ({ type = '', name: column }) => EXACT_TYPES.has(type) && !/(^|_)id$/i.test(column),
      );
      this.#tables.set(name, {
        name: table.name,
        columns,
        morph: columns.has('document_id') ? undefined : morphReference(columns),
        exact: new Set(exact.map((column) => column.name.toLowerCase())),
        references: new Map(
          table.foreignKeys.flatMap(({ columns: [column], referencedTable }) =>
            column === undefined ? [] : [[column.toLowerCase(), referencedTable.toLowerCase()] as const],
          ),
        ),
        referencedBy: referencedBy.get(name) ?? [],
      });
    }
  }

  facts(table: string): TableFacts | undefined {
    return this.#tables.get(table);
  }

  has(table: string, column: string): boolean {
    return this.#tables.get(table)?.columns.has(column) === true;
  }

  /** Whether rows are tagged by their value in this column: primary keys, document ids, foreign and morph keys. */
  isLookupColumn(table: string, column: string): boolean {
    return column === 'id' || column.endsWith('_id') || this.isTextLookup(table, column);
  }

  /** A look-up column that holds text for certain, which MySQL compares with numbers in ways of its own. */
  isTextLookup(table: string, column: string): boolean {
    return column === 'document_id' || NAMES.has(column) || LOOKUP_COLUMNS[table]?.includes(column) === true;
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

  /** What a join table of components says; `undefined` for every other table. */
  componentLink(table: string): ComponentLink | undefined {
    return this.#componentLinks.get(table);
  }

  /** The join tables that say which rows hold the components of a table; none for what are no components. */
  linksTo(component: string): readonly ComponentLink[] {
    return this.#linksTo.get(component) ?? [];
  }

  /** Remembers that a read tells components of this table apart by what holds them. */
  wantOwners(component: string): void {
    this.#ownersWanted.add(component);
  }

  /**
   * Whether a read of this process does: looking up what holds a component takes its join tables whole, so nobody does
   * unless it matters.
   */
  areOwnersWanted(component: string): boolean {
    return this.#ownersWanted.has(component);
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
