import { conditionOf, ownRows, type Range } from './condition';
import { operandAt } from './conjuncts';
import { everyItem } from './select-list';
import type { Condition, Delete, Insert, Operand, Statement, Update, Write } from './statement';
import { Survey } from './survey';
import { findWord, isIdentifier, isOperator, isWord, tokenAt, type Tokens } from './tokens';

type Assignments = Record<string, Operand | undefined>;

/** Without a prototype, so that no column's name means anything else. */
const record = (): Assignments => Object.create(null) as Assignments;

/**
 * INSERT, REPLACE, UPDATE, DELETE, MERGE, and WITH before them. `from` is where the statement starts, `verb` where its
 * own verb stands. What is not understood is opaque, and still names every table the survey found written.
 */
export const analyseWrite = (tokens: Tokens, verb: number, to: number, hasWith: boolean, survey: Survey): Statement => {
  const [table, ...others] = survey.writes;
  if (survey.isUnknown || survey.doubtful || verb === to || table === undefined) return { kind: 'unknown' };
  const main = analyseMain(tokens, verb, to, hasWith, survey, table, others);
  const functions = [...survey.functions];
  return functions.length === 0 ? main : { kind: 'calling', functions, outside: undefined, main };
};

const analyseMain = (
  tokens: Tokens,
  verb: number,
  to: number,
  hasWith: boolean,
  survey: Survey,
  table: string,
  others: readonly string[],
): Write => {
  const reads = [...survey.reads];
  const returning = findWord(tokens, verb, to, (word) => word === 'returning') < to;
  // The rows of one statement would pass for those of all: `with a as (delete from x …) insert into x …`.
  if (others.length === 0 && survey.writingStatements === 1) {
    const context = { tokens, table, reads, returning, hasWith, unstable: isUnstable(survey) };
    const understood = read(context, verb, to);
    if (understood !== undefined) return understood;
  }
  return { kind: 'write', verb: 'opaque', table, tables: [table, ...others], commits: false, reads, returning };
};

/** What a function answers that nobody knows may be another thing each time. */
const isUnstable = ({ unstable, functions }: Survey): boolean => unstable || functions.size > 0;

interface Context {
  readonly tokens: Tokens;
  readonly table: string;
  readonly reads: readonly string[];
  readonly returning: boolean;
  /** The condition may name CTEs. */
  readonly hasWith: boolean;
  /** Somewhere there is something that may turn out otherwise when it is asked again. */
  readonly unstable: boolean;
}

const read = (context: Context, verb: number, to: number): Insert | Update | Delete | undefined => {
  switch (tokenAt(context.tokens, verb).text) {
    case 'insert':
    case 'replace':
      return readInsert(context, verb, to);
    case 'update':
      return readUpdate(context, verb, to);
    case 'delete':
      return readDelete(context, verb, to);
    default:
      return undefined;
  }
};

/** Where a name ends: `schema.table`, `table.column`; -1 if it is none. */
const endOfName = (tokens: Tokens, from: number): number => {
  let i = from;
  if (!isIdentifier(tokenAt(tokens, i))) return -1;
  while (tokenAt(tokens, i + 1).kind === 'dot' && isIdentifier(tokenAt(tokens, i + 2))) i += 2;
  return i + 1;
};

const INSERT_MODIFIERS = new Set('into low_priority delayed high_priority'.split(' '));
const INSERT_OR = new Set('replace ignore abort'.split(' '));

