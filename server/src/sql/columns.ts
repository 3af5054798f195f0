import { isAggregate, isUnstableWord } from './pure-functions';
import type { SourceColumn, SourceDraft } from './from-clause';
import { isIdentifier, isWord, tokenAt, type Tokens } from './tokens';

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
  readonly aliases: ReadonlyMap<string, Aliased>;
  /** An aggregate was called. */
  aggregated: boolean;
}

export interface Resolved extends SourceColumn {
  /** The index after the reference. */
  readonly next: number;
  /** False for what might be something else than the table's column: "x" in MySQL, rowid, a select list's alias. */
  readonly certain: boolean;
}

/** Where an operand is expected, these are none: reserved in every dialect. */
const NO_COLUMN = new Set('not null true false case when then else exists distinct from to all as select'.split(' '));

/** Other names of the primary key, and what changes with every change of a row: nothing any column tells. */
const SYSTEM_COLUMNS = new Set('rowid _rowid_ oid ctid xmin xmax cmin cmax tableoid'.split(' '));

/** Unquoted, these may mean something else than a column. */
const PSEUDO_COLUMNS = new Set('rownum user session_user system_user end'.split(' '));

/** Infix and postfix keywords; any other word after an operand means that the expression is not understood. */
const OPERATOR_WORDS = new Set(
  `and or xor in is like ilike between escape div mod regexp rlike glob match against similar when then else from for
   order separator asc desc overlaps`.split(/\s+/),
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

/** Where the type after `::` ends. */
const endOfType = (tokens: Tokens, from: number): number => {
  let i = from + 1;
  while (tokenAt(tokens, i).kind === 'dot') i += 2;
  while (isWord(tokens, i, 'precision') || isWord(tokens, i, 'varying')) i += 1;
  if (tokenAt(tokens, i).text === '(') i = tokenAt(tokens, i).mate + 1;
  if ((isWord(tokens, i, 'with') || isWord(tokens, i, 'without')) && isWord(tokens, i + 1, 'time')) i += 3;
  while (tokenAt(tokens, i).text === '[') i = tokenAt(tokens, i).mate + 1;
  return i;
};

/**
 * Visits every column of an expression; false where one may have been missed, or the expression is not complete. `onAlias` says what a name of the select
 * list is here: in WHERE only SQLite sees it, in ORDER BY it goes before columns.
 */
export const walkColumns = (
  names: Names,
  from: number,
  to: number,
  onAlias: 'refuse' | 'include',
  visit: (column: SourceColumn) => void,
): boolean => {
  const { tokens } = names;
  // Words mean different things before and after an operand.
  let operandExpected = true;
  let cases = 0;

  for (let i = from; i < to; i += 1) {
    const token = tokenAt(tokens, i);
    const next = tokenAt(tokens, i + 1);
    switch (token.kind) {
      case 'open':
        // What a query within depends on is not among these columns.
        if (isWord(tokens, i + 1, 'select')) return false;
        operandExpected = true;
        continue;
      case 'comma':
        operandExpected = true;
        continue;
      case 'close':
        // `(row).field`
        if (next.kind === 'dot') return false;
        operandExpected = false;
        continue;
      case 'placeholder':
      case 'number':
      case 'string':
      case 'variable':
        operandExpected = false;
        continue;
      case 'operator':
        if (token.text === '::') {
          i = endOfType(tokens, i + 1) - 1;
          operandExpected = false;
        } else operandExpected = !(token.text === '*' && operandExpected);
        continue;
      case 'word':
      case 'name':
      case 'doubtful-name':
        break;
      default:
        return false;
    }

    if (!operandExpected) {
      if (token.kind !== 'word') return false;
      switch (token.text) {
        case 'end':
          cases -= 1;
          if (cases < 0) return false;
          continue;
        case 'isnull':
        case 'notnull':
        case 'not':
          continue;
        case 'collate':
          i += 1;
          while (tokenAt(tokens, i + 1).kind === 'dot') i += 2;
          continue;
        case 'at':
          if (!isWord(tokens, i + 1, 'time') || !isWord(tokens, i + 2, 'zone')) return false;
          i += 2;
          operandExpected = true;
          continue;
        case 'nulls':
          i += 1;
          continue;
        case 'as': {
          // The type in cast(… as …)
          let end = i + 1;
          while (end < to && tokenAt(tokens, end).kind !== 'close') {
            end = tokenAt(tokens, end).kind === 'open' ? tokenAt(tokens, end).mate + 1 : end + 1;
          }
          if (end >= to) return false;
          i = end - 1;
          continue;
        }
        default:
          if (!OPERATOR_WORDS.has(token.text)) return false;
          if (token.text === 'order' && isWord(tokens, i + 1, 'by')) i += 1;
          operandExpected = true;
          continue;
      }
    }

    if (token.kind === 'word') {
      if (NO_COLUMN.has(token.text)) {
        if (token.text === 'case') cases += 1;
        operandExpected = token.text !== 'null' && token.text !== 'true' && token.text !== 'false';
        continue;
      }
      // `date '2020-01-01'`
      if (next.kind === 'string') continue;
      if (token.text === 'interval' && (next.kind === 'number' || next.kind === 'placeholder')) {
        i += 2;
        operandExpected = false;
        continue;
      }
      if (token.text === 'array' && next.text === '[') continue;
    }
    if (next.text === '(' && next.kind === 'open') {
      if (isAggregate(token.text)) names.aggregated = true;
      // `extract(year from …)`, `trim(both from …)`
      if (token.text === 'extract' || token.text === 'trim') {
        const word = tokenAt(tokens, i + 2);
        if (word.kind === 'word' && (isWord(tokens, i + 3, 'from') || tokenAt(tokens, i + 3).kind === 'string')) {
          i += 2;
          operandExpected = false;
        }
      }
      continue;
    }

    const resolved = resolveColumn(names, i);
    const aliased = next.kind === 'dot' ? undefined : names.aliases.get(token.text.toLowerCase());
    if (aliased !== undefined) {
      if (onAlias === 'refuse') return false;
      for (const column of aliased.columns) visit(column);
    }
    if (resolved === undefined) return false;
    visit(resolved);
    i = resolved.next - 1;
    operandExpected = false;
  }
  return !operandExpected;
};
