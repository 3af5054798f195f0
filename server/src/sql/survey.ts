import { isUnstableWord, NOT_CALLS, OUTSIDE, purityOf } from './pure-functions';
import {
  endOfName,
  isIdentifier,
  isOneOf,
  isWord,
  opens,
  type Range,
  spellingOf,
  tableName,
  type Token,
  tokenAt,
  type Tokens,
  words,
} from './tokens';

/** No dialect takes them for a table's name unless they are quoted. */
const RESERVED = words('select from where on using join group having order limit union into and or not in is null as');

/** What ends a list of tables; where a comma follows it is an alias: `from articles offset, authors`. */
const AFTER_LIST = words(
  'where group having order limit offset fetch window union intersect except minus set returning for lock qualify update select',
);

export const QUERY_STARTS = words('select with values table');
export const WRITE_STARTS = words('insert replace update delete merge');

const BEFORE_TABLE = words(
  'only lateral into or replace ignore abort fail rollback low_priority delayed high_priority quick overwrite',
);

/** What opens a bracket after these is no function. */
const NOT_CALLED_AFTER = new Set([
  'on conflict',
  'grouping sets',
  ...['bernoulli', 'system', 'system_rows', 'system_time'].map((method) => `tablesample ${method}`),
]);

/** What stands between two brackets, or the whole text, as far as it has been looked at. */
class Level {
  verb = '';
  hasJoin = false;
  /** Whether a comma brings another table, and whether one must come at once. */
  isList: boolean;
  expected: boolean;

  constructor(
    readonly from: number,
    readonly to: number,
    readonly depth: number,
    /** Where the next tables go. */
    public target: Set<string>,
    expected: boolean,
  ) {
    this.isList = expected;
    this.expected = expected;
  }
}

/**
 * Which tables a text names, and what it calls, at every depth. It understands no statement: each name that the database
 * has for a table counts as read, wherever it stands, so that no syntax can hide one. A name that the database does not
 * have, or has not been asked for, counts where only a table can stand; so does what is written.
 */
export class Survey {
  readonly reads = new Set<string>();
  /** Those of them that stand where only a table can. */
  readonly placed = new Set<string>();
  /** In the order of their first mention. */
  readonly writes = new Set<string>();
  /** Where the name of the first stands. */
  written: Range = [-1, -1];
  /** How many INSERTs, UPDATEs, DELETEs and MERGEs there are; several may write one table. */
  writingStatements = 0;
  /** It does something that may do anything, whatever its functions do. */
  isUnknown = false;
  /** Functions it calls of which only the database knows what they do. */
  readonly functions = new Set<string>();
  /** Where a table must stand there is something else: one may be missing. */
  doubtful = false;
  /** There is a query within the query. */
  nested = false;
  /** Something it reads that is in no table. */
  outside: string | undefined;
  /** It calls a function that touches only the session. */
  session = false;
  /** Run again, it may select other rows: random(), now(), a LIMIT in a sub-query. */
  unstable = false;

  readonly #tokens: Tokens;
  /** Names that WITH gives to queries, as they are written, and where they mean these instead of tables. */
  readonly #queries: Array<{ readonly name: string; readonly from: number; readonly to: number }> = [];
  #endOfTable = -2;

  constructor(tokens: Tokens, from: number, to: number) {
    this.#tokens = tokens;
    this.#level(new Level(from, to, 0, this.reads, false));
  }

  /** It calls, or is, something that may do anything. */
  get unknown(): boolean {
    return this.isUnknown || this.functions.size > 0;
  }