const readInsert = (context: Context, verb: number, to: number): Insert | undefined => {
  const { tokens, table, reads, returning } = context;
  let conflict: Insert['conflict'] = isWord(tokens, verb, 'replace') ? 'replace' : undefined;
  let i = verb + 1;
  for (; tokenAt(tokens, i).kind === 'word'; i += 1) {
    const { text } = tokenAt(tokens, i);
    if (text === 'or') {
      // SQLite's OR FAIL leaves what came before the failure, OR ROLLBACK ends the transaction.
      if (!INSERT_OR.has(tokenAt(tokens, i + 1).text)) return undefined;
    } else if (text === 'ignore' || text === 'replace') conflict = text;
    else if (text !== 'abort' && !INSERT_MODIFIERS.has(text)) break;
  }
  i = endOfName(tokens, i);
  if (i === -1 || tokenAt(tokens, i - 1).text.toLowerCase() !== table) return undefined;
  if (isWord(tokens, i, 'as')) i += 2;

  const columns: string[] = [];
  if (tokenAt(tokens, i).text === '(' && tokenAt(tokens, i).kind === 'open') {
    const close = tokenAt(tokens, i).mate;
    if (isIdentifier(tokenAt(tokens, i + 1))) {
      const plain = everyItem(tokens, i + 1, close, (a, b) => {
        columns.push(tokenAt(tokens, a).text.toLowerCase());
        return b === a + 1 && isIdentifier(tokenAt(tokens, a));
      });
      if (!plain) return undefined;
    }
    // `() values ()` is one row of defaults.
    if (!isWord(tokens, i + 1, 'select')) i = close + 1;
  }
  if (isWord(tokens, i, 'overriding')) i += 3;

  let rows: Assignments[] | undefined;
  if (isWord(tokens, i, 'values') || isWord(tokens, i, 'value')) {
    i += 1;
    rows = columns.length > 0 ? [] : undefined;
    for (; tokenAt(tokens, i).kind === 'open'; i += 1) {
      const close = tokenAt(tokens, i).mate;
      rows = withRow(tokens, columns, i + 1, close, rows);
      i = close + 1;
      if (tokenAt(tokens, i).kind !== 'comma') break;
    }
  } else if (isWord(tokens, i, 'set')) {
    const end = findWord(tokens, i + 1, to, (word) => word === 'on' || word === 'returning' || word === 'as');
    const row = readAssignments(tokens, i + 1, end);
    if (row === undefined) return undefined;
    rows = [row];
    i = end;
  } else if (isWord(tokens, i, 'select') && columns.length > 0) {
    [rows, i] = readSelectedRows(tokens, columns, i, to);
  } else if (isWord(tokens, i, 'default') && isWord(tokens, i + 1, 'values')) i += 2;
  else i = findWord(tokens, i, to, (word) => word === 'returning' || word === 'on');

  if (rows === undefined) {
    conflict ??= conflictIn(tokens, i, to);
  } else if (i < to) {
    if (isWord(tokens, i, 'as')) i += 2;
    if (tokenAt(tokens, i).kind === 'open') i = tokenAt(tokens, i).mate + 1;
    if (isWord(tokens, i, 'on')) conflict = conflict === 'replace' ? conflict : conflictIn(tokens, i, to);
    else if (i < to && !isWord(tokens, i, 'returning')) return undefined;
  }
  return { kind: 'write', verb: 'insert', table, reads, returning, rows, conflict };
};

/** What ON CONFLICT or ON DUPLICATE KEY does, as against a join's ON; SQLite allows several. */
const conflictIn = (tokens: Tokens, from: number, to: number): Insert['conflict'] => {
  let conflict: Insert['conflict'];
  for (let i = from; i < to; i += 1) {
    if (isWord(tokens, i, 'on') && isWord(tokens, i + 1, 'conflict')) conflict ??= 'ignore';
    else if (isWord(tokens, i, 'on') && isWord(tokens, i + 1, 'duplicate')) return 'update';
    else if (conflict !== undefined && isWord(tokens, i, 'do') && !isWord(tokens, i + 1, 'nothing')) return 'update';
  }
  return conflict;
};

