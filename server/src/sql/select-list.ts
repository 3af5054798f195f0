import { type Names, resolveColumn } from './columns';
import type { SourceColumn, SourceDraft } from './from-clause';
import { isIdentifier, isOneOf, isOperator, isKeyword, itemsOf, opens, spellingOf, tokenAt, setOf } from './tokens';

/** A property the result has, or may have. */
interface Property {
  /** As the driver spells it; '*' for all columns of the source. */
  readonly name: string;
  /** The source whose `id` (or star) this certainly is. */
  readonly idOf: SourceDraft | undefined;
}

export interface SelectList {
  readonly aliases: Names['aliases'];
  /** It shows aggregates, beside columns or alone. */
  readonly aggregated: boolean;
  /** The columns it shows as they are. */
  readonly bare: readonly SourceColumn[];
  /** It shows everything that some source has. */
  readonly hasStar: boolean;
}

/** Aggregates whose result does not depend on the order of the rows. */
const COUNTS = setOf('count sum avg min max');

/**
 * Reads a select list of columns and aggregates. Sets `output` and `idProperty` of each source, and finds the column
 * behind each alias. `undefined` if the list holds any other expression.
 */
export const readSelectList = (names: Names, from: number, to: number): SelectList | undefined => {
  const aliases = new Map<string, SourceColumn | undefined>();
  const properties: Property[] = [];
  const bare: SourceColumn[] = [];
  let aggregated = false;
  let hasStar = false;
  for (const [start, end] of itemsOf(names.tokens, from, to)) {
    const column = showColumn(names, start, end, aliases, properties);
    if (column !== undefined) bare.push(column);
    else if (showAggregate(names, start, end, aliases)) aggregated = true;
    else if (showStar(names, start, end, properties)) hasStar = true;
    else return undefined;
  }
  // Rows that stand for groups are not identified by a primary key.
  if (!aggregated) for (const source of names.sources) source.idProperty = idPropertyOf(source, properties);
  return { aliases, aggregated, bare, hasStar };
};

/** Reads `*` and `t0.*`. */
const showStar = ({ tokens, sources }: Names, start: number, end: number, properties: Property[]): boolean => {
  const isQualified = end === start + 3 && tokenAt(tokens, start + 1).kind === 'dot';
  if (!isOperator(tokens, end - 1, '*') || (end !== start + 1 && !isQualified)) return false;
  const alias = tokenAt(tokens, start).text.toLowerCase();
  const starred = isQualified ? sources.filter((source) => source.alias === alias) : sources;
  for (const source of starred) {
    source.show('*', false);
    properties.push({ name: '*', idOf: source });
  }
  return starred.length > 0;
};

/** Reads `t0.title`, with or without an alias. */
const showColumn = (
  names: Names,
  start: number,
  end: number,
  aliases: Map<string, SourceColumn | undefined>,
  properties: Property[],
): SourceColumn | undefined => {
  const { tokens } = names;
  const column = resolveColumn(names, start);
  if (column === undefined) return undefined;
  const { source, next, certain } = column;
  const written = tokenAt(tokens, next - 1);
  const name = tokenAt(tokens, end - 1);
  const hasAs = isKeyword(tokens, next, 'as');
  const isNamed = isIdentifier(name) && end === next + (hasAs ? 2 : 1);
  if (end !== next && !isNamed) return undefined;
  // In MySQL's `select sql_no_cache title` the first word is no column, and the second no alias.
  if (isNamed && !hasAs && written === tokenAt(tokens, start)) return undefined;

  source.show(column.column, false);
  // PostgreSQL folds unquoted names to lower case.
  const property = tokens.dialect === 'postgres' ? name.text : spellingOf(tokens, name);
  // An unquoted ID is the same column, but it is not known how the driver spells the property.
  const isId = certain && written.text === 'id' && (isNamed || property === 'id');
  properties.push({ name: property, idOf: isId ? source : undefined });
  const alias = name.text.toLowerCase();
  if (isNamed && alias !== column.column) {
    source.renames = true;
    aliases.set(alias, aliases.has(alias) ? undefined : column);
  }
  return column;
};

/** Reads `count(*)`, `count(1)` and `max(t0.views) as most`. */
const showAggregate = (
  names: Names,
  start: number,
  end: number,
  aliases: Map<string, SourceColumn | undefined>,
): boolean => {
  const { tokens } = names;
  if (!isOneOf(tokens, start, COUNTS) || !opens(tokens, start + 1)) return false;
  const { mate } = tokenAt(tokens, start + 1);
  const name = tokenAt(tokens, end - 1);
  const isNamed = isIdentifier(name) && end === mate + (isKeyword(tokens, mate + 1, 'as') ? 3 : 2);
  if (end !== mate + 1 && !isNamed) return false;
  if (isNamed) aliases.set(name.text.toLowerCase(), undefined);
  const operand = isKeyword(tokens, start + 2, 'distinct') ? start + 3 : start + 2;
  const isCount = isKeyword(tokens, start, 'count');
  const isOfRows = isOperator(tokens, operand, '*') || tokenAt(tokens, operand).kind === 'number';
  if (isCount && isOfRows) return operand === mate - 1;
  const column = resolveColumn(names, operand);
  if (column?.next !== mate) return false;
  column.source.show(column.column, isCount && column.certain);
  return true;
};

/** PostgreSQL truncates longer names. */
const LONGEST_NAME = 63;

const idPropertyOf = (source: SourceDraft, properties: readonly Property[]): string | undefined => {
  for (const { name, idOf } of properties) {
    if (idOf !== source) continue;
    const candidate = name === '*' ? 'id' : name;
    const collides = (other: Property): boolean => {
      // Of the columns behind a star, only `id` is known.
      if (other.name === '*') return candidate !== 'id' || other.idOf !== source;
      if (other.name === candidate) return other.idOf !== source;
      return other.name.toLowerCase() === candidate.toLowerCase();
    };
    if (candidate.length <= LONGEST_NAME && !properties.some(collides)) return candidate;
  }
  return undefined;
};
