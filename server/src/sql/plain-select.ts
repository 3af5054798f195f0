import { type Aliased, type Names, resolveColumn, walkColumns } from './columns';
import { type Conjunct, conjunctsOf } from './conjuncts';
import {
  endOfClause,
  type FromClause,
  type JoinCondition,
  readFromClause,
  type SourceColumn,
  type SourceDraft,
} from './from-clause';
import { everyItem, readSelectList } from './select-list';
import type { ColumnReference, PlainRead } from './statement';
import { isIdentifier, isWord, tokenAt, type Tokens } from './tokens';

const NO_FROM: Omit<FromClause, 'end'> = { sources: [], conditions: [] };

/**
 * A SELECT over plain joins, read completely: every column it names is known to belong to one source. `undefined` as
 * soon as anything else turns up; the names of its tables are then all there is to go by.
 */
export const readPlainSelect = (tokens: Tokens, from: number, to: number): PlainRead | undefined => {
  let i = from + 1;
  const distinct = isWord(tokens, i, 'distinct');
  if (distinct || isWord(tokens, i, 'all')) i += 1;
  let distinctOn: readonly [number, number] | undefined;
  if (distinct && isWord(tokens, i, 'on') && tokenAt(tokens, i + 1).kind === 'open') {
    distinctOn = [i + 2, tokenAt(tokens, i + 1).mate];
    i = distinctOn[1] + 1;
  }

  const listStart = i;
  while (i < to && !isWord(tokens, i, 'from')) {
    i = tokenAt(tokens, i).kind === 'open' ? tokenAt(tokens, i).mate + 1 : i + 1;
  }
  const listEnd = i;
  const fromClause = i < to ? readFromClause(tokens, i + 1, to) : { ...NO_FROM, end: to };
  if (fromClause === undefined) return undefined;
  const { sources, conditions } = fromClause;
  i = fromClause.end;

  const aliases = new Map<string, Aliased>();
  const names: Names = { tokens, sources, aliases: new Map(), aggregated: false };
  const shown = readSelectList(names, listStart, listEnd, aliases);
  if (shown === undefined) return undefined;
  const named: Names = { ...names, aliases };

  const required: Conjunct[] = [];
  if (isWord(tokens, i, 'where')) {
    const start = i + 1;
    i = endOfClause(tokens, start, to);
    if (!conjunctsOf(named, start, i, required)) return undefined;
  }
  const joins: Array<readonly [ColumnReference, ColumnReference]> = [];
  if (!readConditions(named, conditions, required, joins)) return undefined;

  const grouped = new Set<string>();
  const addFilter = ({ source, column }: SourceColumn): void => source.decideBy(column);
  const addFilters = (start: number, end: number): boolean => walkColumns(named, start, end, 'include', addFilter);
  if (distinctOn !== undefined && !everyItem(tokens, ...distinctOn, addFilters)) return undefined;
  if (isWord(tokens, i, 'group') && isWord(tokens, i + 1, 'by')) {
    const start = i + 2;
    i = endOfClause(tokens, start, to);
    named.aggregated = true;
    // `group by 1` means a place in the list.
    const byColumn = (a: number, b: number) => {
      const column = resolveColumn(named, a);
      if (column?.next === b) grouped.add(`${column.source.alias}.${column.column}`);
      return tokenAt(tokens, a).kind !== 'number' && addFilters(a, b);
    };
    if (!everyItem(tokens, start, i, byColumn)) return undefined;
  }
  if (isWord(tokens, i, 'having')) {
    const start = i + 1;
    i = endOfClause(tokens, start, to);
    named.aggregated = true;
    if (!addFilters(start, i)) return undefined;
  }
  if (isWord(tokens, i, 'order') && isWord(tokens, i + 1, 'by')) {
    const start = i + 2;
    i = endOfClause(tokens, start, to);
    if (!everyItem(tokens, start, i, (a, b) => readOrder(named, a, b))) return undefined;
  }

  const limitStart = i;
  while (isWord(tokens, i, 'limit') || isWord(tokens, i, 'offset') || isWord(tokens, i, 'fetch')) {
    const start = i + 1;
    i = endOfClause(tokens, start, to);
    if (!isPagination(tokens, start, i)) return undefined;
  }
  // The first row of each group is one the order chooses, too.
  const limited = i > limitStart || distinctOn !== undefined;
  if (i < to && !isLocking(tokens, i, to)) return undefined;

  for (const { source } of shown.gathered) source.decideBy('id');
  if (named.aggregated && tokens.dialect !== 'postgres') {
    // What is neither grouped by nor aggregated comes from whichever row the database met last.
    for (const { source, column } of shown.bare) {
      if (!grouped.has(`${source.alias}.${column}`)) source.decideBy('id');
    }
  }

  if (distinct) {
    // Rows that cannot be told apart are made one by what they show.
    for (const source of sources) {
      if (source.idProperty === undefined) for (const column of source.output) source.decideBy(column);
    }
  }
  return {
    kind: 'read',
    shape: 'plain',
    sources: sources.map((source) => source.finish()),
    joins,
    limited,
    aggregated: named.aggregated,
    repeatable: i === to,
  };
};

const reference = ({ source, column }: SourceColumn): ColumnReference => ({ alias: source.alias, column });

/**
 * Sorts the conditions of joins and WHERE (`required`) into the sources. A condition of WHERE restricts all sources
 * but for one case: `right.x is null` also lets through rows that have no right side, so that every row of the right
 * side matters, unless another condition demands one. ON of a left join restricts its right side and nothing else.
 */
