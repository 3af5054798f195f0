import { type Names, resolveColumn } from './columns';
import { type Conjunct, conjunctsOf, operandIn } from './conjuncts';
import { endOfClause, type JoinCondition, readFromClause, type SourceColumn, type SourceDraft } from './from-clause';
import { readSelectList, type SelectList } from './select-list';
import type { Operand, PlainRead } from './statement';
import {
  findKeyword,
  isIdentifier,
  isOneOf,
  isKeyword,
  itemsOf,
  type Range,
  tokenAt,
  type Tokens,
  setOf,
} from './tokens';

const FROM = setOf('from');

/**
 * Reads a SELECT over plain joins completely: every column it names is known to belong to one source. `undefined` for
 * any other SELECT, of which only the tables are known.
 */
export const readPlainSelect = (tokens: Tokens, from: number, to: number): PlainRead | undefined => {
  const distinct = isKeyword(tokens, from + 1, 'distinct');
  const list = from + (distinct ? 2 : 1);
  const listEnd = findKeyword(tokens, list, to, FROM);
  const fromClause = readFromClause(tokens, listEnd + 1, to);
  if (fromClause === undefined) return undefined;
  const { sources, conditions } = fromClause;
  const clauses = clausesOf(tokens, fromClause.end, to);
  const names: Names = { tokens, sources, aliases: new Map() };
  const shown = readSelectList(names, list, listEnd);
  if (clauses === undefined || shown === undefined) return undefined;
  names.aliases = shown.aliases;
  const joins = readConditions(names, conditions, clauses.where);
  if (joins === undefined || !readGroups(names, shown, clauses.group)) return undefined;
  const order = clauses.order === undefined ? [] : itemsOf(tokens, ...clauses.order);
  if (!order.every((item) => readOrder(names, shown, ...item))) return undefined;
  if (distinct) decideByLikeness(sources);
  const finished = sources.map((source) => source.finish());
  return {
    kind: 'read',
    shape: 'plain',
    sources: finished,
    tables: finished.map(({ table }) => table),
    joins,
    limited: clauses.limited,
    limit: clauses.limit,
    aggregated: shown.aggregated || clauses.group !== undefined,
  };
};

/** The clauses after FROM; `undefined` for those that are missing. */
interface Clauses {
  readonly where: Range | undefined;
  readonly group: Range | undefined;
  readonly order: Range | undefined;
  /** LIMIT or OFFSET is there. */
  readonly limited: boolean;
  readonly limit: Operand | undefined;
}

const clausesOf = (tokens: Tokens, from: number, to: number): Clauses | undefined => {
  let end = from;
  const next = (...start: readonly string[]): Range | undefined => {
    if (!start.every((keyword, index) => isKeyword(tokens, end + index, keyword))) return undefined;
    const first = end + start.length;
    end = endOfClause(tokens, first, to);
    return [first, end];
  };
  const where = next('where');
  const group = next('group', 'by');
  const order = next('order', 'by');
  const limit = next('limit');
  const offset = next('offset');
  const pages = [limit, offset].filter((page) => page !== undefined);
  const isNumber = ([start, after]: Range): boolean =>
    after === start + 1 && ['placeholder', 'number'].includes(tokenAt(tokens, start).kind);
  if (end !== to || !pages.every(isNumber)) return undefined;
  const number = limit === undefined || offset !== undefined ? undefined : operandIn(tokens, ...limit);
  return { where, group, order, limited: pages.length > 0, limit: number };
};

/**
 * Two sources that the ON of a left join compares: a condition that requires a row of `right` requires one of `other`.
 */
interface Chain {
  readonly right: SourceDraft;
  readonly other: SourceDraft;
}

type Pair = readonly [SourceColumn, SourceColumn];

/**
 * Adds the conditions of joins and WHERE to the sources, and returns the pairs of columns that join the sources. A
 * condition of WHERE restricts its sources, with one exception: rows that have no right side satisfy `right.x is null`
 * as well, so that every row of the right side matters, unless another condition requires one.
 */
