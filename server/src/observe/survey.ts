import { isOutside, isUnstableWord, opensNoCall, purityOf } from './pure-functions';
import { tableName } from './table-name';
import { isIdentifier, isOperator, isWord, spellingOf, type Token, tokenAt, type Tokens } from './tokens';

/**
 * The CTE names that hide tables at one place of a statement, innermost first; spelled as written, since a name wrongly
 * taken for a CTE's is a table lost.
 */
type Scope = { readonly name: string; readonly outer: Scope } | undefined;

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** `extract(year from x)`: the one FROM that names no table. */
const CALLS_WITH_FROM = words('extract trim substring substr mid overlay');

const JOIN_WORDS = words('join left right full inner outer cross natural straight_join');

/** What ends a FROM clause at its own level. */
const AFTER_FROM = words(
  'where group having order limit offset fetch window union intersect except minus set returning for into lock qualify when',
);

/** Those of them that some dialect allows as an unquoted alias: `from articles offset, authors`. */
const POSSIBLE_ALIASES = words('offset fetch window minus set returning for lock qualify when intersect except');

const INDEX_HINTS = words('use force ignore');

const BEFORE_QUERY = words('union all distinct except intersect');
const QUERY_STARTS = words('select with values table');
const WRITE_STARTS = words('insert replace update delete merge');
const WRITE_MODIFIERS = words(
  'or replace ignore abort fail rollback low_priority delayed high_priority quick into only overwrite',
);

/**
 * A walk over a whole statement, at every depth, that gathers which tables it names. It need not understand what a
 * statement does; where it loses its way in a FROM clause it says so (`doubtful`), because a table it missed would
 * be a stale response in production.
 */
export class Survey {
  /** Tables read, in the order of their first mention. */
  readonly reads = new Set<string>();
  readonly writes = new Set<string>();
  /** How many INSERTs, UPDATEs, DELETEs and MERGEs there are, at any depth; several may write one table. */
  writingStatements = 0;
  /** It calls, or is, something that may do anything. */
  get unknown(): boolean {
    return this.isUnknown || this.functions.size > 0;
  }
  /** It does something that may do anything, whatever its functions do. */
  isUnknown = false;
  /** Functions it calls of which only the database knows what they do. */
  readonly functions = new Set<string>();
  /** A FROM clause was not understood: `reads` may lack a table. */
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

  constructor(tokens: Tokens, from: number, to: number) {
    this.#tokens = tokens;
    this.#level(from, to, undefined, '', 0);
  }

  #at(index: number): Token {
    return tokenAt(this.#tokens, index);
  }

  #isWord(index: number, text: string): boolean {
    return isWord(this.#tokens, index, text);
  }

