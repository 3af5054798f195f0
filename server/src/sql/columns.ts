import { AGGREGATES, isUnstableWord } from './pure-functions';
import type { SourceColumn, SourceDraft } from './from-clause';
import { endOfName, isIdentifier, isWord, nextAtLevel, opens, type Token, tokenAt, type Tokens, words } from './tokens';

/** What an alias of the select list stands for. */
export interface Aliased {
  readonly columns: readonly SourceColumn[];
  /** It is the one column, as it is. */
  readonly exact: boolean;
}

/** What the names in one SELECT can refer to. */
export interface Names {
  readonly tokens: Tokens;
  readonly sources: readonly SourceDraft[];
  /** Of the select list, once that is read. */
  aliases: ReadonlyMap<string, Aliased>;
  aggregated: boolean;
}

export interface Resolved extends SourceColumn {
  /** The index after the reference. */
  readonly next: number;
  /** False for what might be something else than the table's column: "x" in MySQL, rowid, a select list's alias. */
  readonly certain: boolean;
}

/** Where an operand is expected, these are none: reserved in every dialect. */
const NO_COLUMN = words('not null true false case when then else exists distinct from to all as select');
const VALUES = words('null true false');

/** Other names of the primary key, and what changes with every change of a row: nothing any column tells. */
const SYSTEM_COLUMNS = words('rowid _rowid_ oid ctid xmin xmax cmin cmax tableoid');

/** Unquoted, these may mean something else than a column. */
const PSEUDO_COLUMNS = words('rownum user session_user system_user end');

/** Infix and postfix keywords; any other word after an operand means that the expression is not understood. */
const OPERATOR_WORDS = words(
  `and or xor in is like ilike between escape div mod regexp rlike glob match against similar when then else from for
   order separator asc desc overlaps`,
);

/**
 * The column a reference at `i` means; `undefined` where that is not certain: no such source, several candidates, a
 * whole row, a call, a system column.
 */
export const resolveColumn = (names: Names, i: number): Resolved | undefined => {
  const { tokens, sources, aliases } = names;
  const token = tokenAt(tokens, i);
  if (!isIdentifier(token)) return undefined;
  if (tokenAt(tokens, i + 1).kind === 'dot') {
    // `alias.column`, or `schema.table.column`
    const last = tokenAt(tokens, i + 3).kind === 'dot' ? i + 4 : i + 2;
    const column = tokenAt(tokens, last);
    const following = tokenAt(tokens, last + 1);
    if (!isIdentifier(column) || following.kind === 'dot' || following.kind === 'open') return undefined;
    const alias = tokenAt(tokens, last - 2).text.toLowerCase();
    const name = column.text.toLowerCase();
    if (SYSTEM_COLUMNS.has(name)) return undefined;
    const source = sources.find((candidate) => candidate.alias === alias);
    if (source === undefined) return undefined;
    return { source, column: name, next: last + 1, certain: column.kind !== 'word' || !PSEUDO_COLUMNS.has(name) };
  }
  const [source] = sources;
  if (source === undefined || sources.length > 1 || tokenAt(tokens, i + 1).kind === 'open') return undefined;
  const column = token.text.toLowerCase();
  // In PostgreSQL a table's name stands for its whole row.
  if (column === source.alias || column === source.table || SYSTEM_COLUMNS.has(column)) return undefined;
  if (token.kind === 'word' && NO_COLUMN.has(column)) return undefined;
  const certain =
    token.kind === 'word' ? !PSEUDO_COLUMNS.has(column) && !isUnstableWord(column) : token.kind === 'name';
  return { source, column, next: i + 1, certain: certain && !aliases.has(column) };
};

interface Walk {
  readonly names: Names;
  readonly to: number;
  readonly onAlias: 'refuse' | 'include';
  readonly columns: SourceColumn[];
  /** Words mean different things before and after an operand. */
  operandExpected: boolean;
  cases: number;
}

/** Looks at the token at `i`; returns where to go on, or `undefined` where a column might be missed. */
type Step<T = void> = (walk: Walk, i: number, token: T) => number | undefined;

/**
 * Every column of an expression; `undefined` where one may have been missed, or the expression is not complete. `onAlias`
 * says what a name of the select list is here: in WHERE only SQLite sees it, in ORDER BY it goes before columns.
 */
export const columnsIn = (
  names: Names,
  from: number,
  to: number,
  onAlias: Walk['onAlias'],
): readonly SourceColumn[] | undefined => {
  const walk: Walk = { names, to, onAlias, columns: [], operandExpected: true, cases: 0 };
  let i: number | undefined = from;
  while (i !== undefined && i < to) i = step(walk, i);
  return i === undefined || walk.operandExpected ? undefined : walk.columns;
};

