import { columnsIn, type Names, resolveColumn } from './columns';
import { type Conjunct, conjunctsOf } from './conjuncts';
import { endOfClause, type FromClause, readFromClause, type SourceColumn, type SourceDraft } from './from-clause';
import { readSelectList, type SelectList } from './select-list';
import type { PlainRead } from './statement';
import {
  findWord,
  isIdentifier,
  isOneOf,
  isWord,
  itemsOf,
  opens,
  type Range,
  type Token,
  tokenAt,
  type Tokens,
  words,
} from './tokens';

const FROM = words('from');
const NO_FROM: Omit<FromClause, 'end'> = { sources: [], conditions: [] };

/**
 * A SELECT over plain joins, read completely: every column it names is known to belong to one source. `undefined` as
 * soon as anything else turns up; the names of its tables are then all there is to go by.
 */
export const readPlainSelect = (tokens: Tokens, from: number, to: number): PlainRead | undefined => {
  const distinct = isWord(tokens, from + 1, 'distinct');
  const isFirst = distinct && isWord(tokens, from + 2, 'on') && opens(tokens, from + 3);
  const first: Range | undefined = isFirst ? [from + 4, tokenAt(tokens, from + 3).mate] : undefined;
  const list = first === undefined ? from + (distinct || isWord(tokens, from + 1, 'all') ? 2 : 1) : first[1] + 1;
  const listEnd = findWord(tokens, list, to, FROM);
  const fromClause = listEnd < to ? readFromClause(tokens, listEnd + 1, to) : { ...NO_FROM, end: to };
  if (fromClause === undefined) return undefined;
  const clauses = clausesOf(tokens, first, fromClause.end, to);
  if (clauses === undefined) return undefined;

  const { sources } = fromClause;
  const names: Names = { tokens, sources, aliases: new Map(), aggregated: false };
  const shown = readSelectList(names, list, listEnd);
  if (shown === undefined) return undefined;
  names.aliases = shown.aliases;
  const joins = readConditions(names, fromClause, clauses);
  if (joins === undefined || !readOtherClauses(names, clauses)) return undefined;
  decideByMeeting(names, shown, clauses);
  if (distinct) decideByLikeness(sources);
  const finished = sources.map((source) => source.finish());
  return {
    kind: 'read',
    shape: 'plain',
    sources: finished,
    tables: finished.map(({ table }) => table),
    joins,
    // The first row of each group is one the order chooses, too.
    limited: clauses.pages.length > 0 || first !== undefined,
    aggregated: names.aggregated,
  };
};

/** What stands after FROM, as far as it is there. */
interface Clauses {
  /** DISTINCT ON (…) stands before, and belongs to the order. */
  readonly first: Range | undefined;
  readonly where: Range | undefined;
  readonly group: Range | undefined;
  readonly having: Range | undefined;
  readonly order: Range | undefined;
  readonly pages: readonly Range[];
}

const PAGES = words('limit offset fetch');

const clausesOf = (tokens: Tokens, first: Range | undefined, from: number, to: number): Clauses | undefined => {
  let i = from;
  const endAt = (start: number): Range => {
    i = endOfClause(tokens, start, to);
    return [start, i];
  };
  const next = (word: string): Range | undefined => (isWord(tokens, i, word) ? endAt(i + 1) : undefined);
  const nextBy = (word: string): Range | undefined =>
    isWord(tokens, i, word) && isWord(tokens, i + 1, 'by') ? endAt(i + 2) : undefined;

  const where = next('where');
  const group = nextBy('group');
  const having = next('having');
  const order = nextBy('order');
  const pages: Range[] = [];
  while (isOneOf(tokens, i, PAGES)) pages.push(endAt(i + 1));
  const isUnderstood = pages.every((page) => isPagination(tokens, ...page)) && (i === to || isLocking(tokens, i, to));
  return isUnderstood ? { first, where, group, having, order, pages } : undefined;
};

const PAGINATION_WORDS = words('all null first next row rows only with ties percent');

const isPagination = ({ list }: Tokens, from: number, to: number): boolean =>
  from < to &&
  list
    .slice(from, to)
    .every(({ kind, text }) =>
      kind === 'word' ? PAGINATION_WORDS.has(text) : kind === 'placeholder' || kind === 'number' || kind === 'comma',
    );

/** `for update of t0 skip locked`, `lock in share mode` */
const isLocking = (tokens: Tokens, from: number, to: number): boolean => {
  const isLock = isWord(tokens, from, 'lock') && isWord(tokens, from + 1, 'in');
  const isFor = isWord(tokens, from, 'for') && isOneOf(tokens, from + 1, LOCKS);
  const isPlain = ({ kind }: Token): boolean =>
    kind === 'word' || kind === 'name' || kind === 'comma' || kind === 'dot';
  return (isLock || isFor) && tokens.list.slice(from, to).every(isPlain);
};

