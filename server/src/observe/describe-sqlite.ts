import type { Row } from './column-value';
import {
  describe,
  referentialAction,
  TEMPORARY,
  type Ask,
  type DatabaseDescription,
  type FoundKey,
} from './database-description';

const RELATIONS = `select schema as "schema", name as "name", type as "type" from pragma_table_list`;

/** Plain tables of the main database: what has virtual columns of its own may need a module that is not there. */
const TABLES = `pragma_table_list l where l.schema = 'main' and l.type = 'table' and l.name not like 'sqlite\\_%' escape '\\'`;

const COLUMNS = `
  select l.name as "table", x.name as "name", x.dflt_value as "default", x.hidden as "hidden", x.pk as "pk"
  from (select l.name from ${TABLES}) l, pragma_table_xinfo(l.name) x`;

const UNIQUE_KEYS = `
  select l.name as "table", i.name as "name", i.partial as "partial", c.name as "column", c.coll as "collation"
  from (select l.name from ${TABLES}) l, pragma_index_list(l.name) i, pragma_index_xinfo(i.name) c
  where i."unique" = 1 and i.origin <> 'pk' and c.key = 1
  order by l.name, i.name, c.seqno`;

const FOREIGN_KEYS = `
  select l.name as "table", f.id as "name", f."from" as "column", f."table" as "target", f."to" as "target_column",
    f.on_delete as "on_delete", f.on_update as "on_update"
  from (select l.name from ${TABLES}) l, pragma_foreign_key_list(l.name) f
  order by l.name, f.id, f.seq`;

/** A trigger of this connection alone may be about any table. A key may replace or ignore rows without being asked. */
const TRIGGERED = `
  select tbl_name as "table" from sqlite_master where type = 'trigger'
  union select tbl_name from sqlite_temp_master where type = 'trigger'
  union select name from sqlite_master where type = 'table' and sql like '%on conflict%'`;

const OWN_FUNCTIONS = `select distinct name as "name" from pragma_function_list where builtin = 0`;

const KINDS: Readonly<Record<string, string>> = {
  view: 'a view',
  virtual: 'a virtual table',
  shadow: "a virtual table's own table",
};

/** What SQLite calls the names of. */
const MAIN = 'main';

export const describeSqlite = async (ask: Ask): Promise<DatabaseDescription> => {
  const columns = await ask(COLUMNS);
  const primaryKeys = primaryKeysOf(columns);
  return describe({
    home: MAIN,
    homeComesFirst: true,
    relations: (await ask(RELATIONS)).map((row) => ({
      schema: text(row.schema),
      name: text(row.name),
      what: whatIs(row),
    })),
    filled: columns.filter(isFilled).map((row) => ({
      schema: MAIN,
      table: text(row.table),
      name: text(row.name),
      onUpdate: isGenerated(row),
    })),
    keys: [...primaryKeys, ...uniqueKeysOf(await ask(UNIQUE_KEYS))],
    foreignKeys: inGroups(await ask(FOREIGN_KEYS)).map((rows) => {
      const [row = {}] = rows;
      const target = text(row.target);
      return {
        schema: MAIN,
        table: text(row.table),
        columns: rows.map(({ column }) => text(column)),
        targetSchema: MAIN,
        target,
        // Without columns it means the primary key.
        targetColumns: rows.some(({ target_column }) => target_column === null)
          ? (primaryKeys.find(({ table }) => table.toLowerCase() === target.toLowerCase())?.columns ?? [])
          : rows.map(({ target_column }) => text(target_column)),
        onDelete: referentialAction(row.on_delete),
        onUpdate: referentialAction(row.on_update),
      };
    }),
    triggered: (await ask(TRIGGERED)).map((row) => ({ schema: MAIN, table: text(row.table) })),
    ownFunctions: (await ask(OWN_FUNCTIONS)).map((row) => text(row.name)),
  });
};

const whatIs = ({ schema, name, type }: Row): string | null => {
  if (text(name).startsWith('sqlite_')) return "one of SQLite's own tables";
  if (schema === 'temp') return TEMPORARY;
  if (schema !== MAIN) return 'a table of an attached database';
  return KINDS[text(type)] ?? null;
};

const isGenerated = ({ hidden }: Row): boolean => hidden === 2 || hidden === 3;

const isFilled = (row: Row): boolean =>
  isGenerated(row) || (typeof row.default === 'string' && row.default.toLowerCase() !== 'null');

const primaryKeysOf = (columns: readonly Row[]): FoundKey[] => {
  const byTable = new Map<string, Row[]>();
  for (const row of columns) {
    if (Number(row.pk) > 0) byTable.set(text(row.table), [...(byTable.get(text(row.table)) ?? []), row]);
  }
  return [...byTable].map(([table, rows]) => ({
    schema: MAIN,
    table,
    columns: rows.sort((one, other) => Number(one.pk) - Number(other.pk)).map(({ name }) => text(name)),
    isPrimary: true,
    isWhole: true,
  }));
};

const uniqueKeysOf = (parts: readonly Row[]): FoundKey[] =>
  inGroups(parts).map((rows) => ({
    schema: MAIN,
    table: text(rows[0]?.table),
    columns: rows.map(({ column }) => text(column)),
    isPrimary: false,
    isWhole: rows.every(
      ({ partial, column, collation }) => partial === 0 && typeof column === 'string' && collation === 'BINARY',
    ),
  }));

const inGroups = (rows: readonly Row[]): Row[][] => {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = JSON.stringify([row.table, row.name]);
    groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  return [...groups.values()];
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
