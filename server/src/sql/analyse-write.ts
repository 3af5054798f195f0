import { SYSTEM_COLUMNS } from './columns';
import { conditionOf } from './condition';
import { operandIn } from './conjuncts';
import type { Condition, Delete, Insert, Operand, Statement, Update } from './statement';
import { Survey, WRITE_STARTS } from './survey';
import {
  endOfName,
  findKeyword,
  isIdentifier,
  isOneOf,
  isOperator,
  isKeyword,
  itemsOf,
  opens,
  type Range,
  tokenAt,
  type Tokens,
  setOf,
} from './tokens';

type Assignments = Record<string, Operand | undefined>;

/** Has no prototype, so that no column's name is that of an inherited property. */
const record = (): Assignments => Object.create(null) as Assignments;

/** A statement that writes one table, and what the survey says of it. */
interface Context {
  readonly tokens: Tokens;
  /** Indexes of tokens: of the verb, of the name of its table, and the end of the statement. */
  readonly verb: number;
  readonly name: Range;
  readonly to: number;
  readonly written: Pick<Insert, 'kind' | 'table' | 'reads' | 'returning'>;
  readonly isUnstable: boolean;
}

/**
 * Analyses INSERT, REPLACE, UPDATE, DELETE and MERGE; `verb` is the index of the first keyword. What is not understood,
 * or has a WITH in front, becomes an opaque write, which still names every table that the survey found written.
 */
export const analyseWrite = (tokens: Tokens, verb: number, to: number, survey: Survey): Statement => {
  const [table, ...others] = survey.writes;
  if (survey.isUnknown || survey.uncertain || table === undefined) return { kind: 'unknown' };
  const name = survey.written;
  // With several writes, the rows of one would be taken for the rows of all:
  // `with a as (delete from x …) insert into x …`.
  const isAlone = others.length === 0 && survey.writingStatements === 1 && isNameOf(tokens, name, table);
  const written = { kind: 'write', table, reads: [...survey.reads], returning: returnedBy(tokens, verb, to) } as const;
  const context = { tokens, verb, name, to, written, isUnstable: isUnstable(survey) };
  const main = (isAlone ? read(context) : undefined) ?? {
    ...written,
    verb: 'opaque',
    tables: [table, ...others],
  };
  const functions = [...survey.functions];
  return functions.length === 0 ? main : { kind: 'calling', functions, outside: undefined, main };
};

/** Whether the name means `table` itself: it is not in another schema, nor written as a string. */
const isNameOf = (tokens: Tokens, [, end]: Range, table: string): boolean => {
  const last = tokenAt(tokens, end - 1);
  return isIdentifier(last) && last.text.toLowerCase() === table;
};

/**
 * Whether the text may select other rows when it is repeated. An unknown function may return another value each time.
 */
const isUnstable = ({ unstable, functions }: Survey): boolean => unstable || functions.size > 0;

const read = (context: Context): Insert | Update | Delete | undefined => {
  switch (tokenAt(context.tokens, context.verb).text) {
    case 'insert':
    case 'replace':
      return readInsert(context);
    case 'update':
      return readUpdate(context);
    case 'delete':
      return readDelete(context);
    default:
      return undefined;
  }
};

const RETURNING = setOf('returning');

const returnedBy = (tokens: Tokens, verb: number, to: number): Insert['returning'] => {
  // After a WITH, a SELECT may show what a write inside a CTE returns.
  if (!isOneOf(tokens, verb, WRITE_STARTS))
    return tokens.list.some((_, i) => isKeyword(tokens, i, 'returning')) ? 'rows' : undefined;
  const at = findKeyword(tokens, verb, to, RETURNING);
  if (at >= to) return undefined;
  const first = tokenAt(tokens, at + 1);
  return at + 2 === to && isIdentifier(first) && first.text.toLowerCase() === 'id' ? 'id' : 'rows';
};

const AFTER_ROWS = setOf('on returning');
/**
 * Keywords that are understood between INSERT and the name of the table. Not among them: SQLite's OR FAIL, which keeps
 * the rows written before the failure, and OR ROLLBACK, which ends the transaction.
 */
const INSERT_MODIFIERS = setOf('into or replace ignore abort');

const readInsert = ({ tokens, verb, name, to, written }: Context): Insert | undefined => {
  const modifiers = tokens.list.slice(verb, name[0]).map(({ text }) => text);
  if (!modifiers.slice(1).every((modifier) => INSERT_MODIFIERS.has(modifier))) return undefined;
  const modified = (['replace', 'ignore'] as const).find((modifier) => modifiers.includes(modifier));
  const [columns, next] = columnsAt(tokens, isKeyword(tokens, name[1], 'as') ? name[1] + 2 : name[1]);
  const [rows, end] = isKeyword(tokens, next, 'values')
    ? readValues(tokens, columns, next + 1)
    : (readSelectedRows(tokens, columns, next, to) ?? [undefined, findKeyword(tokens, next, to, AFTER_ROWS)]);
  // Something else follows, such as MySQL's alias for the new row.
  if (end < to && !isOneOf(tokens, end, AFTER_ROWS)) return undefined;
  const conflict = modified === 'replace' ? modified : (conflictIn(tokens, end, to) ?? modified);
  return { ...written, verb: 'insert', rows, conflict };
};

