import { textLookups } from './look-up-columns';

/** Collations that tell all letters from A to Z apart. Those of some languages do not: v and w, i and y. (A `?` would be a binding.) */
const PLAIN_COLLATIONS = [
  '^[a-z0-9]+_(nopad_|)bin$',
  '^[a-z0-9]+_general(_nopad|_mysql500|)_c[is]$',
  '^[a-z0-9]+_unicode(_520|)(_nopad|)_ci$',
  '^[a-z0-9]+_0900_(ai_ci|as_ci|as_cs|bin)$',
  '^[a-z0-9]+_uca1400(_nopad|)_a[is]_c[is]$',
  '^latin1_swedish(_nopad|)_ci$',
].join('|');

/** The queries that ask MySQL and MariaDB about themselves. Some versions return bytes instead of text. */
export const MYSQL = {
  home: 'select database() as home',

  /** Rows of tables of other engines are stored elsewhere, or do not take part in transactions. */
  relations: `
    select table_schema as \`schema\`, table_name as name, case
        when table_type <> 'BASE TABLE' then concat('a ', lower(convert(table_type using utf8mb4)))
        when lower(convert(engine using utf8mb4)) in ('innodb', 'rocksdb', 'tokudb') then null
        else concat('a table of the engine ', coalesce(engine, ''))
      end as what
    from information_schema.tables where table_schema = database()`,

  /**
   * NOT NULL columns without a default count as well: in a session that is not strict, such a column gets 0 or ''.
   * MariaDB returns the default null as text.
   */
  filled: `
    select table_schema as \`schema\`, table_name as \`table\`, column_name as name,
      replace(lower(convert(extra using utf8mb4)), 'default_generated', '')
        regexp 'on update|generated|virtual|persistent|stored' as on_update
    from information_schema.columns
    where table_schema = database()
      and (is_nullable = 'NO' or extra <> '' or (column_default is not null and upper(column_default) <> 'NULL'))`,

  /**
   * Keys over a prefix of a text or over an expression are not whole. Where a column is invisible, a row cannot be told by
   * what `select *` shows of it, so the primary key is left out.
   */
  keys: `
    select s.table_schema as \`schema\`, s.table_name as \`table\`, s.index_name as name, s.column_name as \`column\`,
      s.index_name = 'PRIMARY' as is_primary, s.sub_part is null and s.column_name is not null as is_whole
    from information_schema.statistics s
    where s.table_schema = database() and s.non_unique = 0
      and not (s.index_name = 'PRIMARY' and s.table_name in (
        select c.table_name from information_schema.columns c
        where c.table_schema = database() and lower(convert(c.extra using utf8mb4)) like '%invisible%'))
    order by s.seq_in_index`,

  foreignKeys: `
    select k.table_schema as \`schema\`, k.table_name as \`table\`, k.constraint_name as name, k.column_name as \`column\`,
      k.referenced_table_schema as target_schema, k.referenced_table_name as target,
      k.referenced_column_name as target_column, r.delete_rule as on_delete, r.update_rule as on_update
    from information_schema.key_column_usage k
      join information_schema.referential_constraints r
        on r.constraint_schema = k.constraint_schema and r.constraint_name = k.constraint_name
          and r.table_name = k.table_name
    where k.referenced_table_name is not null and (k.table_schema = database() or k.referenced_table_schema = database())
    order by k.ordinal_position`,

  /**
   * Where a session is not strict, and with IGNORE, values are made to fit. Of other types than these (enum, year, float,
   * dates …) no number has one spelling, nor has a text in the collations of languages that take two letters for one.
   */
  lookUps: `
    select table_schema as \`schema\`, table_name as \`table\`, column_name as name, collation_name is not null as is_text,
      character_maximum_length as longest, case lower(convert(data_type using utf8mb4))
        when 'tinyint' then 8 when 'smallint' then 16 when 'mediumint' then 24 when 'int' then 32 when 'bigint' then 64
      end as bits,
      lower(convert(column_type using utf8mb4)) like '%unsigned%' as is_unsigned, is_nullable = 'NO' as never_null
    from information_schema.columns
    where table_schema = database()
      and (lower(column_name) in ('id', ${textLookups}) or lower(column_name) like '%\\_id')
      and (lower(convert(data_type using utf8mb4)) in ('tinyint', 'smallint', 'mediumint', 'int', 'bigint')
        or (lower(convert(data_type using utf8mb4)) in ('char', 'varchar', 'tinytext', 'text', 'mediumtext', 'longtext')
          and collation_name regexp '${PLAIN_COLLATIONS}'))`,

  triggered: `
    select distinct event_object_schema as \`schema\`, event_object_table as \`table\`
    from information_schema.triggers where event_object_schema = database()`,

  ownFunctions: `
    select distinct routine_name as name from information_schema.routines where routine_type = 'FUNCTION'`,
};