/** Adds the row written between two brackets, or gives all of them up. */
const withRow = (
  tokens: Tokens,
  columns: readonly string[],
  from: number,
  to: number,
  rows: Assignments[] | undefined,
): Assignments[] | undefined => {
  if (rows === undefined) return undefined;
  const row = record();
  let column = 0;
  const filled = everyItem(tokens, from, to, (a, b) => {
    const name = columns[column];
    if (name === undefined || a >= b) return false;
    row[name] = operandIn(tokens, a, b);
    column += 1;
    return true;
  });
  if (!filled || column !== columns.length) return undefined;
  rows.push(row);
  return rows;
};

/** The operand, if that is all there is in a range. */
const operandIn = (tokens: Tokens, from: number, to: number): Operand | undefined => {
  if (isWord(tokens, from, 'null') && to === from + 1) return { literal: null };
  const operand = operandAt(tokens, from);
  return operand?.[1] === to ? operand[0] : undefined;
};

/** knex's way of inserting many rows into SQLite: `select ? as a, ? as b union all select …`. */
const readSelectedRows = (
  tokens: Tokens,
  columns: readonly string[],
  from: number,
  to: number,
): [Assignments[] | undefined, number] => {
  const rows: Assignments[] = [];
  let i = from;
  while (isWord(tokens, i, 'select')) {
    const end = findWord(
      tokens,
      i + 1,
      to,
      (word) => word === 'union' || word === 'where' || word === 'on' || word === 'returning',
    );
    const row = record();
    let column = 0;
    const plain = everyItem(tokens, i + 1, end, (a, b) => {
      const name = columns[column];
      column += 1;
      if (name === undefined || !isWord(tokens, b - 2, 'as')) return false;
      row[name] = operandIn(tokens, a, b - 2);
      return row[name] !== undefined;
    });
    if (!plain || column !== columns.length) return [undefined, from];
    rows.push(row);
    i = end;
    if (!isWord(tokens, i, 'union')) break;
    if (!isWord(tokens, i + 1, 'all')) return [undefined, from];
    i += 2;
  }
  // `where true` keeps SQLite from taking ON CONFLICT for a join's.
  if (isWord(tokens, i, 'where')) {
    if (!isWord(tokens, i + 1, 'true')) return [undefined, from];
    i += 2;
  }
  return [rows, i];
};

/** `a = ?, t.b = b + 1, (c, d) = (1, 2)`: the columns, and what is assigned where that is one operand. */
const readAssignments = (tokens: Tokens, from: number, to: number): Assignments | undefined => {
  const set = record();
  const understood = everyItem(tokens, from, to, (start, end) => {
    const first = tokenAt(tokens, start);
    if (first.kind === 'open') {
      const { mate } = first;
      if (!isOperator(tokens, mate + 1, '=')) return false;
      return everyItem(tokens, start + 1, mate, (a, b) => {
        set[tokenAt(tokens, b - 1).text.toLowerCase()] = undefined;
        return b > a && isIdentifier(tokenAt(tokens, b - 1));
      });
    }
    const name = endOfName(tokens, start);
    if (name === -1 || !isOperator(tokens, name, '=') || name + 1 >= end) return false;
    set[tokenAt(tokens, name - 1).text.toLowerCase()] = operandIn(tokens, name + 1, end);
    return true;
  });
  return understood ? set : undefined;
};

/** `schema.table as alias`, and where it ends; undefined if anything such as OR REPLACE comes before the name. */
const readTarget = ({ tokens, table }: Context, from: number, isEnd: (word: string) => boolean): Range | undefined => {
  let i = from;
  if (isWord(tokens, i, 'only')) i += 1;
  i = endOfName(tokens, i);
  if (i === -1 || tokenAt(tokens, i - 1).text.toLowerCase() !== table) return undefined;
  if (isWord(tokens, i, 'as')) i += 1;
  const alias = tokenAt(tokens, i);
  if (isIdentifier(alias) && !(alias.kind === 'word' && isEnd(alias.text))) i += 1;
  return [from, i];
};

const AFTER_SET = new Set(['from', 'where', 'order', 'limit', 'returning']);
const AFTER_WHERE = new Set(['order', 'limit', 'returning']);

