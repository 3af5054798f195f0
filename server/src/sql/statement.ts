/** One statement as it goes to the database. */
export interface Query {
  readonly sql: string;
  readonly bindings: readonly unknown[];
}

/**
 * A value as a statement names it: the n-th binding (counted from 0; mysql2 makes a list of an array), or a literal
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
   * The right side of a LEFT JOIN, where no condition demands a row of it: the others' rows are there without it, so
   * its `keys` and `joins` restrict its own rows alone.
   */
  readonly optional: boolean;
  /** Only rows that satisfy all of `keys`, `isNull` and `isNotNull` can influence the result. */
  readonly keys: readonly EqualityKey[];
  /** Columns required to be null, or not to be, of every row (top-level AND conjuncts). */
  readonly isNull: readonly string[];
  readonly isNotNull: readonly string[];
  /**
   * Every other column that decides which rows there are and in which order: the rest of WHERE, ON, GROUP BY, HAVING,
   * ORDER BY, DISTINCT ON. Columns of `keys`, `isNull` and `isNotNull` are not repeated here, nor are those of `joins`
   * that decide nothing else.
   */
  readonly filters: readonly string[];
  /**
   * Columns of ORDER BY, in order; each is in `filters` too, even if it is a key. A read that sorts by expressions is
   * opaque, unless it is aggregated.
   */
  readonly sort: readonly string[];
  /** What the result shows of it, aggregated or not: all columns, the named ones, or (empty) none. */
  readonly output: 'all' | readonly string[];
  /** It shows a column under a name of the statement's own, which may be another column's. */
  readonly renames: boolean;
  /** `id` is in `filters` for more than the order of the result. */
  readonly comparesId: boolean;
  /** `id` is in `output` for more than `count(id)`, which only tells how many rows there are. */
  readonly showsId: boolean;
  /**
   * The result's property that holds this source's `id`, if it is there for certain. Where it is undefined, nobody can
   * tell which rows of this source were returned: whatever changes its `output` changes the result.
   */
  readonly idProperty: string | undefined;
}

/** A SELECT whose shape is understood: one level, plain joins. */
export interface PlainRead {
  readonly kind: 'read';
  readonly shape: 'plain';
  readonly sources: readonly Source[];
  /** Every table it names, some of them perhaps twice. */
  readonly tables: readonly string[];
  /**
   * `a.x = b.y`, from ON of inner and left joins and top-level AND conjuncts of WHERE. Required of every row that has
   * a row of both sources; of every row, if neither is `optional`.
   */
  readonly joins: ReadonlyArray<readonly [ColumnReference, ColumnReference]>;
  /**
   * LIMIT, OFFSET or FETCH is there: which rows are returned depends on the order. Where that is not total, it is up to
   * the database, and any column of any source may sway it.
   */
  readonly limited: boolean;
  /** An aggregate such as count(*) is shown: every matching row counts, whether it is returned or not. */
  readonly aggregated: boolean;
}

/** Any other SELECT: others within it, windows, brackets around joins, columns that cannot be assigned to a source. */
export interface OpaqueRead {
  readonly kind: 'read';
  readonly shape: 'opaque';
  /** Every table it names, at any depth. */
  readonly tables: readonly string[];
}

/** The rows an UPDATE or DELETE concerns, so that their images can be selected with the very same condition. */
export interface Condition {
  /**
   * `<table reference as written> where …`, with `?` placeholders, ready to stand after `select * from`.
   */
  readonly from: string;
  /** Which of the statement's bindings `from` takes, in order. */
  readonly bindings: readonly number[];
  /** Bindings of conjuncts `1 = ?`, as knex writes an empty list: where one of them is 0, no row is concerned. */
  readonly switches: readonly number[];
  /** Other rows than those it finds decide which these are: in a sub-query, or another table. */
  readonly asksOthers: boolean;
}

interface WriteTo {
  readonly kind: 'write';
  readonly table: string;
  /** Every table the statement also reads (insert … select, sub-queries, joins). */
  readonly reads: readonly string[];
  /** Rows come back from a RETURNING clause: the statement is a read of its own table as well. */
  readonly returning: boolean;
}

export interface Insert extends WriteTo {
  readonly verb: 'insert';
  /** Column by column for each row; `undefined` where the rows cannot be told (insert … select, default values). */
  readonly rows: ReadonlyArray<Readonly<Record<string, Operand | undefined>>> | undefined;
  /**
   * What becomes of a row that is there already: nothing is inserted (IGNORE, DO NOTHING), it is updated (ON DUPLICATE KEY,
   * DO UPDATE), or deleted (REPLACE). `undefined` where that is an error.
   */
  readonly conflict: 'ignore' | 'update' | 'replace' | undefined;
}

export interface Update extends WriteTo {
  readonly verb: 'update';
  /** Assigned columns; the operand is `undefined` where an expression is assigned. */
  readonly set: Readonly<Record<string, Operand | undefined>>;
  /** `undefined` where the condition cannot be reused (joins, FROM, LIMIT, now() or random(), CTEs, no WHERE: all rows). */
  readonly condition: Condition | undefined;
}

export interface Delete extends WriteTo {
  readonly verb: 'delete';
  readonly condition: Condition | undefined;
}

/** A write of which only the table is known: TRUNCATE, MERGE, writes inside CTEs, multi-table writes. */
export interface OpaqueWrite extends WriteTo {
  readonly verb: 'opaque';
  /** Every table written, `table` first. */
  readonly tables: readonly string[];
  /** It commits on its own, and whatever was written before it: MySQL's TRUNCATE. */
  readonly commits: boolean;
}

export type Read = PlainRead | OpaqueRead;
export type Write = Insert | Update | Delete | OpaqueWrite;

/** What one SQL text does, as far as caching cares. Derived once per distinct text. */
export type Statement =
  | Read
  | Write
  | { readonly kind: 'begin' | 'commit' | 'rollback' }
  | { readonly kind: 'savepoint' | 'release' | 'rollback-to'; readonly name: string }
  /** Session settings and introspection: SET, SHOW, PRAGMA, EXPLAIN, DISCARD, LISTEN …; touches no row. */
  | { readonly kind: 'neutral' }
  /** Several statements in one text. */
  | { readonly kind: 'batch'; readonly statements: readonly Statement[] }
  /**
   * A statement that calls functions of which only the database knows what they do, or a SELECT that shows what is in no
   * table: variables, the connection, a table's size (`outside`). `main` is what it does beside that.
   */
  | {
      readonly kind: 'calling';
      readonly functions: readonly string[];
      readonly outside: string | undefined;
      readonly main: Read | Write;
    }
  /** DDL, CALL, DO, COPY, VACUUM INTO, anything not recognised: may have changed everything. */
  | { readonly kind: 'unknown' };

/** Every table a write names as its target. */
export const tablesWritten = (write: Write): readonly string[] =>
  write.verb === 'opaque' ? write.tables : [write.table];