const step: Step = (walk, i) => {
  const { tokens } = walk.names;
  const token = tokenAt(tokens, i);
  switch (token.kind) {
    case 'word':
    case 'name':
    case 'doubtful-name':
      return walk.operandExpected ? operand(walk, i, token) : afterOperand(walk, i, token);
    case 'open':
      // What a query within depends on is not among these columns.
      if (isWord(tokens, i + 1, 'select')) return undefined;
      walk.operandExpected = true;
      return i + 1;
    case 'comma':
      walk.operandExpected = true;
      return i + 1;
    case 'operator':
      return operator(walk, i, token);
    case 'close':
      // `(row).field`
      if (tokenAt(tokens, i + 1).kind === 'dot') return undefined;
      walk.operandExpected = false;
      return i + 1;
    case 'placeholder':
    case 'number':
    case 'string':
    case 'variable':
      walk.operandExpected = false;
      return i + 1;
    default:
      return undefined;
  }
};

const operator: Step<Token> = (walk, i, { text }) => {
  // `count(*)`
  walk.operandExpected = text !== '::' && !(text === '*' && walk.operandExpected);
  return text === '::' ? endOfType(walk.names.tokens, i + 1) : i + 1;
};

const endOfType = (tokens: Tokens, from: number): number => {
  let i = endOfName(tokens, from) + 1;
  while (isWord(tokens, i, 'precision') || isWord(tokens, i, 'varying')) i += 1;
  if (tokenAt(tokens, i).text === '(') i = tokenAt(tokens, i).mate + 1;
  if ((isWord(tokens, i, 'with') || isWord(tokens, i, 'without')) && isWord(tokens, i + 1, 'time')) i += 3;
  while (tokenAt(tokens, i).text === '[') i = tokenAt(tokens, i).mate + 1;
  return i;
};

const afterOperand: Step<Token> = (walk, i, { kind, text }) => {
  const { tokens } = walk.names;
  if (kind !== 'word') return undefined;
  switch (text) {
    case 'end':
      walk.cases -= 1;
      return walk.cases < 0 ? undefined : i + 1;
    case 'isnull':
    case 'notnull':
    case 'not':
      return i + 1;
    case 'nulls':
      return i + 2;
    case 'collate':
      return endOfName(tokens, i + 1) + 1;
    case 'as': {
      // The type in cast(… as …)
      let end = i + 1;
      while (end < walk.to && tokenAt(tokens, end).kind !== 'close') end = nextAtLevel(tokens, end);
      return end < walk.to ? end : undefined;
    }
    case 'at':
      walk.operandExpected = true;
      return isWord(tokens, i + 1, 'time') && isWord(tokens, i + 2, 'zone') ? i + 3 : undefined;
    default:
      walk.operandExpected = true;
      if (!OPERATOR_WORDS.has(text)) return undefined;
      return text === 'order' && isWord(tokens, i + 1, 'by') ? i + 2 : i + 1;
  }
};

const operand: Step<Token> = (walk, i, token) => {
  const next = tokenAt(walk.names.tokens, i + 1);
  if (token.kind === 'word') {
    if (NO_COLUMN.has(token.text)) return keyword(walk, i, token);
    // `date '2020-01-01'`, `array[…]`
    if (next.kind === 'string' || (token.text === 'array' && next.text === '[')) return i + 1;
    if (token.text === 'interval' && (next.kind === 'number' || next.kind === 'placeholder')) {
      walk.operandExpected = false;
      return i + 3;
    }
  }
  return opens(walk.names.tokens, i + 1) ? call(walk, i, token) : reference(walk, i, token);
};

const keyword: Step<Token> = (walk, i, { text }) => {
  if (text === 'case') walk.cases += 1;
  walk.operandExpected = !VALUES.has(text);
  return i + 1;
};

const call: Step<Token> = (walk, i, { text }) => {
  const { tokens } = walk.names;
  if (AGGREGATES.has(text)) walk.names.aggregated = true;
  if (text !== 'extract' && text !== 'trim') return i + 1;
  // `extract(year from …)`, `trim(both from …)`
  const takesWord = isWord(tokens, i + 3, 'from') || tokenAt(tokens, i + 3).kind === 'string';
  if (tokenAt(tokens, i + 2).kind !== 'word' || !takesWord) return i + 1;
  walk.operandExpected = false;
  return i + 3;
};

const reference: Step<Token> = (walk, i, { text }) => {
  const { names, onAlias, columns } = walk;
  const isQualified = tokenAt(names.tokens, i + 1).kind === 'dot';
  const aliased = isQualified ? undefined : names.aliases.get(text.toLowerCase());
  const resolved = resolveColumn(names, i);
  if (resolved === undefined || (aliased !== undefined && onAlias === 'refuse')) return undefined;
  columns.push(...(aliased?.columns ?? []), resolved);
  walk.operandExpected = false;
  return resolved.next;
};