/** WHERE, if it comes next and nothing but RETURNING after it. */
const readWhere = (tokens: Tokens, from: number, to: number): Range | undefined => {
  if (!isWord(tokens, from, 'where')) return undefined;
  const end = findWord(tokens, from + 1, to, (word) => AFTER_WHERE.has(word));
  if (end < to && !isWord(tokens, end, 'returning')) return undefined;
  // WHERE CURRENT OF a cursor
  if (end <= from + 1 || isWord(tokens, from + 1, 'current')) return undefined;
  return [from + 1, end];
};

const readCondition = (
  { tokens, table, hasWith, unstable }: Context,
  target: Range,
  others: Range | undefined,
  from: number,
  to: number,
): Condition | undefined => {
  const where = hasWith ? undefined : readWhere(tokens, from, to);
  if (where === undefined) return undefined;
  if (unstable && [where, others].some((range) => range !== undefined && isUnstable(new Survey(tokens, ...range)))) {
    return undefined;
  }
  const own = others === undefined ? undefined : ownRows(tokens, table, target, others, where);
  if (own !== undefined) return conditionOf(tokens, own.target, undefined, own.where);
  return conditionOf(tokens, target, others, where);
};

const readUpdate = (context: Context, verb: number, to: number): Update | undefined => {
  const { tokens, table, reads, returning } = context;
  const target = readTarget(context, verb + 1, (word) => word === 'set');
  if (target === undefined) return undefined;
  let i = target[1];
  let others: Range | undefined;
  if (tokens.dialect === 'mysql' && tokenAt(tokens, i).kind === 'comma') {
    // `update a, (select …) as b set …`: only the first can be written.
    const setAt = findWord(tokens, i, to, (word) => word === 'set');
    const derived = everyItem(
      tokens,
      i + 1,
      setAt,
      (a) => isWord(tokens, a + 1, 'select') && tokenAt(tokens, a).kind === 'open',
    );
    if (!derived) return undefined;
    others = [i + 1, setAt];
    i = setAt;
  }
  // Joins, UPDATE OR REPLACE, LOW_PRIORITY …
  if (!isWord(tokens, i, 'set')) return undefined;

  const setStart = i + 1;
  let setEnd = findWord(tokens, setStart, to, (word) => AFTER_SET.has(word));
  while (isWord(tokens, setEnd, 'from') && isWord(tokens, setEnd - 1, 'distinct')) {
    setEnd = findWord(tokens, setEnd + 1, to, (word) => AFTER_SET.has(word));
  }
  const set = readAssignments(tokens, setStart, setEnd);
  if (set === undefined) return undefined;
  i = setEnd;
  if (isWord(tokens, i, 'from')) {
    const end = findWord(tokens, i + 1, to, (word) => word === 'where' || word === 'returning');
    others = [i + 1, end];
    i = end;
  }
  const condition = readCondition(context, target, others, i, to);
  return { kind: 'write', verb: 'update', table, reads, returning, set, condition };
};

const readDelete = (context: Context, verb: number, to: number): Delete | undefined => {
  const { tokens, table, reads, returning } = context;
  if (!isWord(tokens, verb + 1, 'from')) return undefined;
  const target = readTarget(context, verb + 2, (word) => word === 'using' || AFTER_SET.has(word));
  if (target === undefined) return undefined;
  let i = target[1];
  let others: Range | undefined;
  if (isWord(tokens, i, 'using')) {
    // There the target stands among the others.
    if (tokens.dialect === 'mysql') return undefined;
    const end = findWord(tokens, i + 1, to, (word) => word === 'where' || word === 'returning');
    others = [i + 1, end];
    i = end;
  }
  if (i < to && !AFTER_SET.has(tokenAt(tokens, i).text)) return undefined;
  const condition = readCondition(context, target, others, i, to);
  return { kind: 'write', verb: 'delete', table, reads, returning, condition };
};
