import { textLookups } from './look-up-columns';

/** Plain tables of the main database: asking for the columns of a virtual table may need a module that is not there. */
const TABLES = `(
  select l.name from pragma_table_list l
  where l.schema = 'main' and l.type = 'table' and l.name not like 'sqlite\\_%' escape '\\')`;

/** The queries that ask SQLite about itself. */
export const SQLITE = {
  home: `select 'main' as "home"`,

  relations: `
    select schema as "schema", name as "name", case
        when name like 'sqlite\\_%' escape '\\' then 'one of SQLite''s own tables'
        when schema = 'temp' then 'a temporary table'
        when schema <> 'main' then 'a table of an attached database'
        when type = 'view' then 'a view'
        when type = 'virtual' then 'a virtual table'
        when type = 'shadow' then 'a virtual table''s own table'
      end as "what"
    from pragma_table_list`,

  filled: `
    select 'main' as "schema", l.name as "table", x.name as "name", x.hidden in (2, 3) as "on_update"
    from ${TABLES} l, pragma_table_xinfo(l.name) x
    where x.hidden in (2, 3) or lower(x.dflt_value) <> 'null'`,

  /** A key that does not compare byte by byte is not whole. */
  keys: `
    select 'main' as "schema", l.name as "table", null as "name", x.name as "column", 1 as "is_primary", 1 as "is_whole",
      x.pk as place
    from ${TABLES} l, pragma_table_xinfo(l.name) x where x.pk > 0
    union all
    select 'main', l.name, i.name, c.name, 0, i.partial = 0 and c.name is not null and c.coll = 'BINARY', c.seqno
    from ${TABLES} l, pragma_index_list(l.name) i, pragma_index_xinfo(i.name) c
    where i."unique" = 1 and i.origin <> 'pk' and c.key = 1
    order by place`,

  /** A foreign key that names no target columns refers to the primary key. */
  foreignKeys: `
    select 'main' as "schema", l.name as "table", f.id as "name", f."from" as "column",
      'main' as "target_schema", f."table" as "target",
      coalesce(f."to", (select x.name from pragma_table_xinfo(f."table") x where x.pk = f.seq + 1)) as "target_column",
      f.on_delete as "on_delete", f.on_update as "on_update"
    from ${TABLES} l, pragma_foreign_key_list(l.name) f
    order by f.seq`,

  /** Text affinity, by the rules of https://www.sqlite.org/datatype3.html#determination_of_column_affinity. */
  lookUps: `
    select 'main' as "schema", l.name as "table", x.name as "name", x.type not like '%int%'
        and (x.type like '%char%' or x.type like '%clob%' or x.type like '%text%') as "is_text"
    from ${TABLES} l, pragma_table_xinfo(l.name) x
    where lower(x.name) in ('id', ${textLookups}) or x.name like '%\\_id' escape '\\'`,

  /**
   * A temporary trigger, which only this connection has, may be on any table. A key with ON CONFLICT may replace or
   * ignore rows without the statement saying so. Any white space or comment may stand between the two words.
   */
  triggered: `
    select 'main' as "schema", tbl_name as "table" from sqlite_master where type = 'trigger'
    union select 'main', tbl_name from sqlite_temp_master where type = 'trigger'
    union select 'main', name from sqlite_master where type = 'table' and sql like '%conflict%'`,

  ownFunctions: `select distinct name as "name" from pragma_function_list where builtin = 0`,
};
