import { isUnstableKeyword, NOT_CALLS, purityOf } from './pure-functions';
import {
  endOfName,
  isIdentifier,
  isOneOf,
  isKeyword,
  opens,
  type Range,
  spellingOf,
  tableName,
  type Token,
  tokenAt,
  type Tokens,
  setOf,
} from './tokens';

/** Keywords that no dialect takes for a table's name unless they are quoted. */
const RESERVED = setOf('select from where on using join group having order limit union into and or not in is null as');

/**
 * Keywords that end a list of tables, unless such a keyword is an alias: `from articles offset, authors`, and
 * `join authors offset on true, articles`.
 */
const AFTER_LIST = setOf(
  'where group having order limit offset fetch window union intersect except minus set returning for lock qualify update select',
);
const AFTER_ALIAS = setOf('on using');

export const QUERY_STARTS = setOf('select with values table');
export const WRITE_STARTS = setOf('insert replace update delete merge');

const BEFORE_TABLE = setOf(
  'only lateral into or replace ignore abort fail rollback low_priority delayed high_priority quick overwrite',
);

/** Pairs of keywords after which a bracket is not a function call. */
const NOT_CALLED_AFTER = new Set([
  'on conflict',
  'grouping sets',
  ...['bernoulli', 'system', 'system_rows', 'system_time'].map((method) => `tablesample ${method}`),
]);

/** The tokens between two brackets, or the whole text, and what is known at the current token. */
class Level {
  verb = '';
  hasJoin = false;
  /** Whether a comma is followed by another table. */
  isList: boolean;
  /** Whether a table must come next. */
  expected: boolean;

  constructor(
    readonly from: number,
    readonly to: number,
    readonly depth: number,
    /** The set to which the next tables are added. */
    public target: Set<string>,
    expected: boolean,
  ) {
    this.isList = expected;
    this.expected = expected;
  }
}

/**
 * Finds the tables that a text names and the functions that it calls, at every depth, without understanding statements.
 * Every name that the database has for a table counts as read, wherever it is, so that no syntax can hide a table. A
 * name that the database does not have, or that it has not been asked for, counts only where nothing but a table can
 * be. The same holds for tables that are written.
 */
export class Survey {
  readonly reads = new Set<string>();
  /** Those of `reads` that are in a place where only a table can be. */
  readonly placed = new Set<string>();
  /** In the order of their first mention. */
  readonly writes = new Set<string>();
  /** The tokens that name the first table in `writes`. */
  written: Range = [-1, -1];
  /** How many INSERTs, UPDATEs, DELETEs and MERGEs there are; several may write one table. */
  writingStatements = 0;
  /** The effects are not known, whatever the functions do. */
  isUnknown = false;
  /** Functions that are called and of which only the database knows what they do. */
  readonly functions = new Set<string>();
  /** A table may be missing: something else is where a table must be. */
  uncertain = false;
  /** There is a query within the query. */
  nested = false;
  /** Names something that is read and is in no table. */
  outside: string | undefined;
  /** Repeated, the text may select other rows: random(), now(), a LIMIT in a sub-query. */
  unstable = false;

  readonly #tokens: Tokens;
  /** Names of CTEs, as they are written, and the range of tokens in which they mean the CTE instead of a table. */
  readonly #queries: Array<{ readonly name: string; readonly from: number; readonly to: number }> = [];
  #endOfTable = -2;

  constructor(tokens: Tokens, from: number, to: number) {
    this.#tokens = tokens;
    this.#level(new Level(from, to, 0, this.reads, false));
  }

