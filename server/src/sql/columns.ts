import { isUnstableKeyword } from './pure-functions';
import type { SourceColumn, SourceDraft } from './from-clause';
import { isIdentifier, isOneOf, isKeyword, nextAtLevel, opens, tokenAt, type Tokens, setOf } from './tokens';

/** The sources to which names in one SELECT can refer. */
export interface Names {
  readonly tokens: Tokens;
  readonly sources: readonly SourceDraft[];
  /**
   * The aliases of the select list, set once that has been read, with the column that each stands for; `undefined` for
   * an alias of anything else.
   */
  aliases: ReadonlyMap<string, SourceColumn | undefined>;
}

interface Resolved extends SourceColumn {
  /** The index after the reference. */
  readonly next: number;
  /** False where the name may mean something else than the table's column: "x" outside PostgreSQL, `user`, an alias. */
  readonly certain: boolean;
}

/** Keywords that every dialect reserves: where an operand is expected, they are no column. */
const NO_COLUMN = setOf('not null true false case when then else exists distinct from to all as select');
const VALUES = setOf('null true false');

/**
 * Other names of the primary key, and columns that change with every write to a row. No tag of a column covers them.
 */
export const SYSTEM_COLUMNS = setOf('rowid _rowid_ _rowid oid ctid xmin xmax cmin cmax tableoid');

/** Keywords that may mean something else than a column. */
const PSEUDO_COLUMNS = setOf('rownum user session_user system_user end');

/**
 * Keywords that may follow an operand within an expression, beside `not` and `as`. With any other the expression is
 * not understood.
 */
const OPERATOR_KEYWORDS = setOf('and or is in like ilike between escape');

/**
 * The column that the reference at `i` names; `undefined` where there is no such source or there are several
 * candidates, and for a whole row, a call or a system column.
 */
export const resolveColumn = ({ tokens, sources, aliases }: Names, i: number): Resolved | undefined => {
  const first = tokenAt(tokens, i);
  const isQualified = tokenAt(tokens, i + 1).kind === 'dot';
  const last = isQualified ? i + 2 : i;
  const { kind, text } = tokenAt(tokens, last);
  const following = tokenAt(tokens, last + 1).kind;
  if (![first, tokenAt(tokens, last)].every(isIdentifier) || following === 'dot' || following === 'open')
    return undefined;
  const column = text.toLowerCase();
  if (SYSTEM_COLUMNS.has(column)) return undefined;
  if (isQualified) {
    const source = sources.find(({ alias }) => alias === first.text.toLowerCase());
    const certain = kind !== 'word' || !PSEUDO_COLUMNS.has(column);
    return source && { source, column, next: last + 1, certain };
  }
  const [source] = sources;
  if (source === undefined || sources.length > 1) return undefined;
  // In PostgreSQL a table's name stands for its whole row.
  if (column === source.alias || column === source.table || isOneOf(tokens, i, NO_COLUMN)) return undefined;
  const isPlain = kind === 'word' ? !PSEUDO_COLUMNS.has(column) && !isUnstableKeyword(column) : kind === 'name';
  return { source, column, next: last + 1, certain: isPlain && !aliases.has(column) };
};

/**
 * Every column of a condition; `undefined` where one may have been missed, where the condition is not complete, or
 * where it uses an alias of the select list: only SQLite resolves aliases there, so what the name means is not known.
 */
export const columnsIn = (names: Names, from: number, to: number): readonly SourceColumn[] | undefined => {
  const { tokens, aliases } = names;
  const columns: SourceColumn[] = [];
  // Keywords mean different things before and after an operand.
  let operandExpected = true;
  for (let i = from; i < to; ) {
    const { kind, text } = tokenAt(tokens, i);
    let next = i + 1;
    switch (kind) {
      case 'open':
        // The columns that a sub-query depends on are not collected.
        if (text !== '(' || isKeyword(tokens, next, 'select')) return undefined;
        operandExpected = true;
        break;
      case 'comma':
        operandExpected = true;
        break;
      case 'operator':
        operandExpected = true;
        // `title::text`
        if (text === '::') {
          operandExpected = false;
          next += 1;
        }
        break;
      case 'close':
        // `(row).field`
        if (tokenAt(tokens, next).kind === 'dot') return undefined;
        operandExpected = false;
        break;
      case 'placeholder':
      case 'number':
      case 'string':
        operandExpected = false;
        break;
      case 'word':
      case 'name':
      case 'ambiguous-name':
        if (!operandExpected) {
          if (kind !== 'word') return undefined;
          if (text === 'as') {
            // The type in `cast(… as …)`
            while (next < to && tokenAt(tokens, next).kind !== 'close') next = nextAtLevel(tokens, next);
            if (next >= to) return undefined;
          } else if (text !== 'not') {
            if (!OPERATOR_KEYWORDS.has(text)) return undefined;
            operandExpected = true;
          }
        } else if (isOneOf(tokens, i, VALUES)) operandExpected = false;
        else if (!isKeyword(tokens, i, 'not') && !opens(tokens, next)) {
          const column = resolveColumn(names, i);
          if (column === undefined || aliases.has(text.toLowerCase())) return undefined;
          columns.push(column);
          ({ next } = column);
          operandExpected = false;
        }
        break;
      default:
        return undefined;
    }
    i = next;
  }
  return operandExpected ? undefined : columns;
};
