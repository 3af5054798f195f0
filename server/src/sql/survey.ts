import { isOutside, isUnstableWord, opensNoCall, purityOf } from './pure-functions';
import {
  isIdentifier,
  isOperator,
  isWord,
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

const QUERY_STARTS = words('select with values table');
const WRITE_STARTS = words('insert replace update delete merge');

const BEFORE_TABLE = words(
  'only lateral into or replace ignore abort fail rollback low_priority delayed high_priority quick overwrite',
);

/** What opens a bracket after these is no function. */
const NO_CALLS = new Set([
  'on conflict',
  'grouping sets',
  ...['bernoulli', 'system', 'system_rows', 'system_time'].map((method) => `tablesample ${method}`),
]);

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
  /** It calls a function, whichever. */
  calls = false;
  /** Run again, it may select other rows: random(), now(), a LIMIT in a sub-query. */
  unstable = false;

  readonly #tokens: Tokens;
  /** Names that WITH gives to queries, as they are written, and where they mean these instead of tables. */
  readonly #queries: Array<{ readonly name: string; readonly from: number; readonly to: number }> = [];

  #endOfTable = -2;

  constructor(tokens: Tokens, from: number, to: number) {
    this.#tokens = tokens;
    this.#level(from, to, undefined, 0);
  }

  /** It calls, or is, something that may do anything. */
  get unknown(): boolean {
    return this.isUnknown || this.functions.size > 0;
  }

  #at(index: number): Token {
    return tokenAt(this.#tokens, index);
  }

  #isWord(index: number, text: string): boolean {
    return isWord(this.#tokens, index, text);
  }

  #opens(index: number): boolean {
    const { kind, text } = this.#at(index);
    return kind === 'open' && text === '(';
  }

  /** SQLite takes 'articles' for a table where it has to. */
  #isName(token: Token): boolean {
    return isIdentifier(token) || (token.kind === 'string' && this.#tokens.dialect === 'sqlite');
  }

  #mayBeTable(token: Token): boolean {
    return this.#isName(token) && !(token.kind === 'word' && RESERVED.has(token.text));
  }

  /** What stands between two brackets, or the whole text; `list`: it goes on a list of tables, which go there. */
  #level(from: number, to: number, list: Set<string> | undefined, depth: number): void {
    const isMysql = this.#tokens.dialect === 'mysql';
    /** Where the next tables go, whether a comma brings one, and whether one must come at once. */
    let target = list ?? this.reads;
    let isList = list !== undefined;
    let expected = isList;
    let hasJoin = false;
    let verb = '';
    let body: number | undefined;

    for (let i = from; i < to; i += 1) {
      const token = this.#at(i);
      const { kind, text } = token;
      if (kind === 'word' && (i === from || verb === 'with')) {
        const writes = WRITE_STARTS.has(text) && !this.#opens(i + 1);
        if (writes || QUERY_STARTS.has(text)) {
          verb = text;
          if (depth > 0) this.nested = true;
          expected = writes && text !== 'delete';
          isList = text === 'update';
          target = expected ? this.writes : this.reads;
        }
        if (writes) {
          this.writingStatements += 1;
          continue;
        }
      }
      if (kind === 'open') {
        // INSERT INTO (…)
        if (expected && !isList && target === this.writes) this.isUnknown = true;
        this.#level(i + 1, token.mate, expected ? target : undefined, depth + 1);
        expected = false;
        i = token.mate;
        continue;
      }
      if (expected && !(kind === 'word' && BEFORE_TABLE.has(text))) {
        expected = false;
        if (this.#mayBeTable(token)) {
          i = this.#table(i, target, isMysql && isList);
          continue;
        }
        // A placeholder for a table: any table.
        if (kind === 'placeholder') this.isUnknown = true;
        this.doubtful = true;
      }
      if (kind === 'comma') expected = isList;
      else if (kind === 'variable') this.outside ??= 'a variable';
      if (!this.#isName(token)) continue;
      const last = this.#name(i);
      if (last > i || kind !== 'word') {
        i = last;
        continue;
      }
      if (isUnstableWord(text)) this.unstable = true;
      if (isList && AFTER_LIST.has(text) && this.#at(i + 1).kind !== 'comma') isList = false;
      switch (text) {
        case 'from':
          if (this.#isWord(i - 1, 'distinct') && (this.#isWord(i - 2, 'is') || this.#isWord(i - 2, 'not'))) break;
          // `extract(year from x)`
          if (verb === '' && depth > 0) break;
          target = verb === 'delete' ? this.writes : this.reads;
          expected = isList = true;
          break;
        case 'using':
          // `delete a from a join b using (id)`
          if ((verb !== 'delete' && verb !== 'merge') || (hasJoin && this.#opens(i + 1))) break;
          target = verb === 'delete' && isMysql ? this.writes : this.reads;
          expected = isList = true;
          break;
        case 'join':
        case 'straight_join':
          expected = isList = hasJoin = true;
          break;
        case 'table':
        case 'in':
          // SQLite's `x in articles`
          if (text === 'in' && this.#tokens.dialect !== 'sqlite') break;
          expected = this.#mayBeTable(this.#at(i + 1));
          target = this.reads;
          break;
        case 'into':
          // SELECT … INTO makes a table or a file. Of a variable, which MySQL spells with an @, only its connection knows.
          if (!expected && this.#at(i + 1).kind !== 'variable') this.isUnknown = true;
          break;
        case 'as':
          // Whatever the word, it is an alias or a type: `1 as from from articles`.
          body = this.#bodyOfQuery(i);
          if (body === undefined) i += isIdentifier(this.#at(i + 1)) ? 1 : 0;
          else {
            const before = this.#at(i - 1);
            const named = before.kind === 'close' ? before.mate - 1 : i - 1;
            const start = this.#isWord(from + 1, 'recursive') ? named : this.#at(body).mate;
            this.#queries.push({ name: spellingOf(this.#tokens, this.#at(named)), from: start, to });
            i = body - 1;
          }
          break;
        case 'use':
        case 'force':
        case 'ignore':
          // `use index for order by (x)`
          if (!isMysql || (!this.#isWord(i + 1, 'index') && !this.#isWord(i + 1, 'key'))) break;
          while (i + 1 < to && this.#at(i).kind !== 'close') i += 1;
          break;
        case 'select':
          verb ||= text;
          // The other half of a union
          if (i > from) this.nested = true;
          break;
        case 'limit':
        case 'fetch':
        case 'offset':
        case 'tablesample':
          if (depth > 0) this.unstable = true;
          break;
        case 'for':
          // NEXT VALUE FOR a sequence
          if (this.#isWord(i - 1, 'value')) this.isUnknown = true;
          // MariaDB's FOR SYSTEM_TIME belongs to the table: the list may go on.
          if (this.#isWord(i + 1, 'system_time')) this.doubtful = true;
      }
    }
    if (expected) this.doubtful = true;
  }

  /** Where the name that starts at `i` ends: `schema.table`, `table.column`. */
  #endOfName(i: number): number {
    let last = i;
    while (this.#at(last + 1).kind === 'dot' && this.#isName(this.#at(last + 2))) last += 2;
    return last;
  }

  #isKnown(name: string): boolean {
    return this.#tokens.names?.relations.has(name) === true;
  }

  /** Notes the name that starts at `i`, and what calling it may do; returns where it ends. */
  #name(i: number): number {
    const last = this.#endOfName(i);
    // What another schema has under this name is known by the name alone as well.
    const { kind, text } = this.#at(last);
    if (this.#isKnown(kind === 'word' ? text : text.toLowerCase())) {
      const name = tableName(this.#tokens, i, last);
      if (this.#isKnown(name)) this.reads.add(name);
    }
    if (this.#opens(last + 1)) this.#call(last);
    return last;
  }

  /** Adds the table named at `i`, where only a table or a function can stand; returns where its name ends. */
  #table(i: number, into: Set<string>, mayBeQuery: boolean): number {
    const isRead = into === this.reads;
    const last = this.#endOfName(i);
    if (isRead && this.#opens(last + 1)) return this.#name(i);
    const name = tableName(this.#tokens, i, last);
    const isQuery = (isRead || mayBeQuery) && last === i && !this.#isKnown(name) && this.#meansQuery(i);
    if (!isQuery && !isRead && into.size === 0) this.written = [i, last + 1];
    if (!isQuery) into.add(name);
    if (!isQuery && isRead) this.placed.add(name);
    this.#endOfTable = last;
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
    if (!this.#isWord(as, 'as') || !this.#opens(open)) return undefined;
    const { kind, text } = this.#at(open + 1);
    return kind === 'open' || (kind === 'word' && (QUERY_STARTS.has(text) || WRITE_STARTS.has(text)))
      ? open
      : undefined;
  }

  /** Judges what calling the function named at `i` may do. */
  #call(i: number): void {
    const { kind, text } = this.#at(i);
    if (kind === 'string' || (kind === 'word' && opensNoCall(text))) return;
    const before = this.#at(i - 1);
    // `(…) t(a, b)`, unlike `distinct on (a) f(b)`
    if (before.kind === 'close' && !this.#isWord(before.mate - 2, 'distinct')) return;
    // `articles t(a, b)`, `with a (x, y) as (…)`
    if (i === this.#endOfTable + 1 || this.#bodyOfQuery(this.#at(i + 1).mate + 1) !== undefined) return;
    if (isOperator(this.#tokens, i - 1, '::') || NO_CALLS.has(`${before.text} ${text}`)) return;
    this.calls = true;
    const name = text.toLowerCase();
    const isForeign = before.kind === 'dot' && this.#at(i - 2).text !== 'pg_catalog';
    const purity = isForeign || this.#tokens.names?.ownFunctions.has(name) ? 'unknown' : purityOf(text);
    if (!isForeign && isOutside(text)) this.outside ??= `${text}()`;
    if (purity === 'unknown') this.functions.add(name);
    else if (purity === 'unstable') this.unstable = true;
    else if (purity === 'session') this.session = true;
  }
}
