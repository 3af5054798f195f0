import type { EqualityKey, Source } from './statement';
import {
  endOfName,
  findKeyword,
  isIdentifier,
  isOneOf,
  isKeyword,
  nextAtLevel,
  tokenAt,
  type Tokens,
  setOf,
} from './tokens';

/** A `Source` while its SELECT is being read. */
export class SourceDraft {
  readonly keys: EqualityKey[] = [];
  readonly isNull = new Set<string>();
  readonly isNotNull = new Set<string>();
  readonly filters = new Set<string>();
  readonly sort = new Set<string>();
  readonly output = new Set<string>();
  star = false;
  renames = false;
  comparesId = false;
  showsId = false;
  idProperty: string | undefined;

  constructor(
    readonly table: string,
    readonly alias: string,
    /** It is the right side of a LEFT JOIN, and no condition found so far requires a row of it. */
    public optional: boolean,
  ) {}

  /** Notes that the column influences which rows there are. */
  decideBy(column: string): void {
    this.filters.add(column);
    if (column === 'id') this.comparesId = true;
  }

  /** Notes that the result is sorted by the column. */
  sortBy(column: string): void {
    this.sort.add(column);
    this.filters.add(column);
  }

  /** Notes that the result shows the column, or counts it. */
  show(column: string, isCounted: boolean): void {
    if (column === '*') this.star = true;
    else this.output.add(column);
    if (column === 'id' && !isCounted) this.showsId = true;
  }

  finish(): Source {
    const { keys, isNull, isNotNull, filters, sort, output, star, ...rest } = this;
    const keyed = new Set(keys.map(({ column }) => column));
    return {
      ...rest,
      keys,
      isNull: [...isNull],
      isNotNull: [...isNotNull],
      filters: [...filters].filter((column) => !keyed.has(column) || sort.has(column)),
      sort: [...sort],
      output: star ? 'all' : [...output],
    };
  }
}

/** A column, and the source it is certain to belong to. */
export interface SourceColumn {
  readonly source: SourceDraft;
  readonly column: string;
}

/** The ON condition of one join: the tokens from `from` up to `to`. */
export interface JoinCondition {
  readonly from: number;
  readonly to: number;
  readonly right: SourceDraft;
}

export interface FromClause {
  readonly sources: readonly SourceDraft[];
  readonly conditions: readonly JoinCondition[];
  /** The index after it. */
  readonly end: number;
}

/** Keywords that may follow FROM in a SELECT that is understood. */
const CLAUSES = setOf('where group having order limit offset fetch for lock');

/** The index at which the clause around `from` ends. */
export const endOfClause = (tokens: Tokens, from: number, to: number): number => findKeyword(tokens, from, to, CLAUSES);

/** The joins that are understood, and whether each keeps rows that have no match on its right side. */
const JOINS: ReadonlyMap<string, boolean> = new Map([
  ['join', false],
  ['inner join', false],
  ['left join', true],
  ['left outer join', true],
]);

const JOIN = setOf('join');
const JOIN_STARTS = setOf('join inner left cross right full natural straight_join');

/** Keywords after a table that are not its alias. */
const NO_ALIASES = setOf(
  'as on using outer union intersect except minus window into set returning partition use force ignore indexed not tablesample',
);

/**
 * Whether another clause or the next join begins at `i`, so that the source before it has ended. `left(…)` and
 * `right(…)` are functions.
 */
const endsSource = (tokens: Tokens, i: number): boolean =>
  isOneOf(tokens, i, CLAUSES) || (isOneOf(tokens, i, JOIN_STARTS) && tokenAt(tokens, i + 1).kind !== 'open');

/** Reads `schema.table as alias` at `i`; returns the source and the index after it. */
const readSource = (tokens: Tokens, i: number, to: number, optional: boolean): [SourceDraft, number] | undefined => {
  const mayBeName = (index: number): boolean =>
    index < to && isIdentifier(tokenAt(tokens, index)) && !endsSource(tokens, index);
  const last = endOfName(tokens, i);
  if (!mayBeName(last) || isOneOf(tokens, last, NO_ALIASES)) return undefined;
  const table = tokenAt(tokens, last).text.toLowerCase();

  const explicit = isKeyword(tokens, last + 1, 'as');
  const next = last + (explicit ? 2 : 1);
  if (mayBeName(next) && !isOneOf(tokens, next, NO_ALIASES))
    return [new SourceDraft(table, tokenAt(tokens, next).text.toLowerCase(), optional), next + 1];
  if (explicit || (mayBeName(next) && !isKeyword(tokens, next, 'on'))) return undefined;
  return [new SourceDraft(table, table, optional), next];
};

/** Reads `a as x inner join b on … left join c on …`, from the token after FROM; `undefined` for anything else. */
export const readFromClause = (tokens: Tokens, from: number, to: number): FromClause | undefined => {
  const sources: SourceDraft[] = [];
  const conditions: JoinCondition[] = [];
  let optional = false;
  for (let start = from; ; ) {
    const [source, next] = readSource(tokens, start, to, optional) ?? [];
    if (source === undefined || next === undefined || sources.some(({ alias }) => alias === source.alias))
      return undefined;
    sources.push(source);
    let end = next;
    if (start !== from) {
      // A join whose ON does not follow at once is nested, or is a cross join.
      if (!isKeyword(tokens, next, 'on')) return undefined;
      end = next + 1;
      while (end < to && tokenAt(tokens, end).kind !== 'comma' && !endsSource(tokens, end))
        end = nextAtLevel(tokens, end);
      conditions.push({ from: next + 1, to: end, right: source });
    }
    if (end >= to || isOneOf(tokens, end, CLAUSES)) return { sources, conditions, end };
    const join = findKeyword(tokens, end, end + 2, JOIN);
    const isLeft = JOINS.get(
      tokens.list
        .slice(end, join + 1)
        .map(({ text }) => text)
        .join(' '),
    );
    if (isLeft === undefined) return undefined;
    optional = isLeft;
    start = join + 1;
  }
};