/** The part that was read, and the index after it. */
type Read<T> = readonly [what: T, next: number];

/** The columns of `(a, b)` at `i`; empty if there is no such list, or an item is not a plain name. */
const columnsAt = (tokens: Tokens, i: number): Read<readonly string[]> => {
  if (!opens(tokens, i) || isKeyword(tokens, i + 1, 'select')) return [[], i];
  const { mate } = tokenAt(tokens, i);
  const items = itemsOf(tokens, i + 1, mate);
  const isPlain = items.every(([from, to]) => to === from + 1 && isIdentifier(tokenAt(tokens, from)));
  return [isPlain ? items.map(([from]) => tokenAt(tokens, from).text.toLowerCase()) : [], mate + 1];
};

/** `undefined` where the rows are not known. */
type Rows = readonly Assignments[] | undefined;

/** Reads `(?, ?), (?, ?)`. */
const readValues = (tokens: Tokens, columns: readonly string[], from: number): Read<Rows> => {
  const rows: Array<Assignments | undefined> = [];
  let i = from;
  while (opens(tokens, i)) {
    const { mate } = tokenAt(tokens, i);
    const values = itemsOf(tokens, i + 1, mate);
    const isWhole = values.every(([start, end]) => start < end);
    rows.push(
      isWhole
        ? rowOf(
            columns,
            values.map((value) => operandOrNull(tokens, ...value)),
          )
        : undefined,
    );
    i = mate + 1;
    if (tokenAt(tokens, i).kind !== 'comma') break;
    i += 1;
  }
  const isTold = columns.length > 0 && rows.every((row) => row !== undefined);
  return [isTold ? rows : undefined, i];
};

/** The row with these values; `undefined` unless there is one value for each column. */
const rowOf = (columns: readonly string[], values: ReadonlyArray<Operand | undefined>): Assignments | undefined => {
  if (values.length !== columns.length) return undefined;
  const row = record();
  for (const [index, column] of columns.entries()) row[column] = values[index];
  return row;
};

const operandOrNull = (tokens: Tokens, from: number, to: number): Operand | undefined =>
  isKeyword(tokens, from, 'null') && to === from + 1 ? { literal: null } : operandIn(tokens, from, to);

const AFTER_SELECTED = setOf('union where on returning');

/** knex's way of inserting many rows into SQLite: `select ? as a, ? as b union all select …`. */
const readSelectedRows = (
  tokens: Tokens,
  columns: readonly string[],
  from: number,
  to: number,
): Read<Rows> | undefined => {
  const rows: Assignments[] = [];
  let i = from;
  for (let more = true; more; i += more ? 2 : 0) {
    if (!isKeyword(tokens, i, 'select')) return undefined;
    const end = findKeyword(tokens, i + 1, to, AFTER_SELECTED);
    const values = itemsOf(tokens, i + 1, end).map(([start, after]) =>
      isKeyword(tokens, after - 2, 'as') ? operandOrNull(tokens, start, after - 2) : undefined,
    );
    const row = values.includes(undefined) ? undefined : rowOf(columns, values);
    if (row === undefined) return undefined;
    rows.push(row);
    i = end;
    more = isKeyword(tokens, i, 'union');
    if (more && !isKeyword(tokens, i + 1, 'all')) return undefined;
  }
  // `where true` keeps SQLite from taking the ON of ON CONFLICT for that of a join.
  if (!isKeyword(tokens, i, 'where')) return [rows, i];
  return isKeyword(tokens, i + 1, 'true') ? [rows, i + 2] : undefined;
};

/**
 * The effect of ON CONFLICT or ON DUPLICATE KEY; the ON of a join is ignored. SQLite allows several ON CONFLICT, of
 * which one that updates prevails.
 */
const conflictIn = (tokens: Tokens, from: number, to: number): Insert['conflict'] => {
  let conflict: Insert['conflict'];
  for (let i = from; i < to; i += 1) {
    if (isKeyword(tokens, i, 'on') && isKeyword(tokens, i + 1, 'conflict')) conflict ??= 'ignore';
    else if (isKeyword(tokens, i, 'on') && isKeyword(tokens, i + 1, 'duplicate')) return 'update';
    else if (conflict !== undefined && isKeyword(tokens, i, 'do') && !isKeyword(tokens, i + 1, 'nothing'))
      return 'update';
  }
  return conflict;
};

