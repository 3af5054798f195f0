import { type Aliased, columnsIn, type Names, resolveColumn } from './columns';
import type { SourceColumn, SourceDraft } from './from-clause';
import { AGGREGATES, GATHERING } from './pure-functions';
import {
  isIdentifier,
  isOperator,
  isWord,
  itemsOf,
  opens,
  spellingOf,
  type Token,
  tokenAt,
  type Tokens,
} from './tokens';

/** A property the result has, or may have. */
interface Property {
  /** As the driver spells it; '*' for whatever columns the source has. */
  readonly name: string;
  /** The source whose `id` (or star) this certainly is. */
  readonly idOf?: SourceDraft | undefined;
}

/** One part of the list. */
interface Item {
  readonly columns: readonly SourceColumn[];
  readonly properties: readonly Property[];
  /** Where the name it is given starts, if it has one. */
  readonly end: number;
  /** A name that stands for it, and not for a column of the same name. */
  readonly alias: string | undefined;
  /** It is one column, as it is. */
  readonly isColumn: boolean;
}

export interface SelectList {
  /** Columns that are shown as they are, or in an expression that is more than one call of an aggregate. */
  readonly bare: readonly SourceColumn[];
  /** Those that an aggregate puts together in the order in which it meets the rows. */
  readonly gathered: readonly SourceColumn[];
  readonly aliases: ReadonlyMap<string, Aliased>;
}

/**
 * Reads what a SELECT shows: `output` and `idProperty` of each source, and the columns behind each alias. `undefined`
 * where a column may have been missed.
 */
export const readSelectList = (names: Names, from: number, to: number): SelectList | undefined => {
  const { tokens, sources } = names;
  const properties: Property[] = [];
  const bare: SourceColumn[] = [];
  const gathered: SourceColumn[] = [];
  const aliases = new Map<string, Aliased>();

  for (const [start, end] of itemsOf(tokens, from, to)) {
    const item = readItem(names, start, end);
    if (item === undefined) return undefined;
    const { columns, alias } = item;
    properties.push(...item.properties);
    if (!isAggregateCall(tokens, start, item.end)) bare.push(...columns);
    if (gathers(tokens, start, end)) gathered.push(...columns);
    const isCounted = isCountOfRows(names, start, end);
    for (const { source, column } of columns) source.show(column, isCounted);
    if (alias === undefined) continue;
    const others = aliases.get(alias)?.columns ?? [];
    aliases.set(alias, { columns: [...others, ...columns], exact: item.isColumn && others.length === 0 });
  }
  for (const source of sources) source.idProperty = idPropertyOf(source, properties);
  return { bare, gathered, aliases };
};

const readItem = (names: Names, start: number, end: number): Item | undefined => {
  if (start >= end) return undefined;
  const { tokens } = names;
  if (isOperator(tokens, end - 1, '*') && (end === start + 1 || tokenAt(tokens, end - 2).kind === 'dot'))
    return starOf(names, start, end);
  const last = tokenAt(tokens, end - 1);
  const name = isIdentifier(last) || last.kind === 'string' ? last : undefined;
  if (end - 2 > start && isWord(tokens, end - 2, 'as'))
    return name && (columnOf(names, start, end - 2, name) ?? expressionOf(names, start, end - 2, name));

  const column = columnOf(names, start, end) ?? (name && columnOf(names, start, end - 1, name));
  if (column !== undefined) return column;
  const expression = expressionOf(names, start, end) ?? (name && expressionOf(names, start, end - 1, name));
  // A database may name it after anything in it.
  const parts = tokens.list.slice(start, end).filter(isIdentifier);
  return (
    expression && {
      ...expression,
      properties: [...expression.properties, ...parts.map(({ text }) => ({ name: text }))],
    }
  );
};

/** `*`, `t0.*` */
const starOf = ({ tokens, sources }: Names, start: number, end: number): Item | undefined => {
  const alias = tokenAt(tokens, end - 3).text.toLowerCase();
  const starred = end === start + 1 ? sources : sources.filter((source) => source.alias === alias);
  if (starred.length === 0) return undefined;
  return {
    columns: starred.map((source) => ({ source, column: '*' })),
    properties: starred.map((source) => ({ name: '*', idOf: source })),
    end,
    alias: undefined,
    isColumn: false,
  };
};

/** PostgreSQL folds what is not quoted. */
const propertyName = (tokens: Tokens, token: Token): string =>
  tokens.dialect === 'postgres' ? token.text : spellingOf(tokens, token);

const columnOf = (names: Names, start: number, end: number, name?: Token): Item | undefined => {
  const column = resolveColumn(names, start);
  if (column?.next !== end) return undefined;
  const written = tokenAt(names.tokens, end - 1);
  const property = propertyName(names.tokens, name ?? written);
  // An unquoted ID is the same column, but who knows what the driver calls it.
  const isId = column.certain && written.text === 'id' && (name !== undefined || property === 'id');
  const alias = name?.text.toLowerCase();
  return {
    columns: [column],
    properties: [{ name: property, idOf: isId ? column.source : undefined }],
    end,
    alias: alias === column.column ? undefined : alias,
    isColumn: true,
  };
};

const expressionOf = (names: Names, start: number, end: number, name?: Token): Item | undefined => {
  const columns = columnsIn(names, start, end, 'include');
  return (
    columns && {
      columns,
      properties: name === undefined ? [] : [{ name: propertyName(names.tokens, name) }],
      end,
      alias: name?.text.toLowerCase(),
      isColumn: false,
    }
  );
};

const gathers = ({ list }: Tokens, from: number, to: number): boolean =>
  list.slice(from, to).some(({ kind, text }) => kind === 'word' && GATHERING.has(text));

/** `max(…)`, perhaps with an alias after it. */
const isAggregateCall = (tokens: Tokens, from: number, to: number): boolean => {
  const { kind, text } = tokenAt(tokens, from);
  return kind === 'word' && AGGREGATES.has(text) && opens(tokens, from + 1) && tokenAt(tokens, from + 1).mate >= to - 2;
};

/** `count(t0.id) as n`, `count(distinct t0.id) as n` */
const isCountOfRows = (names: Names, start: number, end: number): boolean => {
  const { tokens } = names;
  if (!isWord(tokens, start, 'count') || !opens(tokens, start + 1)) return false;
  const { mate } = tokenAt(tokens, start + 1);
  if (mate !== end - 3 || !isWord(tokens, end - 2, 'as') || !isIdentifier(tokenAt(tokens, end - 1))) return false;
  const column = resolveColumn(names, isWord(tokens, start + 2, 'distinct') ? start + 3 : start + 2);
  return column?.certain === true && column.column === 'id' && column.next === mate;
};

/** PostgreSQL cuts longer names off. */
const LONGEST_NAME = 63;

const idPropertyOf = (source: SourceDraft, properties: readonly Property[]): string | undefined => {
  for (const { name, idOf } of properties) {
    if (idOf !== source) continue;
    const candidate = name === '*' ? 'id' : name;
    const collides = (other: Property): boolean => {
      // Of a star, only `id` is known to be there; what else there is, is not known.
      if (other.name === '*') return candidate !== 'id' || other.idOf !== source;
      if (other.name === candidate) return other.idOf !== source;
      return other.name.toLowerCase() === candidate.toLowerCase();
    };
    if (candidate.length <= LONGEST_NAME && !properties.some(collides)) return candidate;
  }
  return undefined;
};
