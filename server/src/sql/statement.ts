/** One statement as it goes to the database. */
export interface Query {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

/**
 * A value as a statement names it: the n-th binding (counted from 0; mysql2 expands an array to a list), or a literal
 * written into the text.
 */
export type Operand = { readonly binding: number } | { readonly literal: string | number | boolean | null };

/** A column of one of the statement's sources, named by the source's alias (the table name where it has none). */
export interface ColumnReference {
  readonly alias: string;
  readonly column: string;
}

/** `alias.column = ?` or `alias.column in (?, …)`, required of every row (a top-level AND conjunct). */
export interface EqualityKey {
  readonly column: string;
  readonly values: readonly Operand[];
}

/**
 * One table reference in FROM or JOIN. Names are in lower case throughout, columns as well as tables: compare with
 * images of rows likewise.
 */
export interface Source {
  /** Unquoted, without schema. */
  readonly table: string;
  readonly alias: string;
  /**
   * The source is the right side of a LEFT JOIN, and no condition requires a row of it. Rows of the other sources are
   * there without one of this source, so its `keys` and `joins` restrict only its own rows.
   */
  readonly optional: boolean;
  /** Only rows that satisfy all of `keys`, `isNull` and `isNotNull` can influence the result. */
  readonly keys: readonly EqualityKey[];
  /** Columns that are required to be null, or not to be null, in every row (top-level AND conjuncts). */
  readonly isNull: readonly string[];
  readonly isNotNull: readonly string[];
  /**
   * Every other column that decides which rows there are and in which order: those in the rest of WHERE and ON, in
   * GROUP BY and ORDER BY, and those shown by DISTINCT. A column of `keys` is repeated here only if the result is
   * sorted by it; one of `isNull`, `isNotNull` or `joins` only if it decides something else as well.
   */
  readonly filters: readonly string[];
  /**
   * Columns of ORDER BY, in order; each is in `filters` too, even if it is a key. A read that sorts by an expression is
   * opaque, unless the expression is an alias in an aggregated read.
   */
  readonly sort: readonly string[];
  /** The columns that the result shows, aggregated or not: all, those named, or (empty) none. */
  readonly output: 'all' | readonly string[];
  /** The result shows a column under an alias, which may be the name of another column. */
  readonly renames: boolean;
  /** `id` decides more than the order of the result. */
  readonly comparesId: boolean;
  /** `output` names `id` for more than `count(id)`, which only says how many rows there are. */
  readonly showsId: boolean;
  /**
   * The property of the result that certainly holds this source's `id`. If it is `undefined`, it is not known which
   * rows of this source were returned, so every change of a column in `output` may change the result.
   */
  readonly idProperty: string | undefined;
}

/** A SELECT whose shape is understood: one level, plain joins. */
export interface PlainRead {
  readonly kind: 'read';
  readonly shape: 'plain';
  readonly sources: readonly Source[];
  /** Every table the statement names; a table may occur twice. */
  readonly tables: readonly string[];
  /**
   * `a.x = b.y`, from ON of inner and left joins and top-level AND conjuncts of WHERE. Required of every row that has
   * a row of both sources; of every row, if neither is `optional`.
   */
  readonly joins: ReadonlyArray<readonly [ColumnReference, ColumnReference]>;
  /**
   * There is a LIMIT or OFFSET: which rows are returned depends on their order. Where ORDER BY leaves the order open,
   * the database chooses it, and any column of any source may influence that.
   */
  readonly limited: boolean;
  /** The number in LIMIT, without an OFFSET; `undefined` if there is none, or if it is not known. */
  readonly limit: Operand | undefined;
  /**
   * There is an aggregate such as count(*), or a GROUP BY: every matching row counts, whether it is returned or not.
   */
  readonly aggregated: boolean;
}

/**
 * Any other SELECT: with sub-queries, unions, window functions, brackets around joins, or columns that cannot be
 * assigned to a source.
 */
export interface OpaqueRead {
  readonly kind: 'read';
  readonly shape: 'opaque';
  /** Every table the statement names, at any depth. */
  readonly tables: readonly string[];
}

/**
 * Selects the rows that an UPDATE or DELETE concerns, by the statement's own condition, so that images can be taken.
 */
export interface Condition {
  /** `<table reference as written> where …`, with `?` placeholders, to be appended to `select * from`. */
  readonly from: string;
  /** Which of the statement's bindings `from` takes, in order. */
  readonly bindings: readonly number[];
  /** Bindings of conjuncts `1 = ?`, as which knex writes an empty list: if one of them is 0, no row is concerned. */
  readonly switches: readonly number[];
  /** Which rows are selected depends on other rows as well: in a sub-query, or in another table. */
  readonly asksOthers: boolean;
}

interface WriteTo {
  readonly kind: 'write';
  readonly table: string;
  /** Every table the statement also reads (insert … select, sub-queries, joins). */
  readonly reads: readonly string[];
  /** The columns of a RETURNING clause: the primary key `id` alone, or anything else of the rows. */
  readonly returning: 'id' | 'rows' | undefined;
}

export interface Insert extends WriteTo {
  readonly verb: 'insert';
  /** For each row its columns; `undefined` where the rows are not known (insert … select, default values). */
  readonly rows: ReadonlyArray<Readonly<Record<string, Operand | undefined>>> | undefined;
  /**
   * The effect of a row that is there already: nothing is inserted (IGNORE, DO NOTHING), the row is updated (ON
   * DUPLICATE KEY, DO UPDATE), or deleted (REPLACE). `undefined` if that is an error.
   */
  readonly conflict: 'ignore' | 'update' | 'replace' | undefined;
}

export interface Update extends WriteTo {
  readonly verb: 'update';
  /** Assigned columns; the operand is `undefined` where an expression is assigned. */
  readonly set: Readonly<Record<string, Operand | undefined>>;
  /**
   * `undefined` where the condition cannot be reused (joins, FROM, LIMIT, now() or random(), CTEs, no WHERE: all rows).
   */
  readonly condition: Condition | undefined;
}

export interface Delete extends WriteTo {
  readonly verb: 'delete';
  readonly condition: Condition | undefined;
}

/** A write of which only the tables are known: MERGE, writes inside CTEs, multi-table writes. */
export interface OpaqueWrite extends WriteTo {
  readonly verb: 'opaque';
  /** Every table written, `table` first. */
  readonly tables: readonly string[];
}

export type Read = PlainRead | OpaqueRead;
export type Write = Insert | Update | Delete | OpaqueWrite;

/** The effect of one SQL text, as far as caching is concerned. Derived once per distinct text. */
export type Statement =
  | Read
  | Write
  | { readonly kind: 'begin' | 'commit' | 'rollback' }
  | { readonly kind: 'savepoint' | 'release' | 'rollback-to'; readonly name: string }
  /** Session settings and introspection: SET, SHOW, PRAGMA, EXPLAIN, DISCARD, LISTEN …; touches no row. */
  | { readonly kind: 'neutral' }
  /**
   * A statement that calls functions of which only the database knows what they do, or a SELECT that reads something in
   * no table (`outside`): a variable, a property of the connection, the size of a table. `main` is the rest of what it
   * does.
   */
  | {
      readonly kind: 'calling';
      readonly functions: readonly string[];
      readonly outside: string | undefined;
      readonly main: Read | Write;
    }
  /**
   * DDL, TRUNCATE, CALL, DO, COPY, VACUUM INTO, several statements, anything not recognised: may have changed
   * everything.
   */
  | { readonly kind: 'unknown' };

/** Every table that a write names as a target. */
export const tablesWritten = (write: Write): readonly string[] =>
  write.verb === 'opaque' ? write.tables : [write.table];
