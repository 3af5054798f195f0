import type { EqualityKey, Source } from './statement';
import { isIdentifier, isWord, tokenAt, type Tokens } from './tokens';

/** A `Source` while its SELECT is being read. */
export class SourceDraft {
  readonly keys: EqualityKey[] = [];
  readonly isNull = new Set<string>();
  readonly isNotNull = new Set<string>();
  readonly filters = new Set<string>();
  readonly sort = new Set<string>();
  readonly output = new Set<string>();
  star = false;
  comparesId = false;
  showsId = false;
  idProperty: string | undefined;

  constructor(
    readonly table: string,
    readonly alias: string,
    /** It is the right side of a LEFT JOIN, and no condition has demanded a row of it yet. */
    public optional: boolean,
  ) {}

  /** The column has a say in which rows there are. */
  decideBy(column: string): void {
    this.filters.add(column);
    if (column === 'id') this.comparesId = true;
  }

  finish(): Source {
    const { table, alias, keys, optional, comparesId, showsId, idProperty } = this;
    const told = new Set([...this.isNull, ...this.isNotNull]);
    for (const { column } of keys) told.add(column);
    return {
      table,
      alias,
      optional,
      keys,
      isNull: [...this.isNull],
      isNotNull: [...this.isNotNull],
      filters: [...this.filters].filter((column) => !told.has(column) || this.sort.has(column)),
      sort: [...this.sort],
      output: this.star ? 'all' : [...this.output],
      comparesId,
      showsId,
      idProperty,
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

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** What may follow FROM in a SELECT that is understood. */
const CLAUSES = words('where group having order limit offset fetch for lock');
const JOINS = words('join inner left cross right full natural straight_join');

/** Unquoted, after a table, these are something else than its alias. */
const NO_ALIASES = words(
  'as on using outer union intersect except minus window into set returning partition use force ignore indexed not tablesample',
);

export const startsClause = (tokens: Tokens, i: number): boolean => {
  const token = tokenAt(tokens, i);
  return token.kind === 'word' && CLAUSES.has(token.text);
};

/** Where the clause that `i` stands in ends. */
export const endOfClause = (tokens: Tokens, from: number, to: number): number => {
  let i = from;
  while (i < to && !startsClause(tokens, i))
    i = tokenAt(tokens, i).kind === 'open' ? tokenAt(tokens, i).mate + 1 : i + 1;
  return i;
};

const startsJoin = (tokens: Tokens, i: number): boolean => {
  const token = tokenAt(tokens, i);
  // left(…) and right(…) are functions.
  return token.kind === 'word' && JOINS.has(token.text) && tokenAt(tokens, i + 1).kind !== 'open';
};

/** The table at `i`, and the index after its name. */
const readTable = (tokens: Tokens, i: number, to: number): { table: string; next: number } | undefined => {
  let last = i;
  while (tokenAt(tokens, last + 1).kind === 'dot') last += 2;
  const name = tokenAt(tokens, last);
  if (last >= to || !isIdentifier(name) || (name.kind === 'word' && NO_ALIASES.has(name.text))) return undefined;
  if (startsClause(tokens, last) || startsJoin(tokens, last)) return undefined;
  return { table: name.text.toLowerCase(), next: last + 1 };
};

/**
 * Reads `a, b as x inner join c on … left join d on …`, from the token after FROM. `undefined` for every other way of
 * putting tables together.
 */
export const readFromClause = (tokens: Tokens, from: number, to: number): FromClause | undefined => {
  const sources: SourceDraft[] = [];
  const conditions: JoinCondition[] = [];
  let i = from;
  let optional = false;
  let conditional = false;

  for (;;) {
    // `schema.table as alias`
    const named = readTable(tokens, i, to);
    if (named === undefined) return undefined;
    const { table } = named;
    i = named.next;

    const explicit = isWord(tokens, i, 'as');
    if (explicit) i += 1;
    const following = tokenAt(tokens, i);
    let alias = table;
    if (i < to && isIdentifier(following) && !startsClause(tokens, i) && !startsJoin(tokens, i)) {
      if (following.kind !== 'word' || !NO_ALIASES.has(following.text)) {
        alias = following.text.toLowerCase();
        i += 1;
      } else if (explicit || following.text !== 'on') return undefined;
    } else if (explicit) return undefined;

    if (sources.some((other) => other.alias === alias)) return undefined;
    const source = new SourceDraft(table, alias, optional);
    sources.push(source);

    if (conditional) {
      // A join without its ON right here is nested, or a cross join in disguise.
      if (!isWord(tokens, i, 'on')) return undefined;
      const start = i + 1;
      i = start;
      while (i < to && tokenAt(tokens, i).kind !== 'comma' && !startsClause(tokens, i) && !startsJoin(tokens, i)) {
        i = tokenAt(tokens, i).kind === 'open' ? tokenAt(tokens, i).mate + 1 : i + 1;
      }
      conditions.push({ from: start, to: i, right: source });
    }

    if (i >= to || startsClause(tokens, i)) return { sources, conditions, end: i };
    optional = false;
    conditional = false;
    if (tokenAt(tokens, i).kind === 'comma') {
      i += 1;
      continue;
    }
    if (isWord(tokens, i, 'cross')) i += 1;
    else {
      conditional = true;
      if (isWord(tokens, i, 'inner')) i += 1;
      else if (isWord(tokens, i, 'left')) {
        optional = true;
        i += isWord(tokens, i + 1, 'outer') ? 2 : 1;
      }
    }
    if (!isWord(tokens, i, 'join')) return undefined;
    i += 1;
  }
};