const LOCKS = words('update share no key');

/** A pair of columns that a left join makes: where its right side is demanded, so is the other. */
interface Chain {
  readonly right: SourceDraft;
  readonly other: SourceDraft;
}

type Pair = readonly [SourceColumn, SourceColumn];

/**
 * Sorts the conditions of joins and WHERE into the sources, and returns the pairs of columns they join by. A condition of
 * WHERE restricts all sources but for one case: `right.x is null` also lets through rows that have no right side, so that
 * every row of the right side matters, unless another condition demands one.
 */
const readConditions = (
  names: Names,
  { conditions }: Pick<FromClause, 'conditions'>,
  { where }: Clauses,
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
  // ON speaks of sources before its own.
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

/** ON of a left join restricts its right side and nothing else. */
const readOptional = (conjunct: Conjunct, right: SourceDraft, joins: Pair[], chains: Chain[]): void => {
  const isOfRight = ({ source }: SourceColumn): boolean => source === right;
  if (!conjunct.columns.some(isOfRight)) decideBy(conjunct.columns);
  else if (conjunct.kind === 'pair') {
    const [one, other] = conjunct.columns;
    joins.push(conjunct.columns);
    chains.push({ right, other: isOfRight(one) ? other.source : one.source });
  } else restrict(conjunct);
};

/** Only rows of the source that satisfy the condition can influence the result. */
const restrict = (conjunct: Exclude<Conjunct, { kind: 'pair' }>): void => {
  if (conjunct.kind === 'other') return decideBy(conjunct.columns);
  const [{ source, column }] = conjunct.columns;
  if (conjunct.kind === 'key') source.keys.push({ column, values: conjunct.values });
  else (conjunct.kind === 'null' ? source.isNull : source.isNotNull).add(column);
};

/** The columns have a say in which rows there are, and that is all one can tell. */
const decideBy = (columns: readonly SourceColumn[]): void => {
  for (const { source, column } of columns) source.decideBy(column);
};

/** Whether all columns of a range are known; they decide which rows there are. */
const readDeciding = (names: Names, from: number, to: number): boolean => {
  const columns = columnsIn(names, from, to, 'include');
  decideBy(columns ?? []);
  return columns !== undefined;
};

/** GROUP BY, HAVING, ORDER BY, DISTINCT ON; false where a column may have been missed. */
const readOtherClauses = (names: Names, { first, group, having, order }: Clauses): boolean => {
  const { tokens } = names;
  if (group !== undefined || having !== undefined) names.aggregated = true;
  // `group by 1` means a place in the list.
  const isPlace = ([from]: Range): boolean => tokenAt(tokens, from).kind === 'number';
  return (
    itemsIn(tokens, first).every((item) => readDeciding(names, ...item)) &&
    itemsIn(tokens, group).every((item) => !isPlace(item) && readDeciding(names, ...item)) &&
    (having === undefined || readDeciding(names, ...having)) &&
    itemsIn(tokens, order).every((item) => readOrder(names, ...item))
  );
};

const itemsIn = (tokens: Tokens, range: Range | undefined): readonly Range[] =>
  range === undefined ? [] : itemsOf(tokens, ...range);

/** What aggregates show depends on the order in which the database met the rows: that of their primary keys, mostly. */
const decideByMeeting = (names: Names, { bare, gathered }: SelectList, { group }: Clauses): void => {
  for (const { source } of gathered) source.decideBy('id');
  if (!names.aggregated || names.tokens.dialect === 'postgres') return;
  // What is neither grouped by nor aggregated comes from whichever row the database met last.
  const grouped = itemsIn(names.tokens, group).map(([from, to]) => {
    const column = resolveColumn(names, from);
    return column?.next === to ? column : undefined;
  });
  for (const { source, column } of bare) {
    if (!grouped.some((other) => other?.source === source && other.column === column)) source.decideBy('id');
  }
};

/** DISTINCT: rows that cannot be told apart are made one by what they show. */
const decideByLikeness = (sources: readonly SourceDraft[]): void => {
  for (const source of sources) {
    if (source.idProperty === undefined) for (const column of source.output) source.decideBy(column);
  }
};

const DIRECTIONS = words('asc desc');

/**
 * One item of ORDER BY: a column, as it is. What sorts by an expression cannot be told from the columns in it; only
 * where all rows count anyway do their names suffice.
 */
const readOrder = (names: Names, from: number, to: number): boolean => {
  const { tokens, aliases } = names;
  let end = to;
  if (isWord(tokens, end - 2, 'nulls') && end - 2 > from) end -= 2;
  if (isOneOf(tokens, end - 1, DIRECTIONS) && end - 1 > from) end -= 1;
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
  const columns = names.aggregated ? columnsIn(names, from, end, 'include') : undefined;
  columns?.forEach(sortBy);
  return columns !== undefined;
};
