import { textLookups } from './look-up-columns';

/** Leaves out system schemas, and those of temporary tables, of which each connection has its own. */
const OWN_SCHEMAS = `n.nspname <> 'information_schema' and n.nspname not like 'pg\\_%'`;

/** Whether the function `p` belongs to an extension. */
const IS_OF_EXTENSION = `exists (
      select from pg_catalog.pg_depend e
      where e.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and e.objid = p.oid and e.deptype = 'e')`;

/** The queries that ask PostgreSQL about itself. */
export const POSTGRES = {
  home: 'select current_schema()::text as home',

  /**
   * A policy of row security may read other tables, or depend on who is connected. Statements are analysed in lower
   * case, so columns whose names differ only in case would be taken for one.
   */
  relations: `
    select n.nspname::text as schema, c.relname::text as name, case
        when c.relkind = 'p' then 'a partitioned table'
        when c.relkind = 'v' then 'a view'
        when c.relkind = 'm' then 'a materialised view'
        when c.relkind = 'f' then 'a foreign table'
        when c.relkind = 'S' then 'a sequence'
        when exists (select from pg_catalog.pg_inherits i where c.oid in (i.inhrelid, i.inhparent))
          then 'a table that inherits, is inherited or is a partition'
        when row_security_active(c.oid) then 'a table with row security'
        when exists (
          select from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
          group by lower(a.attname) having count(*) > 1)
          then 'a table with columns whose names differ only in upper and lower case'
      end as what
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S') and ${OWN_SCHEMAS}`,

  /** The default of a domain counts as the default of its columns. */
  filled: `
    select n.nspname::text as schema, c.relname::text as table, a.attname::text as name, a.attgenerated <> '' as on_update
    from pg_catalog.pg_attribute a
      join pg_catalog.pg_class c on c.oid = a.attrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      join pg_catalog.pg_type t on t.oid = a.atttypid
      left join pg_catalog.pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p') and ${OWN_SCHEMAS}
      and (a.attidentity <> '' or t.typdefault is not null
        or (d.oid is not null and pg_get_expr(d.adbin, d.adrelid) !~* '^null(::|$)'))`,

  /**
   * An index over a part of the rows, over an expression or in another collation than its column is not whole, nor is
   * an exclusion constraint. Where rows may not be selected and locked, keys to find them by are of no use: a failed
   * query would abort the application's transaction.
   */
  keys: `
    select n.nspname::text as schema, c.relname::text as table, x.indexrelid::text as name, a.attname::text as column,
      x.indisprimary as is_primary,
      x.indisunique and not x.indisexclusion and x.indpred is null and a.attname is not null
        and k.coll = a.attcollation as is_whole
    from pg_catalog.pg_index x
      join pg_catalog.pg_class c on c.oid = x.indrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      cross join unnest(x.indkey[0:x.indnkeyatts - 1], x.indcollation[0:x.indnkeyatts - 1])
        with ordinality k (num, coll, place)
      left join pg_catalog.pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.num
    where (x.indisunique or x.indisexclusion) and c.relkind in ('r', 'p') and ${OWN_SCHEMAS}
      and has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'update')
    order by k.place`,

  foreignKeys: `
    select n.nspname::text as schema, c.relname::text as table, f.oid::text as name, a.attname::text as column,
      tn.nspname::text as target_schema, t.relname::text as target, ta.attname::text as target_column,
      f.confdeltype::text as on_delete, f.confupdtype::text as on_update
    from pg_catalog.pg_constraint f
      join pg_catalog.pg_class c on c.oid = f.conrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      join pg_catalog.pg_class t on t.oid = f.confrelid
      join pg_catalog.pg_namespace tn on tn.oid = t.relnamespace
      cross join unnest(f.conkey, f.confkey) with ordinality k (num, target, place)
      join pg_catalog.pg_attribute a on a.attrelid = f.conrelid and a.attnum = k.num
      join pg_catalog.pg_attribute ta on ta.attrelid = f.confrelid and ta.attnum = k.target
    where f.contype = 'f'
    order by k.place`,

  /**
   * Values of other types (addresses, UUIDs, dates, rounded numbers) may be equal although they are spelled differently.
   * So may texts in some collations.
   */
  lookUps: `
    select n.nspname::text as schema, c.relname::text as table, a.attname::text as name,
      t.typname in ('varchar', 'text', 'bpchar', 'citext') as is_text,
      case t.typname when 'int2' then 16 when 'int4' then 32 end as bits
    from pg_catalog.pg_attribute a
      join pg_catalog.pg_class c on c.oid = a.attrelid
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
      join pg_catalog.pg_type t on t.oid = a.atttypid
      join pg_catalog.pg_namespace tn on tn.oid = t.typnamespace
      left join pg_catalog.pg_collation l on l.oid = a.attcollation
    where a.attnum > 0 and not a.attisdropped and c.relkind in ('r', 'p') and ${OWN_SCHEMAS}
      and (lower(a.attname) in ('id', ${textLookups}) or lower(a.attname) like '%\\_id')
      and l.collisdeterministic is not false and (t.typname = 'citext' or tn.nspname = 'pg_catalog')
      and (t.typname in ('varchar', 'text', 'bpchar', 'citext', 'int2', 'int4', 'int8', 'float8')
        or (t.typname = 'numeric' and a.atttypmod = -1))`,

  triggered: `
    select n.nspname::text as schema, c.relname::text as table
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p') and ${OWN_SCHEMAS}
      and (exists (
          select from pg_catalog.pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal and g.tgenabled <> 'D')
        or exists (select from pg_catalog.pg_rewrite r where r.ev_class = c.oid and r.rulename <> '_RETURN'))`,

  /** Functions called by a default or a check of a column or of its domain. */
  calling: `
    select n.nspname::text as schema, c.relname::text as table, lower(p.proname)::text as name
    from pg_catalog.pg_depend d
      join pg_catalog.pg_proc p on p.oid = d.refobjid and p.provolatile <> 'i'
      join pg_catalog.pg_namespace pn on pn.oid = p.pronamespace and pn.nspname <> 'pg_catalog'
      left join pg_catalog.pg_attrdef f on f.oid = d.objid and d.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass
      left join pg_catalog.pg_constraint k
        on k.oid = d.objid and d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass
      left join pg_catalog.pg_type t
        on t.oid in (d.objid, k.contypid)
          and (t.oid = k.contypid or d.classid = 'pg_catalog.pg_type'::pg_catalog.regclass)
      left join pg_catalog.pg_attribute a on a.atttypid = t.oid and not a.attisdropped
      join pg_catalog.pg_class c on c.oid in (f.adrelid, k.conrelid, a.attrelid) and c.relkind in ('r', 'p')
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass and ${OWN_SCHEMAS} and not ${IS_OF_EXTENSION}`,

  ownFunctions: `
    select distinct p.proname::text as name,
      p.pronargs = 1 and exists (select from pg_catalog.pg_class c where c.reltype = p.proargtypes[0]) as of_row
    from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
    where ${OWN_SCHEMAS} and not ${IS_OF_EXTENSION}`,
};
