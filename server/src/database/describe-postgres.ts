import type { Row } from '../sql/column-value';
import { describe, type Ask, type DatabaseDescription } from './database-description';
import { columnsIn, foreignKeyOf, namesIn, relationsIn, tableOf, text } from './found-rows';

/** Not those that hold no application's tables, nor those of temporary tables, of which each connection has its own. */
const OWN_SCHEMAS = `n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'`;

const RELATIONS = `
  select n.nspname::text as schema, c.relname::text as name, c.relkind::text as kind,
    exists (select from pg_catalog.pg_inherits i where c.oid in (i.inhrelid, i.inhparent)) as is_inherited,
    case when c.relkind in ('r', 'p') then row_security_active(c.oid) else false end as is_guarded
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and ${OWN_SCHEMAS}`;

/** A default of a domain counts as its columns' own. */
const FILLED = `
  select n.nspname::text as schema, c.relname::text as table, a.attname::text as name, a.attgenerated <> '' as on_update
  from pg_catalog.pg_attribute a
    join pg_catalog.pg_class c on c.oid = a.attrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_type t on t.oid = a.atttypid
    left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p') and ${OWN_SCHEMAS}
    and (a.attidentity <> '' or t.typdefault is not null
      or (d.oid is not null and pg_get_expr(d.adbin, d.adrelid) !~* '^null(::|$)'))`;

/** An index of a part of the rows, over an expression or in a collation of its own is not whole, nor is an exclusion. */
const KEYS = `
  select n.nspname::text as schema, c.relname::text as table, x.indisprimary as is_primary,
    x.indisunique and not x.indisexclusion and x.indpred is null and x.indexprs is null and not exists (
      select from unnest(x.indkey[0:x.indnkeyatts - 1], x.indcollation[0:x.indnkeyatts - 1]) k (num, coll)
        join pg_catalog.pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.num
      where k.coll <> a.attcollation) as is_whole,
    array(
      select a.attname::text from unnest(x.indkey[0:x.indnkeyatts - 1]) with ordinality k (num, place)
        join pg_catalog.pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.num
      order by k.place) as columns
  from pg_catalog.pg_index x
    join pg_catalog.pg_class c on c.oid = x.indrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where (x.indisunique or x.indisexclusion) and c.relkind in ('r', 'p') and ${OWN_SCHEMAS}`;

const columnsOf = (relation: string, numbers: string): string => `array(
      select a.attname::text from unnest(${numbers}) with ordinality k (num, place)
        join pg_catalog.pg_attribute a on a.attrelid = ${relation} and a.attnum = k.num
      order by k.place)`;

const FOREIGN_KEYS = `
  select n.nspname::text as schema, c.relname::text as table, ${columnsOf('f.conrelid', 'f.conkey')} as columns,
    tn.nspname::text as target_schema, t.relname::text as target,
    ${columnsOf('f.confrelid', 'f.confkey')} as target_columns,
    f.confdeltype::text as on_delete, f.confupdtype::text as on_update
  from pg_catalog.pg_constraint f
    join pg_catalog.pg_class c on c.oid = f.conrelid
    join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    join pg_catalog.pg_class t on t.oid = f.confrelid
    join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace
  where f.contype = 'f'`;

const TRIGGERED = `
  select n.nspname::text as schema, c.relname::text as table
  from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and ${OWN_SCHEMAS}
    and (exists (select from pg_catalog.pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal and g.tgenabled <> 'D')
      or exists (select from pg_catalog.pg_rewrite r where r.ev_class = c.oid and r.rulename <> '_RETURN'))`;

/** Those of extensions are known by their names. */
const OWN_FUNCTIONS = `
  select distinct p.proname::text as name
  from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  where ${OWN_SCHEMAS} and not exists (
    select from pg_catalog.pg_depend d
    where d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objid = p.oid and d.deptype = 'e')`;

const KINDS: Readonly<Record<string, string>> = {
  p: 'a partitioned table',
  v: 'a view',
  m: 'a materialised view',
  f: 'a foreign table',
  S: 'a sequence',
};

/** @param schema the one Strapi is configured to use, if any. */
export const describePostgres = async (ask: Ask, schema: string | undefined): Promise<DatabaseDescription> => {
  const [session] = await ask('select current_schema()::text as home, current_schemas(true)::text[] as path');
  const home = schema ?? text(session?.home);
  const path = texts(session?.path).filter((name) => name !== 'pg_catalog' && !name.startsWith('pg_temp_'));
  return describe({
    home,
    homeComesFirst: path[0] === home,
    relations: relationsIn(await ask(RELATIONS), whatIs),
    filled: columnsIn(await ask(FILLED), ({ on_update }) => on_update === true),
    keys: (await ask(KEYS)).map((row) => ({
      ...tableOf(row),
      columns: texts(row.columns),
      isPrimary: row.is_primary === true,
      isWhole: row.is_whole === true,
    })),
    foreignKeys: (await ask(FOREIGN_KEYS)).map((row) =>
      foreignKeyOf(row, texts(row.columns), texts(row.target_columns)),
    ),
    triggered: (await ask(TRIGGERED)).map(tableOf),
    ownFunctions: namesIn(await ask(OWN_FUNCTIONS)),
  });
};

const whatIs = ({ kind, is_inherited, is_guarded }: Row): string | null => {
  const what = KINDS[text(kind)];
  if (what !== undefined) return what;
  if (is_inherited === true) return 'a table that inherits, is inherited or is a partition';
  // A policy may ask other tables, or who is connected.
  return is_guarded === true ? 'a table with row security' : null;
};

const texts = (value: unknown): string[] => (Array.isArray(value) ? value.map(text) : []);
