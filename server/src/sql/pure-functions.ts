import { setOf } from './tokens';

/**
 * Functions that read nothing but the clock or chance. A condition that calls one may select other rows a moment later.
 */
const UNSTABLE = setOf(`
  random rand randomblob setseed uuid uuid_short gen_random_uuid gen_random_bytes uuid_generate_v1 uuid_generate_v4
  uuidv4 uuidv7 now clock_timestamp statement_timestamp transaction_timestamp timeofday sysdate curdate curtime
  current_date current_time current_timestamp localtime localtimestamp utc_date utc_time utc_timestamp
  unix_timestamp unixepoch julianday strftime datetime date time timediff age getdate array_sample array_shuffle
`);

/**
 * Functions that depend only on their arguments, the session or the catalogue, and change nothing. PostgreSQL says that
 * itself of its immutable functions, so the rarer ones are left to be asked for.
 */
const PURE = setOf(
  [
    // Conditions and comparison
    `coalesce nullif ifnull isnull iif if greatest least interval exists any all some not likely unlikely likelihood
   strcmp nvl nvl2 decode field elt default`,
    // Aggregates
    `count sum total min max avg group_concat string_agg array_agg json_agg jsonb_agg json_object_agg
   jsonb_object_agg json_group_array json_group_object jsonb_group_array jsonb_group_object json_arrayagg
   json_objectagg any_value bool_and bool_or every bit_and bit_or bit_xor std stddev stddev_pop stddev_samp variance
   var_pop var_samp mode percentile_cont percentile_disc median grouping`,
    // Text
    `lower upper lcase ucase length len char_length character_length octet_length bit_length trim ltrim rtrim lpad
   rpad substr substring substring_index mid left right replace translate position instr locate concat concat_ws
   reverse repeat space initcap array_to_string format printf quote quote_literal quote_nullable ascii char chr
   unicode hex unhex encode to_base64 from_base64 md5 sha sha1 sha2 crc32 digest hmac soundex difference metaphone
   dmetaphone levenshtein similarity word_similarity strict_word_similarity show_trgm unaccent regexp_replace
   regexp_like regexp_instr regexp_substr glob like regexp match insert find_in_set make_set export_set
   weight_string convert convert_from convert_to ord oct conv bin format_bytes collate charset collation`,
    // Numbers
    `abs ceil ceiling floor round trunc truncate mod div power pow sqrt exp ln log log2 log10 sign pi degrees
   radians sin cos tan cot asin acos atan atan2 sinh cosh tanh asinh acosh atanh bit_count setbit to_number`,
    // Dates
    `date_trunc date_part extract to_char to_date to_timestamp make_timestamptz year month day hour minute second
   microsecond quarter week weekday weekofyear yearweek dayname dayofmonth dayofweek dayofyear monthname last_day
   date_add date_sub adddate subdate addtime subtime datediff timestampdiff timestampadd timestamp date_format
   time_format str_to_date from_unixtime from_days to_days to_seconds sec_to_time time_to_sec makedate maketime
   period_add period_diff convert_tz timezone get_format`,
    // JSON
    `json jsonb json_extract jsonb_extract json_unquote json_quote json_value json_query json_exists json_contains
   json_contains_path json_overlaps json_search json_keys json_length json_depth json_type json_valid json_pretty
   json_storage_size json_array json_object json_set json_insert json_replace json_remove json_patch json_merge
   json_merge_patch json_merge_preserve json_array_append json_array_insert json_array_length json_error_position
   json_each jsonb_each json_tree jsonb_tree json_build_array json_build_object jsonb_build_array jsonb_build_object
   jsonb_object jsonb_array jsonb_set jsonb_insert jsonb_replace jsonb_remove jsonb_patch to_json to_jsonb
   row_to_json array_to_json json_populate_record jsonb_populate_record json_populate_recordset
   jsonb_populate_recordset json_to_record jsonb_to_record json_to_recordset jsonb_to_recordset json_compact
   json_detailed json_loose json_normalize jsonb_path_query jsonb_path_query_first json_equals
   json_table columns`,
    // Arrays, rows, sets of values
    `array row unnest generate_series`,
    // Windows
    `row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value`,
    // Full-text search
    `to_tsvector to_tsquery plainto_tsquery phraseto_tsquery websearch_to_tsquery ts_headline bm25 highlight snippet
   matchinfo offsets against`,
    // Types, which look like calls in cast(… as decimal(10, 2)) and convert(…, char(8))
    `cast try_cast typeof pg_typeof char nchar varchar varying character text binary varbinary blob decimal dec
   numeric number float double real int integer smallint bigint tinyint mediumint bit boolean timestamptz timetz
   signed unsigned vector halfvec geometry geography`,
    // Places
    `point st_point st_makepoint st_setsrid st_srid st_x st_y st_distance st_distance_sphere st_distancesphere
   st_dwithin st_within st_contains st_intersects st_covers st_geomfromtext st_geogfromtext st_geomfromgeojson
   st_asgeojson st_astext st_makeenvelope st_transform st_buffer st_area st_length`,
    // Network addresses, UUIDs
    `host inet inet_aton inet_ntoa inet6_aton inet6_ntoa uuid_to_bin bin_to_uuid is_uuid uuid_extract_timestamp`,
    // The session and the catalogue
    `version sqlite_version sqlite_source_id database schema current_database current_schema current_schemas
   current_user session_user system_user user current_role pg_postmaster_start_time pg_sleep sleep benchmark
   format_type obj_description col_description shobj_description to_regclass to_regtype to_regnamespace
   pg_get_constraintdef pg_get_indexdef pg_get_expr pg_get_viewdef pg_get_functiondef pg_get_serial_sequence
   pg_get_userbyid pg_table_is_visible pg_type_is_visible pg_encoding_to_char pg_column_size has_table_privilege
   has_schema_privilege has_database_privilege pragma_table_info pragma_table_xinfo pragma_table_list
   pragma_index_list pragma_index_info pragma_index_xinfo pragma_foreign_key_list pragma_database_list
   pragma_compile_options`,
  ].join(' '),
);