const readConditions = (
  names: Names,
  conditions: readonly JoinCondition[],
  where: Range | undefined,
): PlainRead['joins'] | undefined => {
  const joins: Pair[] = [];
  const required: Conjunct[] = [];
  const chains: Chain[] = [];
  if (where !== undefined && !conjunctsOf(names, ...where, required)) return undefined;
  for (const { from, to, right } of conditions) {
    const own: Conjunct[] = [];
    if (!conjunctsOf(names, from, to, right.optional ? own : required)) return undefined;
    for (const conjunct of own) readOptional(conjunct, right, joins, chains);
  }

  const nulls: Array<Exclude<Conjunct, { kind: 'pair' }>> = [];
  for (const conjunct of required) {
    if (conjunct.kind === 'null') nulls.push(conjunct);
    else if (conjunct.kind === 'pair') joins.push(conjunct.columns);
    else restrict(conjunct);
    if (conjunct.kind !== 'null' && conjunct.kind !== 'other')
      for (const { source } of conjunct.columns) source.optional = false;
  }
  // An ON compares its right side with sources before it, so the last join comes first.
  for (const { right, other } of chains.reverse()) if (!right.optional) other.optional = false;
  for (const conjunct of nulls) {
    if (conjunct.columns.some(({ source }) => source.optional)) decideBy(conjunct.columns);
    else restrict(conjunct);
  }
  return joins.map(([one, other]) => [reference(one), reference(other)]);
};

const reference = ({ source, column }: SourceColumn): PlainRead['joins'][number][0] => ({
  alias: source.alias,
  column,
});

/** Adds a condition of a left join's ON, which restricts only the right side. */
const readOptional = (conjunct: Conjunct, right: SourceDraft, joins: Pair[], chains: Chain[]): void => {
  const isOfRight = ({ source }: SourceColumn): boolean => source === right;
  if (!conjunct.columns.some(isOfRight)) decideBy(conjunct.columns);
  else if (conjunct.kind === 'pair') {
    const [one, other] = conjunct.columns;
    joins.push(conjunct.columns);
    chains.push({ right, other: isOfRight(one) ? other.source : one.source });
  } else restrict(conjunct);
};

/** Notes that only rows of the source that satisfy the condition can influence the result. */
const restrict = (conjunct: Exclude<Conjunct, { kind: 'pair' }>): void => {
  if (conjunct.kind === 'other') return decideBy(conjunct.columns);
  const [{ source, column }] = conjunct.columns;
  if (conjunct.kind === 'key') source.keys.push({ column, values: conjunct.values });
  else (conjunct.kind === 'null' ? source.isNull : source.isNotNull).add(column);
};

/** Notes that the columns influence which rows there are; in which way is not known. */
const decideBy = (columns: readonly SourceColumn[]): void => {
  for (const { source, column } of columns) source.decideBy(column);
};

/**
 * DISTINCT merges rows that show the same values, so the columns shown decide which rows there are. Rows of a source
 * whose `id` is shown always differ.
 */
const decideByLikeness = (sources: readonly SourceDraft[]): void => {
  for (const source of sources) {
    if (source.idProperty === undefined) for (const column of source.output) source.decideBy(column);
  }
};

const DIRECTIONS = setOf('asc desc');

/**
 * Whether only columns of GROUP BY are shown beside aggregates, so that what is shown is the same for each row of a
 * group.
 */
const readGroups = (names: Names, { aggregated, bare, hasStar }: SelectList, group: Range | undefined): boolean => {
  if (!aggregated && group === undefined) return true;
  const grouped: SourceColumn[] = [];
  for (const [from, to] of group === undefined ? [] : itemsOf(names.tokens, ...group)) {
    const column = resolveColumn(names, from);
    if (column?.next !== to || !column.certain) return false;
    grouped.push(column);
  }
  decideBy(grouped);
  const isGrouped = ({ source, column }: SourceColumn): boolean =>
    grouped.some((other) => other.source === source && other.column === column);
  return !hasStar && bare.every(isGrouped);
};

/**
 * Reads one item of ORDER BY; false unless it is a plain column. The columns in an expression do not say how the
 * expression sorts.
 */
const readOrder = (names: Names, { aggregated }: SelectList, from: number, to: number): boolean => {
  const { tokens, aliases } = names;
  const end = to - 1 > from && isOneOf(tokens, to - 1, DIRECTIONS) ? to - 1 : to;
  const first = tokenAt(tokens, from);
  // A name without a source means an alias of the select list before it means a column.
  const alias = first.text.toLowerCase();
  const isAlias = end === from + 1 && isIdentifier(first) && aliases.has(alias);
  const resolved = isAlias ? undefined : resolveColumn(names, from);
  const column = isAlias ? aliases.get(alias) : resolved?.next === end && resolved.certain ? resolved : undefined;
  column?.source.sortBy(column.column);
  // Every row counts for an aggregate, whatever its value.
  return column !== undefined || (isAlias && aggregated);
};