  get #isMysql(): boolean {
    return this.#tokens.dialect === 'mysql';
  }

  #at(index: number): Token {
    return tokenAt(this.#tokens, index);
  }

  #isKeyword(index: number, text: string): boolean {
    return isKeyword(this.#tokens, index, text);
  }

  /** SQLite takes 'articles' for a name where only a name is possible. */
  #isName(token: Token): boolean {
    return isIdentifier(token) || (token.kind === 'string' && this.#tokens.dialect === 'sqlite');
  }

  #mayBeTable(i: number): boolean {
    return this.#isName(this.#at(i)) && !isOneOf(this.#tokens, i, RESERVED);
  }

  #level(level: Level): void {
    for (let i = level.from; i < level.to; ) i = this.#step(level, i);
    if (level.expected) this.uncertain = true;
  }

  /** Looks at the token at `i`; returns the index of the next token to look at. */
  #step(level: Level, i: number): number {
    const token = this.#at(i);
    const { kind, text } = token;
    if (kind === 'word' && (i === level.from || level.verb === 'with') && this.#startStatement(level, i)) return i + 1;
    if (kind === 'open') return this.#brackets(level, i, token);
    if (level.expected && !isOneOf(this.#tokens, i, BEFORE_TABLE)) {
      level.expected = false;
      if (this.#mayBeTable(i)) return this.#table(i, level) + 1;
      // A placeholder may mean any table.
      if (kind === 'placeholder') this.isUnknown = true;
      this.uncertain = true;
    }
    if (kind === 'comma') level.expected = level.isList;
    else if (kind === 'variable') this.outside ??= 'a variable';
    if (!this.#isName(token)) return i + 1;
    const last = this.#name(i);
    return last > i || kind !== 'word' ? last + 1 : this.#keyword(level, i, text);
  }

  /** Notes the verb at `i`, if a statement begins there; true if it is a write. */
  #startStatement(level: Level, i: number): boolean {
    const { text } = this.#at(i);
    // replace(…) and insert(…) are functions.
    const writes = WRITE_STARTS.has(text) && !opens(this.#tokens, i + 1);
    if (!writes && !QUERY_STARTS.has(text)) return false;
    level.verb = text;
    if (level.depth > 0) this.nested = true;
    level.expected = writes && text !== 'delete';
    level.isList = text === 'update';
    level.target = level.expected ? this.writes : this.reads;
    if (writes) this.writingStatements += 1;
    return writes;
  }

  #brackets(level: Level, i: number, { mate }: Token): number {
    const { expected } = level;
    // `insert into (…)`: which table is written is not known.
    if (expected && !level.isList && level.target === this.writes) this.isUnknown = true;
    this.#level(new Level(i + 1, mate, level.depth + 1, expected ? level.target : this.reads, expected));
    level.expected = false;
    return mate + 1;
  }

  #keyword(level: Level, i: number, text: string): number {
    if (isUnstableKeyword(text)) this.unstable = true;
    if (level.isList && AFTER_LIST.has(text) && this.#at(i + 1).kind !== 'comma')
      level.isList = isOneOf(this.#tokens, i + 1, AFTER_ALIAS);
    switch (text) {
      case 'from':
      case 'using':
      case 'join':
        this.#startList(level, i, text);
        break;
      case 'straight_join':
        // After SELECT it is only a hint to the optimiser.
        if (level.isList) this.#startList(level, i, text);
        break;
      case 'table':
      case 'in':
        // SQLite's `x in articles`
        if (text === 'in' && this.#tokens.dialect !== 'sqlite') break;
        level.expected = this.#mayBeTable(i + 1);
        level.target = this.reads;
        break;
      case 'into':
        // SELECT … INTO makes a table or a file. A variable, which MySQL spells with an @, exists only on its
        // connection.
        if (!level.expected && this.#at(i + 1).kind !== 'variable') this.isUnknown = true;
        break;
      case 'as':
        return this.#alias(level, i);
      case 'use':
      case 'force':
      case 'ignore':
        return this.#indexHint(level, i);
      case 'select':
        level.verb ||= text;
        // Another SELECT of a union
        if (i > level.from) this.nested = true;
        break;
      case 'limit':
      case 'fetch':
      case 'offset':
      case 'tablesample':
        if (level.depth > 0) this.unstable = true;
        break;
      case 'for':
        // NEXT VALUE FOR a sequence
        if (this.#isKeyword(i - 1, 'value')) this.isUnknown = true;
        // MariaDB's FOR SYSTEM_TIME belongs to a table: the list of tables may continue behind it.
        if (this.#isKeyword(i + 1, 'system_time')) this.uncertain = true;
        break;
      case 'skip':
        if (this.#isKeyword(i + 1, 'locked')) this.outside ??= 'rows chosen by the locks of others (SKIP LOCKED)';
    }
    return i + 1;
  }

  /** Notes that tables follow the keyword at `i`, unless it means something else here. */
  #startList(level: Level, i: number, text: string): void {
    const { verb } = level;
    const isDelete = verb === 'delete';
    switch (text) {
      case 'from':
        if (this.#isKeyword(i - 1, 'distinct') && (this.#isKeyword(i - 2, 'is') || this.#isKeyword(i - 2, 'not')))
          return;
        // `extract(year from x)`
        if (verb === '' && level.depth > 0) return;
        level.target = isDelete ? this.writes : this.reads;
        break;
      case 'using':
        // `delete a from a join b using (id)`
        if ((!isDelete && verb !== 'merge') || (level.hasJoin && opens(this.#tokens, i + 1))) return;
        level.target = isDelete && this.#isMysql ? this.writes : this.reads;
        break;
      default:
        level.hasJoin = true;
    }
    level.expected = level.isList = true;
  }

  /**
   * Passes over an AS. The word after it, whichever it is, is an alias or a type: `1 as from from articles`. In a WITH,
   * AS stands between the name of a CTE, which is noted, and its query.
   */
  #alias({ from, to }: Level, as: number): number {
    const body = this.#bodyOfQuery(as);
    if (body === undefined) return as + (isIdentifier(this.#at(as + 1)) ? 2 : 1);
    const before = this.#at(as - 1);
    const named = before.kind === 'close' ? before.mate - 1 : as - 1;
    const start = this.#isKeyword(from + 1, 'recursive') ? named : this.#at(body).mate;
    this.#queries.push({ name: spellingOf(this.#tokens, this.#at(named)), from: start, to });
    return body;
  }

  /** Passes over `use index for order by (x)`. */
  #indexHint({ to }: Level, i: number): number {
    if (!this.#isMysql || (!this.#isKeyword(i + 1, 'index') && !this.#isKeyword(i + 1, 'key'))) return i + 1;
    let end = i + 1;
    while (end < to && this.#at(end - 1).kind !== 'close') end += 1;
    return end;
  }

  #isKnown(name: string): boolean {
    return this.#tokens.names?.relations.has(name) === true;
  }

  /** Notes the name that starts at `i`, and what calling it may do; returns the index of its last token. */
  #name(i: number): number {
    const last = endOfName(this.#tokens, i);
    // Tables of other schemas are also known by their name alone.
    const { kind, text } = this.#at(last);
    if (this.#isKnown(kind === 'word' ? text : text.toLowerCase())) {
      const name = tableName(this.#tokens, i, last);
      if (this.#isKnown(name)) this.reads.add(name);
    }
    if (opens(this.#tokens, last + 1)) this.#call(last);
    else if (this.#at(last - 1).kind === 'dot') this.#callOfRow(text.toLowerCase());
    return last;
  }

  /** Adds the table named at `i`, where only a table or a function can be; returns the index of its last token. */
  #table(i: number, { target, isList }: Level): number {
    const isRead = target === this.reads;
    const last = endOfName(this.#tokens, i);
    if (isRead && this.#isMysql && last === i && this.#isKeyword(i, 'dual')) return i;
    if (isRead && opens(this.#tokens, last + 1)) return this.#name(i);
    this.#endOfTable = last;
    const name = tableName(this.#tokens, i, last);
    // In an UPDATE of several tables MySQL also accepts the name of a CTE.
    const mayBeQuery = last === i && (isRead || (this.#isMysql && isList));
    if (mayBeQuery && !this.#isKnown(name) && this.#meansQuery(i)) return last;
    if (isRead) this.placed.add(name);
    else if (this.writes.size === 0) this.written = [i, last + 1];
    target.add(name);
    return last;
  }

  #meansQuery(i: number): boolean {
    const spelling = spellingOf(this.#tokens, this.#at(i));
    return this.#queries.some(({ name, from, to }) => name === spelling && from <= i && i < to);
  }

  /**
   * The index of the bracket around the query of a CTE, if `as` is the index of the AS in front of one: `a as (…)`,
   * `b (x, y) as not materialized (…)`.
   */
  #bodyOfQuery(as: number): number | undefined {
    let open = as + 1;
    while (this.#isKeyword(open, 'not') || this.#isKeyword(open, 'materialized')) open += 1;
    if (!this.#isKeyword(as, 'as') || !opens(this.#tokens, open)) return undefined;
    const { kind, text } = this.#at(open + 1);
    return kind === 'open' || (kind === 'word' && (QUERY_STARTS.has(text) || WRITE_STARTS.has(text)))
      ? open
      : undefined;
  }

  /** PostgreSQL takes `article.teaser` for `teaser(article)` where there is no such column. */
  #callOfRow(name: string): void {
    if (this.#tokens.names?.rowFunctions.has(name) === true) this.functions.add(name);
  }

  /** Notes what calling the function named at `i` may do. */
  #call(i: number): void {
    const { kind, text } = this.#at(i);
    if (kind === 'string' || (kind === 'word' && NOT_CALLS.has(text))) return;
    const before = this.#at(i - 1);
    // In `(…) t(a, b)` t is an alias; in `distinct on (a) f(b)` f is a function.
    if (before.kind === 'close' && !this.#isKeyword(before.mate - 2, 'distinct')) return;
    // An alias or a CTE with a list of columns: `articles t(a, b)`, `with a (x, y) as (…)`
    if (i === this.#endOfTable + 1 || this.#bodyOfQuery(this.#at(i + 1).mate + 1) !== undefined) return;
    if (NOT_CALLED_AFTER.has(`${before.text} ${text}`)) return;
    const name = text.toLowerCase();
    const isForeign = before.kind === 'dot' && this.#at(i - 2).text !== 'pg_catalog';
    const purity = isForeign || this.#tokens.names?.ownFunctions.has(name) ? 'unknown' : purityOf(text);
    if (purity === 'unknown') this.functions.add(name);
    else if (purity === 'unstable') this.unstable = true;
    else if (purity === 'outside') this.outside ??= `${name}()`;
  }
}