/**
 * Functions that touch no row, and whose result comes from no table but from the session, the connection or the disk:
 * it may change without a write.
 */
const OUTSIDE = setOf(`
  current_setting last_insert_id last_insert_rowid changes total_changes row_count found_rows connection_id pg_backend_pid
  txid_current txid_current_if_assigned pg_current_xact_id pg_relation_size pg_total_relation_size pg_table_size
  pg_indexes_size pg_database_size pg_is_in_recovery inet_client_addr inet_client_port inet_server_addr inet_server_port
  pg_advisory_lock pg_advisory_lock_shared pg_advisory_xact_lock pg_advisory_xact_lock_shared pg_advisory_unlock
  pg_advisory_unlock_shared pg_advisory_unlock_all pg_try_advisory_lock pg_try_advisory_lock_shared
  pg_try_advisory_xact_lock pg_try_advisory_xact_lock_shared get_lock release_lock release_all_locks is_free_lock
  is_used_lock set_config pg_notify
`);

/** Keywords that may stand before a bracket without calling anything: `in (…)`, `values (…)`. */
export const NOT_CALLS = setOf(`
  and or not in exists any all some as on using by when then else case select distinct from where having values
  group partition union intersect except limit offset fetch returning set between like ilike similar is end
  lateral only cube rollup join straight_join escape div xor regexp rlike
`);

/**
 * The possible effects of calling a function. `unstable` functions are pure, except that they depend on the time or on
 * chance; `outside` ones depend on what is in no table. Any function that is not listed here is `unknown`: it may
 * write, and so may have changed everything. Names are in lower case, to which unquoted names are folded.
 */
export const purityOf = (name: string): 'pure' | 'unstable' | 'outside' | 'unknown' => {
  if (PURE.has(name)) return 'pure';
  if (UNSTABLE.has(name)) return 'unstable';
  return OUTSIDE.has(name) ? 'outside' : 'unknown';
};

/** Whether a keyword is an unstable function that needs no brackets, such as `current_timestamp`. */
export const isUnstableKeyword = (keyword: string): boolean =>
  /^(?:current_|local|utc_)/.test(keyword) && UNSTABLE.has(keyword);