  get #isMysql(): boolean {
    return this.#tokens.dialect === 'mysql';
  }

  #at(index: number): Token {
    return tokenAt(this.#tokens, index);
  }

  #isWord(index: number, text: string): boolean {
    return isWord(this.#tokens, index, text);
  }

  /** SQLite takes 'articles' for a table where it has to. */
  #isName(token: Token): boolean {
    return isIdentifier(token) || (token.kind === 'string' && this.#tokens.dialect === 'sqlite');
  }

  #mayBeTable(i: number): boolean {
    return this.#isName(this.#at(i)) && !isOneOf(this.#tokens, i, RESERVED);
  }

  #level(level: Level): void {
    for (let i = level.from; i < level.to; ) i = this.#step(level, i);
    if (level.expected) this.doubtful = true;
  }

  /** Looks at the token at `i`; returns where to go on. */
  #step(level: Level, i: number): number {
    const token = this.#at(i);
    const { kind, text } = token;
    if (kind === 'word' && (i === level.from || level.verb === 'with') && this.#startStatement(level, i)) return i + 1;
    if (kind === 'open') return this.#brackets(level, i, token);
    if (level.expected && !isOneOf(this.#tokens, i, BEFORE_TABLE)) {
      level.expected = false;
      if (this.#mayBeTable(i)) return this.#table(i, level) + 1;
      // A placeholder for a table: any table.
      if (kind === 'placeholder') this.isUnknown = true;
      this.doubtful = true;
    }
    if (kind === 'comma') level.expected = level.isList;
    else if (kind === 'variable') this.outside ??= 'a variable';
    if (!this.#isName(token)) return i + 1;
    const last = this.#name(i);
    return last > i || kind !== 'word' ? last + 1 : this.#keyword(level, i, text);
  }

  /** The verb of a statement at `i`; true where a table that is written comes next. */
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
    // INSERT INTO (…)
    if (expected && !level.isList && level.target === this.writes) this.isUnknown = true;
    this.#level(new Level(i + 1, mate, level.depth + 1, expected ? level.target : this.reads, expected));
    level.expected = false;
    return mate + 1;
  }

  #keyword(level: Level, i: number, text: string): number {
    if (isUnstableWord(text)) this.unstable = true;
    if (level.isList && AFTER_LIST.has(text) && this.#at(i + 1).kind !== 'comma') level.isList = false;
    switch (text) {
      case 'from':
      case 'using':
      case 'join':
        this.#startList(level, i, text);
        break;
      case 'straight_join':
        // After SELECT it only advises.
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
        // SELECT … INTO makes a table or a file. Of a variable, which MySQL spells with an @, only its connection knows.
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
        // The other half of a union
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
        if (this.#isWord(i - 1, 'value')) this.isUnknown = true;
        // MariaDB's FOR SYSTEM_TIME belongs to the table: the list may go on.
        if (this.#isWord(i + 1, 'system_time')) this.doubtful = true;
        break;
      case 'skip':
        if (this.#isWord(i + 1, 'locked')) this.outside ??= 'which rows others have locked';
    }
    return i + 1;
  }

  /** A word after which tables come. */
  #startList(level: Level, i: number, text: string): void {
    const { verb } = level;
    const isDelete = verb === 'delete';
    switch (text) {
      case 'from':
        if (this.#isWord(i - 1, 'distinct') && (this.#isWord(i - 2, 'is') || this.#isWord(i - 2, 'not'))) return;
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

  /** Whatever the word, it is an alias or a type: `1 as from from articles`. Or it names a query of WITH. */
  #alias({ from, to }: Level, as: number): number {
    const body = this.#bodyOfQuery(as);
    if (body === undefined) return as + (isIdentifier(this.#at(as + 1)) ? 2 : 1);
    const before = this.#at(as - 1);
    const named = before.kind === 'close' ? before.mate - 1 : as - 1;
    const start = this.#isWord(from + 1, 'recursive') ? named : this.#at(body).mate;
    this.#queries.push({ name: spellingOf(this.#tokens, this.#at(named)), from: start, to });
    return body;
  }

  /** `use index for order by (x)` */
  #indexHint({ to }: Level, i: number): number {
    if (!this.#isMysql || (!this.#isWord(i + 1, 'index') && !this.#isWord(i + 1, 'key'))) return i + 1;
    let end = i + 1;
    while (end < to && this.#at(end - 1).kind !== 'close') end += 1;
    return end;
  }

  #isKnown(name: string): boolean {
    return this.#tokens.names?.relations.has(name) === true;
  }

  /** Notes the name that starts at `i`, and what calling it may do; returns where it ends. */
  #name(i: number): number {
    const last = endOfName(this.#tokens, i);
    // What another schema has under this name is known by the name alone as well.
    const { kind, text } = this.#at(last);
    if (this.#isKnown(kind === 'word' ? text : text.toLowerCase())) {
      const name = tableName(this.#tokens, i, last);
      if (this.#isKnown(name)) this.reads.add(name);
    }
    if (opens(this.#tokens, last + 1)) this.#call(last);
    else if (this.#at(last - 1).kind === 'dot') this.#callOfRow(text.toLowerCase());
    return last;
  }

  /** Adds the table named at `i`, where only a table or a function can stand; returns where its name ends. */
  #table(i: number, { target, isList }: Level): number {
    const isRead = target === this.reads;
    const last = endOfName(this.#tokens, i);
    if (isRead && this.#isMysql && last === i && this.#isWord(i, 'dual')) return i;
    if (isRead && opens(this.#tokens, last + 1)) return this.#name(i);
    this.#endOfTable = last;
    const name = tableName(this.#tokens, i, last);
    // What MySQL updates with others may be a query, too.
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

  /** Where the bracket opens whose query WITH gives a name: `a as (…)`, `b (x, y) as not materialized (…)`. */
  #bodyOfQuery(as: number): number | undefined {
    let open = as + 1;
    while (this.#isWord(open, 'not') || this.#isWord(open, 'materialized')) open += 1;
    if (!this.#isWord(as, 'as') || !opens(this.#tokens, open)) return undefined;
    const { kind, text } = this.#at(open + 1);
    return kind === 'open' || (kind === 'word' && (QUERY_STARTS.has(text) || WRITE_STARTS.has(text)))
      ? open
      : undefined;
  }

  /** PostgreSQL takes `article.teaser` for `teaser(article)` where there is no such column. */
  #callOfRow(name: string): void {
    if (this.#tokens.names?.rowFunctions.has(name) === true) this.functions.add(name);
  }

  /** Judges what calling the function named at `i` may do. */
  #call(i: number): void {
    const { kind, text } = this.#at(i);
    if (kind === 'string' || (kind === 'word' && NOT_CALLS.has(text))) return;
    const before = this.#at(i - 1);
    // `(…) t(a, b)`, unlike `distinct on (a) f(b)`
    if (before.kind === 'close' && !this.#isWord(before.mate - 2, 'distinct')) return;
    // `articles t(a, b)`, `with a (x, y) as (…)`
    if (i === this.#endOfTable + 1 || this.#bodyOfQuery(this.#at(i + 1).mate + 1) !== undefined) return;
    if (NOT_CALLED_AFTER.has(`${before.text} ${text}`)) return;
    const name = text.toLowerCase();
    const isForeign = before.kind === 'dot' && this.#at(i - 2).text !== 'pg_catalog';
    const purity = isForeign || this.#tokens.names?.ownFunctions.has(name) ? 'unknown' : purityOf(text);
    if (OUTSIDE.has(text)) this.outside ??= `${text}()`;
    if (purity === 'unknown') this.functions.add(name);
    else if (purity === 'unstable') this.unstable = true;
    else if (purity === 'session') this.session = true;
  }
}
