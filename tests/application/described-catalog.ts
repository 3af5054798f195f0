import type { DatabaseDescription, DescribedTable, ForeignKey } from '../../server/src/database/database-description';
import { TableCatalog, type MorphReference } from '../../server/src/database/table-catalog';

/** Tables in Strapi's schema. */
interface Schema {
  readonly tables: ReadonlyArray<{
    readonly name: string;
    readonly columns: ReadonlyArray<{ readonly name: string }>;
    /** Default: `id`. */
    readonly primaryKey?: string;
    readonly morph?: MorphReference | undefined;
    readonly foreignKeys: ReadonlyArray<{
      readonly columns: readonly string[];
      readonly referencedTable: string;
      readonly onDelete?: 'CASCADE';
    }>;
  }>;
}

const LOOK_UP = { isText: true, longest: Infinity, lowest: -Infinity, highest: Infinity, neverNull: false };

/** What a database that has these tables and no others says of them. */
export const describedAs = (schema: Schema): DatabaseDescription => {
  const tables = new Map(
    schema.tables.map(({ name, columns, primaryKey = 'id' }): [string, DescribedTable] => [
      name,
      {
        name,
        schema: 'main',
        filledByDatabase: new Set(),
        filledOnUpdate: new Set(),
        primaryKey: [primaryKey],
        uniqueKeys: [[primaryKey]],
        hasOtherUniqueKeys: false,
        lookUps: new Map(columns.map((column) => [column.name, LOOK_UP])),
        hasTriggers: false,
      },
    ]),
  );
  const foreignKeys = schema.tables.flatMap(({ name, foreignKeys: own }) =>
    own.map(
      ({ columns, referencedTable, onDelete }): ForeignKey => ({
        table: name,
        columns,
        target: referencedTable,
        targetColumns: ['id'],
        onDelete: onDelete === 'CASCADE' ? 'cascade' : 'set',
        onUpdate: 'none',
      }),
    ),
  );
  return {
    home: '',
    tables,
    others: new Map(),
    relations: new Set(tables.keys()),
    foreignKeys,
    ownFunctions: new Set(),
    rowFunctions: new Set(),
  };
};

/** The catalog of such a database, for tests without a database. */
export const describedCatalog = (schema: Schema, tablesOfTypes?: ReadonlyMap<string, string>): TableCatalog =>
  new TableCatalog(schema, tablesOfTypes, describedAs(schema));