  #wordIn(index: number, set: ReadonlySet<string>): boolean {
    const token = this.#at(index);
    return token.kind === 'word' && set.has(token.text);
  }

  /** What stands between two brackets, or the whole statement; `caller` is the function whose arguments these are. */
  #level(from: number, to: number, outer: Scope, caller: string, depth: number): void {
    let scope = outer;
    let i = from;
    let verb = '';

    const first = this.#at(from);
    if (first.kind === 'word' && from < to) {
      if (QUERY_STARTS.has(first.text)) {
        verb = 'select';
        if (depth > 0) this.nested = true;
      }
      if (first.text === 'with') [i, scope] = this.#commonTableExpressions(from + 1, to, outer, depth);
      const start = this.#at(i);
      // replace(…) is a function as well.
      if (start.kind === 'word' && WRITE_STARTS.has(start.text) && this.#at(i + 1).kind !== 'open') {
        verb = start.text;
        if (depth > 0) this.nested = true;
        i = this.#writeTarget(verb, i + 1, to, scope, depth);
        if (this.#isWord(i, 'with')) [i, scope] = this.#commonTableExpressions(i + 1, to, scope, depth);
      }
    }

    const begin = i;
    for (; i < to; i += 1) {
      const token = this.#at(i);
      if (token.kind === 'open') {
        i = this.#bracket(i, from, scope, depth);
      } else if (token.kind === 'variable') {
        this.outside ??= 'a variable';
      } else if (token.kind === 'word') {
        switch (token.text) {
          case 'from':
            if (verb === '' && CALLS_WITH_FROM.has(caller)) break;
            if (this.#isWord(i - 1, 'distinct') && (this.#isWord(i - 2, 'is') || this.#isWord(i - 2, 'not'))) break;
            i = this.#fromClause(i + 1, to, scope, this.reads, depth) - 1;
            break;
          case 'using':
            if (verb === 'delete' || verb === 'merge') {
              const target = verb === 'delete' && this.#tokens.dialect === 'mysql' ? this.writes : this.reads;
              i = this.#fromClause(i + 1, to, scope, target, depth) - 1;
            }
            break;
          case 'as':
            // Whatever the word, it is an alias or a type: `1 as from from articles`.
            if (this.#at(i + 1).kind === 'word') i += 1;
            break;
          case 'table': {
            const before = this.#at(i - 1);
            const startsQuery = i === begin || before.kind === 'close' || this.#wordIn(i - 1, BEFORE_QUERY);
            if (startsQuery && i + 1 < to && isIdentifier(this.#at(i + 1))) this.#table(i + 1, scope, this.reads);
            break;
          }
          case 'into':
            // SELECT … INTO makes a table or a file. Of a variable, which MySQL spells with an @, only its connection knows.
            if ((verb === 'select' || verb === '') && this.#at(i + 1).kind !== 'variable') this.isUnknown = true;
            break;
          case 'join':
          case 'straight_join':
            this.doubtful = true;
            break;
          case 'select':
            // The other half of a union
            if (i > from) this.nested = true;
            break;
          case 'limit':
          case 'fetch':
          case 'offset':
            if (depth > 0) this.unstable = true;
            break;
          case 'for':
            // NEXT VALUE FOR a sequence
            if (this.#isWord(i - 1, 'value')) this.isUnknown = true;
            break;
          default:
            if (isUnstableWord(token.text)) this.unstable = true;
        }
      }
    }
  }

  /** Walks the bracket at `i` and returns where it closes. */
  #bracket(i: number, levelStart: number, scope: Scope, depth: number): number {
    const { text, mate } = this.#at(i);
    const caller = text === '(' && i > levelStart ? this.#called(i - 1) : '';
    this.#level(i + 1, mate, scope, caller, depth + 1);
    return mate;
  }

  /** The function whose name stands at `i`, before a bracket; '' if it is none. Judges what calling it may do. */
  #called(i: number): string {
    const name = this.#at(i);
    if (!isIdentifier(name)) return '';
    const before = this.#at(i - 1);
    if (name.kind === 'word') {
      if (opensNoCall(name.text)) return '';
      if (name.text === 'over' || name.text === 'filter') {
        if (before.kind === 'close') return '';
      } else if (name.text === 'conflict' && this.#isWord(i - 1, 'on')) return '';
      else if (name.text === 'sets' && this.#isWord(i - 1, 'grouping')) return '';
    }
    // `as t(a, b)`, `(…) t(a, b)`, `x::numeric(10, 2)`, `cast(x as numeric(10, 2))`
    if (before.kind === 'close' || this.#isWord(i - 1, 'as') || isOperator(this.#tokens, i - 1, '::')) return '';
    this.calls = true;
    const isForeign = before.kind === 'dot' && this.#at(i - 2).text !== 'pg_catalog';
    if (isForeign || this.#tokens.names?.ownFunctions.has(name.text.toLowerCase()) === true) {
      this.functions.add(name.text.toLowerCase());
      return '';
    }
    if (isOutside(name.text)) this.outside ??= `${name.text}()`;
    switch (purityOf(name.text)) {
      case 'unknown':
        this.functions.add(name.text.toLowerCase());
        break;
      case 'unstable':
        this.unstable = true;
        break;
      case 'session':
        this.session = true;
        break;
    }
    return name.text;
  }

  /** `with a as (…), b (x, y) as (…)`: returns where the main statement starts, and the scope it runs in. */
  #commonTableExpressions(from: number, to: number, outer: Scope, depth: number): [number, Scope] {
    let scope = outer;
    const recursive = this.#isWord(from, 'recursive');
    let i = recursive ? from + 1 : from;
    while (i < to) {
      const name = this.#at(i);
      if (!isIdentifier(name)) break;
      const inner: Scope = { name: spellingOf(this.#tokens, name), outer: scope };
      i += 1;
      if (this.#at(i).kind === 'open') i = this.#at(i).mate + 1;
      if (!this.#isWord(i, 'as')) break;
      i += 1;
      if (this.#isWord(i, 'not')) i += 1;
      if (this.#isWord(i, 'materialized')) i += 1;
      const body = this.#at(i);
      if (body.kind !== 'open') break;
      this.#level(i + 1, body.mate, recursive ? inner : scope, '', depth + 1);
      scope = inner;
      i = body.mate + 1;
      // PostgreSQL's SEARCH and CYCLE
      while (
        i < to &&
        this.#at(i).kind !== 'comma' &&
        !this.#wordIn(i, QUERY_STARTS) &&
        !this.#wordIn(i, WRITE_STARTS)
      ) {
        if (this.#at(i).kind === 'open') return [i, scope];
        i += 1;
      }
      if (this.#at(i).kind !== 'comma') return [i, scope];
      i += 1;
    }
    this.doubtful = true;
    return [i, scope];
  }

  /** The tables after INSERT INTO, UPDATE, DELETE FROM or MERGE INTO; returns where the rest starts. */
  #writeTarget(verb: string, from: number, to: number, scope: Scope, depth: number): number {
    let i = from;
    this.writingStatements += 1;
    while (i < to && this.#wordIn(i, WRITE_MODIFIERS)) i += 1;
    switch (verb) {
      case 'update':
        return this.#fromClause(i, to, scope, this.writes, depth);
      case 'delete':
        // MySQL's `delete a, b from a join b` writes what stands after FROM, under aliases.
        while (i < to && !this.#isWord(i, 'from')) i += 1;
        return this.#fromClause(i + 1, to, scope, this.writes, depth);
      default: {
        if (!isIdentifier(this.#at(i)) && this.#at(i).kind !== 'string') {
          this.isUnknown = true;
          return i;
        }
        i = this.#table(i, undefined, this.writes);
        if (this.#isWord(i, 'partition') && this.#at(i + 1).kind === 'open') i = this.#at(i + 1).mate + 1;
        if (this.#isWord(i, 'as')) i += 2;
        else if (verb === 'merge' && isIdentifier(this.#at(i)) && !this.#isWord(i, 'using')) i += 1;
        // The list of columns, unless it is a query in brackets.
        if (this.#at(i).kind === 'open' && !this.#opensQuery(i)) i = this.#at(i).mate + 1;
        return i;
      }
    }
  }

  /** Is `((… select` what the bracket at `i` opens? */
  #opensQuery(i: number): boolean {
    let inner = i + 1;
    while (this.#at(inner).kind === 'open') inner += 1;
    return this.#wordIn(inner, QUERY_STARTS);
  }

  /**
   * Table references up to the end of the clause, whose index it returns. Strict: a token that has no business in a
   * FROM clause makes the survey doubtful.
   */
  #fromClause(from: number, to: number, scope: Scope, into: Set<string>, depth: number): number {
    let i = from;
    let joinsWithoutCondition = 0;
    for (;;) {
      i = this.#tableReference(i, to, scope, into, depth);
      if (i === -1) {
        this.doubtful = true;
        return to;
      }
      // Conditions of joins, then the next reference or the end of the clause.
      for (;;) {
        if (i >= to) return i;
        const token = this.#at(i);
        if (token.kind === 'comma') {
          i += 1;
          break;
        }
        if (token.kind === 'word') {
          if (token.text === 'on' || token.text === 'using') {
            if (joinsWithoutCondition === 0) return i;
            joinsWithoutCondition -= 1;
            if (token.text === 'on') {
              i = this.#joinCondition(i + 1, to, scope, depth);
              continue;
            }
            if (this.#at(i + 1).kind === 'open') {
              i = this.#at(i + 1).mate + 1;
              if (this.#isWord(i, 'as')) i += 2;
              continue;
            }
          } else if (JOIN_WORDS.has(token.text)) {
            let conditional = true;
            while (this.#wordIn(i, JOIN_WORDS) && !this.#isWord(i, 'join') && !this.#isWord(i, 'straight_join')) {
              if (this.#isWord(i, 'cross') || this.#isWord(i, 'natural')) conditional = false;
              i += 1;
            }
            if (this.#isWord(i, 'join') || this.#isWord(i, 'straight_join')) {
              if (conditional) joinsWithoutCondition += 1;
              i += 1;
              break;
            }
          } else if (AFTER_FROM.has(token.text)) {
            // MariaDB's FOR SYSTEM_TIME belongs to the reference.
            if (this.#isWord(i + 1, 'system_time')) this.doubtful = true;
            return i;
          }
        }
        this.doubtful = true;
        return i;
      }
    }
  }

  /** Skips an ON condition: up to the next join, comma or clause. */
  #joinCondition(from: number, to: number, scope: Scope, depth: number): number {
    let i = from;
    for (; i < to; i += 1) {
      const token = this.#at(i);
      if (token.kind === 'comma') return i;
      if (token.kind === 'open') i = this.#bracket(i, from, scope, depth);
      else if (token.kind === 'variable') this.outside ??= 'a variable';
      else if (token.kind === 'word') {
        if (token.text === 'on' || token.text === 'using' || AFTER_FROM.has(token.text)) {
          // `case when`
          if (token.text !== 'when') return i;
        } else if (JOIN_WORDS.has(token.text) && this.#at(i + 1).kind !== 'open') return i;
        else if (token.text === 'join' || token.text === 'straight_join') return i;
        else if (token.text === 'from' && !this.#isWord(i - 1, 'distinct')) this.doubtful = true;
        else if (isUnstableWord(token.text)) this.unstable = true;
      }
    }
    return i;
  }

  /** One table, function, sub-query or bracketed join, with its alias; -1 if it is none of these. */
  #tableReference(from: number, to: number, scope: Scope, into: Set<string>, depth: number): number {
    let i = from;
    while (this.#isWord(i, 'only') || this.#isWord(i, 'lateral')) i += 1;
    const token = this.#at(i);
    if (i >= to) return -1;

    if (token.kind === 'open') {
      if (this.#wordIn(i + 1, QUERY_STARTS)) this.#level(i + 1, token.mate, scope, '', depth + 1);
      else {
        const rest = this.#fromClause(i + 1, token.mate, scope, into, depth + 1);
        // `((select …) union (select …))`
        if (rest < token.mate) this.#level(rest, token.mate, scope, '', depth + 1);
      }
      i = token.mate + 1;
    } else if (this.#isWord(i, 'rows') && this.#isWord(i + 1, 'from') && this.#at(i + 2).kind === 'open') {
      i = this.#bracket(i + 2, i, scope, depth) + 1;
    } else if (isIdentifier(token) || token.kind === 'string') {
      if (token.kind === 'word' && (AFTER_FROM.has(token.text) || JOIN_WORDS.has(token.text))) {
        if (!POSSIBLE_ALIASES.has(token.text)) return -1;
      }
      if (this.#isWord(i, 'select') || this.#isWord(i, 'on') || this.#isWord(i, 'using')) return -1;
      let last = i;
      while (this.#at(last + 1).kind === 'dot' && last + 2 < to) last += 2;
      if (this.#at(last + 1).kind === 'open' && !this.#isWord(last, 'partition')) {
        i = this.#bracket(last + 1, i, scope, depth) + 1;
        if (this.#isWord(i, 'with') && this.#isWord(i + 1, 'ordinality')) i += 2;
      } else {
        i = this.#table(i, scope, into);
        if (isOperator(this.#tokens, i, '*')) i += 1;
      }
    } else {
      // A placeholder for a table: any table.
      if (token.kind === 'placeholder') this.isUnknown = true;
      return -1;
    }
    return this.#afterTable(i, to, scope, depth);
  }

  /** Adds the table named at `i`, and returns where its name ends. */
  #table(i: number, scope: Scope, into: Set<string>): number {
    let last = i;
    let token = this.#at(i);
    while (this.#at(last + 1).kind === 'dot') {
      const part = this.#at(last + 2);
      // `delete from articles.* using …`
      if (!isIdentifier(part) && part.kind !== 'string') return last + 3;
      token = part;
      last += 2;
    }
    if (last > i || !this.#isCommonTableExpression(spellingOf(this.#tokens, token), scope))
      into.add(tableName(this.#tokens, i, last));
    return last + 1;
  }

  #isCommonTableExpression(spelling: string, scope: Scope): boolean {
    for (let s = scope; s !== undefined; s = s.outer) if (s.name === spelling) return true;
    return false;
  }

  /** Skips the alias, index hints, partitions and samples after a table; -1 if one is broken. */
  #afterTable(from: number, to: number, scope: Scope, depth: number): number {
    let i = from;
    let aliased = false;
    while (i < to) {
      const token = this.#at(i);
      const next = this.#at(i + 1);
      if (token.kind === 'word' && token.text === 'partition' && next.kind === 'open') i = next.mate + 1;
      else if (this.#isWord(i, 'tablesample')) {
        while (i < to && this.#at(i).kind !== 'open') i += 1;
        if (i >= to) return -1;
        this.#level(i + 1, this.#at(i).mate, scope, '', depth + 1);
        i = this.#at(i).mate + 1;
        if (this.#isWord(i, 'repeatable') && this.#at(i + 1).kind === 'open') i = this.#at(i + 1).mate + 1;
      } else if (this.#isWord(i, 'indexed') && next.text === 'by') i += 3;
      else if (this.#isWord(i, 'not') && next.text === 'indexed') i += 2;
      else if (this.#wordIn(i, INDEX_HINTS) && (next.text === 'index' || next.text === 'key')) {
        while (i < to && this.#at(i).kind !== 'open') i += 1;
        if (i >= to) return -1;
        i = this.#at(i).mate + 1;
      } else if (!aliased && (this.#isWord(i, 'as') || this.#isAlias(i, to))) {
        aliased = true;
        i += this.#isWord(i, 'as') ? 2 : 1;
        // `t(a, b)`, or `as (a int)` after a function
        if (this.#at(i - 1).kind === 'open') i -= 1;
        const columns = this.#at(i);
        if (columns.kind === 'open' && i < to) {
          this.#level(i + 1, columns.mate, scope, '', depth + 1);
          i = columns.mate + 1;
        }
      } else return i;
    }
    return i;
  }

  /** Does what stands after a table name it, rather than go on with the statement? */
  #isAlias(i: number, to: number): boolean {
    const { kind, text } = this.#at(i);
    if (kind !== 'word') return kind === 'name' || kind === 'doubtful-name' || kind === 'string';
    if (JOIN_WORDS.has(text) || text === 'on' || text === 'using') return false;
    if (!AFTER_FROM.has(text)) return true;
    if (!POSSIBLE_ALIASES.has(text)) return false;
    // No clause starts with a comma, or with nothing.
    const next = this.#at(i + 1);
    if (i + 1 >= to || next.kind === 'comma') return true;
    return next.kind === 'word' && (JOIN_WORDS.has(next.text) || next.text === 'on' || next.text === 'where');
  }
}
