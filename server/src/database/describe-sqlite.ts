import type { Row } from '../sql/column-value';
import { describe, TEMPORARY, type Ask, type DatabaseDescription, type FoundKey } from './database-description';
import { columnsIn, columnsOf, foreignKeyOf, keysIn, namesIn, relationsIn, tableOf, text } from './found-rows';

const RELATIONS = `select schema as "schema", name as "name", type as "type" from pragma_table_list`;

/** Plain tables of the main database: what has virtual columns of its own may need a module that is not there. */
const TABLES = `pragma_table_list l where l.schema = 'main' and l.type = 'table' and l.name not like 'sqlite\\_%' escape '\\'`;

const COLUMNS = `
  select 'main' as "schema", l.name as "table", x.name as "name", x.dflt_value as "default", x.hidden as "hidden", x.pk as "pk"
  from (select l.name from ${TABLES}) l, pragma_table_xinfo(l.name) x`;

const UNIQUE_KEYS = `
  select 'main' as "schema", l.name as "table", i.name as "name", i.partial as "partial", c.name as "column", c.coll as "collation"
  from (select l.name from ${TABLES}) l, pragma_index_list(l.name) i, pragma_index_xinfo(i.name) c
  where i."unique" = 1 and i.origin <> 'pk' and c.key = 1
  order by l.name, i.name, c.seqno`;

const FOREIGN_KEYS = `
  select 'main' as "schema", l.name as "table", f.id as "name", f."from" as "column",
    'main' as "target_schema", f."table" as "target", f."to" as "target_column",
    f.on_delete as "on_delete", f.on_update as "on_update"
  from (select l.name from ${TABLES}) l, pragma_foreign_key_list(l.name) f
  order by l.name, f.id, f.seq`;

/** A trigger of this connection alone may be about any table. A key may replace or ignore rows without being asked. */
const TRIGGERED = `
  select 'main' as "schema", tbl_name as "table" from sqlite_master where type = 'trigger'
  union select 'main', tbl_name from sqlite_temp_master where type = 'trigger'
  union select 'main', name from sqlite_master where type = 'table' and sql like '%on conflict%'`;

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
    relations: relationsIn(await ask(RELATIONS), whatIs),
    filled: columnsIn(columns.filter(isFilled), isGenerated),
    keys: [
      ...primaryKeys,
      ...keysIn(await ask(UNIQUE_KEYS), (row, parts) => ({
        ...tableOf(row),
        columns: columnsOf(parts),
        isPrimary: false,
        isWhole: parts.every(
          ({ partial, column, collation }) => partial === 0 && typeof column === 'string' && collation === 'BINARY',
        ),
      })),
    ],
    foreignKeys: keysIn(await ask(FOREIGN_KEYS), (row, parts) => {
      const target = text(row.target).toLowerCase();
      // Without columns it means the primary key.
      const targetColumns = parts.some(({ target_column }) => target_column === null)
        ? (primaryKeys.find(({ table }) => table.toLowerCase() === target)?.columns ?? [])
        : columnsOf(parts, 'target_column');
      return foreignKeyOf(row, columnsOf(parts), targetColumns);
    }),
    triggered: (await ask(TRIGGERED)).map(tableOf),
    ownFunctions: namesIn(await ask(OWN_FUNCTIONS)),
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

/** `pk` is a column's place in the primary key, from 1; 0 where it has none. */
const primaryKeysOf = (columns: readonly Row[]): FoundKey[] =>
  keysIn(
    columns
      .filter(({ pk }) => Number(pk) > 0)
      .sort((one, other) => Number(one.pk) - Number(other.pk))
      .map(({ name, ...row }) => ({ ...row, column: name })),
    (row, parts) => ({ ...tableOf(row), columns: columnsOf(parts), isPrimary: true, isWhole: true }),
  );