const readConditions = (
  names: Names,
  conditions: readonly JoinCondition[],
  required: Conjunct[],
  joins: Array<readonly [ColumnReference, ColumnReference]>,
): boolean => {
  /** Pairs a left join makes: where its right side is demanded, so is the other. */
  const chains: Array<{ readonly right: SourceDraft; readonly other: SourceDraft }> = [];

  for (const { from, to, right } of conditions) {
    if (!right.optional) {
      if (!conjunctsOf(names, from, to, required)) return false;
      continue;
    }
    const own: Conjunct[] = [];
    if (!conjunctsOf(names, from, to, own)) return false;
    for (const conjunct of own) {
      if (conjunct.kind === 'pair' && (conjunct.on.source === right || conjunct.other.source === right)) {
        const other = conjunct.on.source === right ? conjunct.other.source : conjunct.on.source;
        addPair(conjunct, joins);
        chains.push({ right, other });
      } else if (conjunct.kind !== 'other' && conjunct.kind !== 'pair' && conjunct.on.source === right)
        restrict(conjunct);
      else filter(conjunct);
    }
  }

  const nulls: Conjunct[] = [];
  for (const conjunct of required) {
    switch (conjunct.kind) {
      case 'null':
        nulls.push(conjunct);
        break;
      case 'pair':
        addPair(conjunct, joins);
        conjunct.on.source.optional = false;
        conjunct.other.source.optional = false;
        break;
      case 'other':
        filter(conjunct);
        break;
      default:
        restrict(conjunct);
        conjunct.on.source.optional = false;
    }
  }
  for (let changed = true; changed; ) {
    changed = false;
    for (const { right, other } of chains) {
      if (!right.optional && other.optional) {
        other.optional = false;
        changed = true;
      }
    }
  }
  for (const conjunct of nulls) {
    if (conjunct.kind === 'null' && conjunct.on.source.optional) filter(conjunct);
    else restrict(conjunct);
  }
  return true;
};

const addPair = (
  { on, other }: Extract<Conjunct, { kind: 'pair' }>,
  joins: Array<readonly [ColumnReference, ColumnReference]>,
): void => {
  joins.push([reference(on), reference(other)]);
};

/** Only rows of the source that satisfy the condition can influence the result. */
const restrict = (conjunct: Conjunct): void => {
  switch (conjunct.kind) {
    case 'key':
      conjunct.on.source.keys.push({ column: conjunct.on.column, values: conjunct.values });
      break;
    case 'null':
      conjunct.on.source.isNull.add(conjunct.on.column);
      break;
    case 'not-null':
      conjunct.on.source.isNotNull.add(conjunct.on.column);
      break;
  }
};

/** The condition's columns have a say in which rows there are, and that is all one can tell. */
const filter = (conjunct: Conjunct): void => {
  const columns =
    conjunct.kind === 'other'
      ? conjunct.columns
      : conjunct.kind === 'pair'
        ? [conjunct.on, conjunct.other]
        : [conjunct.on];
  for (const { source, column } of columns) source.decideBy(column);
};

/**
 * One item of ORDER BY: a column, as it is. What sorts by an expression cannot be told from the columns in it; only
 * where all rows count anyway do their names suffice.
 */
const readOrder = (names: Names, from: number, to: number): boolean => {
  const { tokens, aliases } = names;
  let end = to;
  if (isWord(tokens, end - 2, 'nulls') && end - 2 > from) end -= 2;
  if ((isWord(tokens, end - 1, 'asc') || isWord(tokens, end - 1, 'desc')) && end - 1 > from) end -= 1;
  const first = tokenAt(tokens, from);
  // `order by 2` means a place in the list.
  if (from >= end || first.kind === 'number') return false;
  const sortBy = ({ source, column }: SourceColumn): void => {
    source.sort.add(column);
    source.filters.add(column);
  };
  // A bare name is the list's before it is a column's.
  const aliased = end === from + 1 && isIdentifier(first) ? aliases.get(first.text.toLowerCase()) : undefined;
  if (aliased !== undefined && (aliased.exact || names.aggregated)) {
    aliased.columns.forEach(sortBy);
    return true;
  }
  const column = aliased === undefined ? resolveColumn(names, from) : undefined;
  if (column !== undefined && column.next === end && column.certain) {
    sortBy(column);
    return true;
  }
  return names.aggregated && walkColumns(names, from, end, 'include', sortBy);
};

const PAGINATION_WORDS = new Set('all null first next row rows only with ties percent'.split(' '));

const isPagination = (tokens: Tokens, from: number, to: number): boolean => {
  for (let i = from; i < to; i += 1) {
    const { kind, text } = tokenAt(tokens, i);
    if (
      kind === 'word' ? !PAGINATION_WORDS.has(text) : kind !== 'placeholder' && kind !== 'number' && kind !== 'comma'
    ) {
      return false;
    }
  }
  return from < to;
};

/** `for update of t0 skip locked`, `lock in share mode` */
const isLocking = (tokens: Tokens, from: number, to: number): boolean => {
  const isLock = isWord(tokens, from, 'lock') && isWord(tokens, from + 1, 'in');
  const isFor = ['update', 'share', 'no', 'key'].some((word) => isWord(tokens, from + 1, word));
  if (!isLock && !(isWord(tokens, from, 'for') && isFor)) return false;
  for (let i = from; i < to; i += 1) {
    const { kind } = tokenAt(tokens, i);
    if (kind !== 'word' && kind !== 'name' && kind !== 'comma' && kind !== 'dot') return false;
  }
  return true;
};
