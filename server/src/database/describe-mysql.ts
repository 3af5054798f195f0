import type { Row } from '../sql/column-value';
import { describe, type Ask, type DatabaseDescription } from './database-description';
import { columnsIn, columnsOf, foreignKeyOf, keysIn, namesIn, relationsIn, tableOf, text } from './found-rows';

const RELATIONS = `
  select table_schema as \`schema\`, table_name as name, table_type as type, engine as engine
  from information_schema.tables where table_schema = database()`;

/**
 * NOT NULL without a default counts as well: in a session that is not strict such a column gets 0 or ''. MariaDB writes
 * the default null as text.
 */
const FILLED = `
  select table_schema as \`schema\`, table_name as \`table\`, column_name as name, extra as extra
  from information_schema.columns
  where table_schema = database()
    and (is_nullable = 'NO' or extra <> '' or (column_default is not null and upper(column_default) <> 'NULL'))`;

const KEYS = `
  select table_schema as \`schema\`, table_name as \`table\`, index_name as name, column_name as \`column\`, sub_part as part
  from information_schema.statistics
  where table_schema = database() and non_unique = 0
  order by table_name, index_name, seq_in_index`;

const FOREIGN_KEYS = `
  select k.table_schema as \`schema\`, k.table_name as \`table\`, k.constraint_name as name, k.column_name as \`column\`,
    k.referenced_table_schema as target_schema, k.referenced_table_name as target,
    k.referenced_column_name as target_column, r.delete_rule as on_delete, r.update_rule as on_update
  from information_schema.key_column_usage k
    join information_schema.referential_constraints r
      on r.constraint_schema = k.constraint_schema and r.constraint_name = k.constraint_name
        and r.table_name = k.table_name
  where k.referenced_table_name is not null and (k.table_schema = database() or k.referenced_table_schema = database())
  order by k.table_schema, k.table_name, k.constraint_name, k.ordinal_position`;

const TRIGGERED = `
  select distinct event_object_schema as \`schema\`, event_object_table as \`table\`
  from information_schema.triggers where event_object_schema = database()`;

const OWN_FUNCTIONS = `
  select distinct routine_name as name from information_schema.routines where routine_type = 'FUNCTION'`;

/** Engines that keep a table's rows in that table, and nowhere else. */
const ENGINES: ReadonlySet<string> = new Set(['innodb', 'rocksdb', 'tokudb']);

export const describeMysql = async (ask: Ask): Promise<DatabaseDescription> => {
  const [session] = await ask('select database() as home');
  return describe({
    home: text(session?.home),
    homeComesFirst: true,
    relations: relationsIn(await ask(RELATIONS), whatIs),
    filled: columnsIn(await ask(FILLED), isFilledOnUpdate),
    keys: keysIn(await ask(KEYS), (row, parts) => ({
      ...tableOf(row),
      columns: columnsOf(parts),
      isPrimary: text(row.name) === 'PRIMARY',
      // A prefix of a text, or an expression.
      isWhole: parts.every(({ part, column }) => part === null && typeof column === 'string'),
    })),
    foreignKeys: keysIn(await ask(FOREIGN_KEYS), (row, parts) =>
      foreignKeyOf(row, columnsOf(parts), columnsOf(parts, 'target_column')),
    ),
    triggered: (await ask(TRIGGERED)).map(tableOf),
    ownFunctions: namesIn(await ask(OWN_FUNCTIONS)),
  });
};

const whatIs = ({ type, engine }: Row): string | null => {
  if (text(type) !== 'BASE TABLE') return `a ${text(type).toLowerCase()}`;
  // The others' rows are elsewhere, or do not take part in transactions.
  return ENGINES.has(text(engine).toLowerCase()) ? null : `a table of the engine ${text(engine)}`;
};

const isFilledOnUpdate = ({ extra }: Row): boolean =>
  /on update|generated|virtual|persistent|stored/i.test(text(extra).replace(/default_generated/i, ''));