/**
 * Reads `a = ?, t.b = b + 1`: each column with the operand assigned to it, which is `undefined` for an expression. Not
 * understood are another name of the primary key, and PostgreSQL's `a.b = ?`, which sets a part of the column `a`.
 */
const readAssignments = (tokens: Tokens, from: number, to: number): Assignments | undefined => {
  const set = record();
  for (const [start, end] of itemsOf(tokens, from, to)) {
    const last = endOfName(tokens, start);
    const name = tokenAt(tokens, last);
    const value = last + 2;
    if (!isIdentifier(name) || !isOperator(tokens, value - 1, '=') || value >= end) return undefined;
    const column = name.text.toLowerCase();
    if (SYSTEM_COLUMNS.has(column) || (last > start && tokens.dialect === 'postgres')) return undefined;
    set[column] = operandOrNull(tokens, value, end);
  }
  return set;
};

const SET = setOf('set');
const AFTER_OTHERS = setOf('where returning');
const AFTER_TARGET = setOf('using from where order limit returning');
const AFTER_WHERE = setOf('order limit returning');

/**
 * The range of `schema.table as alias` at `from`; `undefined` if anything comes before the name, such as OR REPLACE or
 * LOW_PRIORITY.
 */
const readTarget = ({ tokens, name }: Context, from: number, stops: ReadonlySet<string>): Range | undefined => {
  if (name[0] !== from) return undefined;
  const i = isKeyword(tokens, name[1], 'as') ? name[1] + 1 : name[1];
  return [from, isIdentifier(tokenAt(tokens, i)) && !isOneOf(tokens, i, stops) ? i + 1 : i];
};

/** The condition, if WHERE is at `from` and nothing but RETURNING follows it. */
const readWhere = (tokens: Tokens, from: number, to: number): Range | undefined => {
  if (!isKeyword(tokens, from, 'where')) return undefined;
  const end = findKeyword(tokens, from + 1, to, AFTER_WHERE);
  if (end < to && !isKeyword(tokens, end, 'returning')) return undefined;
  // WHERE CURRENT OF a cursor
  return end <= from + 1 || isKeyword(tokens, from + 1, 'current') ? undefined : [from + 1, end];
};

/**
 * The condition that selects the rows written. `beside` is what the statement joins to its target: it is understood
 * only if it is the query by which Strapi renumbers join rows.
 */
const readCondition = (
  { tokens, to, written, isUnstable: mayBeUnstable }: Context,
  target: Range,
  beside: Range | undefined,
  from: number,
): Condition | undefined => {
  const where = readWhere(tokens, from, to);
  if (where === undefined) return undefined;
  const parts = beside === undefined ? [where] : [where, beside];
  if (mayBeUnstable && parts.some((range) => isUnstable(new Survey(tokens, ...range)))) return undefined;
  return conditionOf(tokens, { table: written.table, target, beside, where });
};

const readUpdate = (context: Context): Update | undefined => {
  const { tokens, verb, to, written } = context;
  const target = readTarget(context, verb + 1, SET);
  if (target === undefined) return undefined;
  let beside: Range | undefined;
  let i = target[1];
  if (tokens.dialect === 'mysql' && tokenAt(tokens, i).kind === 'comma') {
    // In `update a, (select …) as b set …` only `a` can be written.
    beside = [i + 1, findKeyword(tokens, i, to, SET)];
    i = beside[1];
    if (!itemsOf(tokens, ...beside).every(([start]) => opens(tokens, start) && isKeyword(tokens, start + 1, 'select')))
      return undefined;
  }
  // Something else precedes SET, such as a join.
  if (!isKeyword(tokens, i, 'set')) return undefined;
  const setEnd = findKeyword(tokens, i + 1, to, AFTER_TARGET);
  // This FROM may be part of an expression: `set a = b is distinct from c, d = …`.
  const set = isKeyword(tokens, setEnd - 1, 'distinct') ? undefined : readAssignments(tokens, i + 1, setEnd);
  if (set === undefined) return undefined;
  i = setEnd;
  if (isKeyword(tokens, i, 'from')) {
    beside = [i + 1, findKeyword(tokens, i + 1, to, AFTER_OTHERS)];
    i = beside[1];
  }
  return { ...written, verb: 'update', set, condition: readCondition(context, target, beside, i) };
};

const readDelete = (context: Context): Delete | undefined => {
  const { tokens, verb, to, written } = context;
  const target = isKeyword(tokens, verb + 1, 'from') ? readTarget(context, verb + 2, AFTER_TARGET) : undefined;
  if (target === undefined) return undefined;
  const [, end] = target;
  if (end < to && !isOneOf(tokens, end, AFTER_WHERE) && !isKeyword(tokens, end, 'where')) return undefined;
  return { ...written, verb: 'delete', condition: readCondition(context, target, undefined, end) };
};
