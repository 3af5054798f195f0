import type { Row } from './column-value';
import { describe, referentialAction, type Ask, type DatabaseDescription, type FoundKey } from './database-description';

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
    relations: (await ask(RELATIONS)).map((row) => ({
      schema: text(row.schema),
      name: text(row.name),
      what: whatIs(row),
    })),
    filled: (await ask(FILLED)).map((row) => ({
      schema: text(row.schema),
      table: text(row.table),
      name: text(row.name),
      onUpdate: /on update|generated|virtual|persistent|stored/i.test(
        text(row.extra).replace(/default_generated/i, ''),
      ),
    })),
    keys: keysOf(await ask(KEYS)),
    foreignKeys: inGroups(await ask(FOREIGN_KEYS)).map((rows) => {
      const [row = {}] = rows;
      return {
        schema: text(row.schema),
        table: text(row.table),
        columns: rows.map(({ column }) => text(column)),
        targetSchema: text(row.target_schema),
        target: text(row.target),
        targetColumns: rows.map(({ target_column }) => text(target_column)),
        onDelete: referentialAction(row.on_delete),
        onUpdate: referentialAction(row.on_update),
      };
    }),
    triggered: (await ask(TRIGGERED)).map((row) => ({ schema: text(row.schema), table: text(row.table) })),
    ownFunctions: (await ask(OWN_FUNCTIONS)).map((row) => text(row.name)),
  });
};

const whatIs = ({ type, engine }: Row): string | null => {
  if (text(type) !== 'BASE TABLE') return `a ${text(type).toLowerCase()}`;
  // The others' rows are elsewhere, or do not take part in transactions.
  return ENGINES.has(text(engine).toLowerCase()) ? null : `a table of the engine ${text(engine)}`;
};

const keysOf = (parts: readonly Row[]): FoundKey[] =>
  inGroups(parts).map((rows) => ({
    schema: text(rows[0]?.schema),
    table: text(rows[0]?.table),
    columns: rows.map(({ column }) => text(column)),
    isPrimary: text(rows[0]?.name) === 'PRIMARY',
    // A prefix of a text, or an expression.
    isWhole: rows.every(({ part, column }) => part === null && typeof column === 'string'),
  }));

/** Rows of one key each, in the order of its columns. */
const inGroups = (rows: readonly Row[]): Row[][] => {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = JSON.stringify([row.schema, row.table, row.name]);
    groups.set(group, [...(groups.get(group) ?? []), row]);
  }
  return [...groups.values()];
};

/** Some versions answer names as bytes. */
const text = (value: unknown): string =>
  typeof value === 'string' ? value : Buffer.isBuffer(value) ? value.toString() : '';
