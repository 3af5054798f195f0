import { type Aliased, type Names, resolveColumn, walkColumns } from './columns';
import type { SourceColumn, SourceDraft } from './from-clause';
import { gathersInOrder, isAggregate } from './pure-functions';
import { isIdentifier, isOperator, isWord, spellingOf, type Token, tokenAt, type Tokens } from './tokens';

/** A property the result has, or may have. */
interface Property {
  /** As the driver spells it; '*' for whatever columns the source has. */
  readonly name: string;
  /** The source whose `id` (or star) this certainly is. */
  readonly idOf: SourceDraft | undefined;
}

/** Calls `range` for each part of a list cut at its own commas; false as soon as one call returns false. */
export const everyItem = (
  tokens: Tokens,
  from: number,
  to: number,
  range: (from: number, to: number) => boolean,
): boolean => {
  let start = from;
  for (let i = from; i < to; i += 1) {
    const token = tokenAt(tokens, i);
    if (token.kind === 'open') i = token.mate;
    else if (token.kind === 'comma') {
      if (!range(start, i)) return false;
      start = i + 1;
    }
  }
  return range(start, to);
};

/** PostgreSQL folds what is not quoted. */
const propertyName = (tokens: Tokens, token: Token): string =>
  tokens.dialect === 'postgres' ? token.text : spellingOf(tokens, token);

/** PostgreSQL cuts longer names off. */
const LONGEST_NAME = 63;

export interface ShownColumns {
  /** Those that are shown as they are, or in an expression that is more than one call of an aggregate. */
  readonly bare: readonly SourceColumn[];
  /** Those that an aggregate puts together in the order in which it meets the rows. */
  readonly gathered: readonly SourceColumn[];
}

/**
 * Reads what a SELECT shows: `output` and `idProperty` of each source, and the columns behind each alias. `undefined`
 * where a column may have been missed.
 */
export const readSelectList = (
  names: Names,
  from: number,
  to: number,
  aliases: Map<string, Aliased>,
): ShownColumns | undefined => {
  const { tokens, sources } = names;
  const properties: Property[] = [];
  const bare: SourceColumn[] = [];
  const gathered: SourceColumn[] = [];

  const readItem = (start: number, end: number): boolean => {
    if (start >= end) return false;
    const last = tokenAt(tokens, end - 1);

    if (isOperator(tokens, end - 1, '*') && (end === start + 1 || tokenAt(tokens, end - 2).kind === 'dot')) {
      const alias = tokenAt(tokens, end - 3).text.toLowerCase();
      const starred = end === start + 1 ? sources : sources.filter((source) => source.alias === alias);
      for (const source of starred) {
        source.star = true;
        bare.push({ source, column: '*' });
        properties.push({ name: '*', idOf: source });
      }
      return starred.length > 0;
    }

    const explicit = end - 2 > start && isWord(tokens, end - 2, 'as');
    const nameable = isIdentifier(last) || last.kind === 'string';
    if (explicit && !nameable) return false;
    const expressionEnd = explicit ? end - 2 : end;
    let columns: SourceColumn[] = [];
    let named = explicit;

    const simple = resolveColumn(names, start);
    if (simple !== undefined && (simple.next === expressionEnd || (simple.next === end - 1 && nameable))) {
      named ||= simple.next === end - 1;
      columns.push(simple);
      const written = tokenAt(tokens, simple.next - 1);
      const spelled = propertyName(tokens, written);
      // An unquoted ID is the same column, but who knows what the driver calls it.
      const isId = simple.certain && written.text === 'id' && (named || spelled === 'id');
      properties.push({ name: named ? propertyName(tokens, last) : spelled, idOf: isId ? simple.source : undefined });
    } else {
      const visit = (column: SourceColumn) => columns.push(column);
      if (!walkColumns(names, start, expressionEnd, 'include', visit)) {
        // An alias without AS?
        columns = [];
        if (explicit || !nameable || !walkColumns(names, start, end - 1, 'include', visit)) return false;
        named = true;
      }
      if (named) properties.push({ name: propertyName(tokens, last), idOf: undefined });
      if (!explicit) {
        // A database may name it after anything in it.
        for (let i = start; i < end; i += 1) {
          const token = tokenAt(tokens, i);
          if (isIdentifier(token)) properties.push({ name: token.text, idOf: undefined });
        }
      }
    }

    if (!isAggregateCall(tokens, start, expressionEnd)) bare.push(...columns);
    if (gathers(tokens, start, end)) gathered.push(...columns);
    const counted = isCountOfRows(names, start, end);
    for (const { source, column } of columns) {
      source.output.add(column);
      if (column === 'id' && !counted) source.showsId = true;
    }
    const alias = last.text.toLowerCase();
    if (named && !(columns.length === 1 && simple?.column === alias)) {
      const others = aliases.get(alias)?.columns ?? [];
      aliases.set(alias, {
        columns: [...others, ...columns],
        exact: simple?.next === end - (explicit ? 2 : 1) && others.length === 0,
      });
    }
    return true;
  };

  if (!everyItem(tokens, from, to, readItem)) return undefined;
  for (const source of sources) source.idProperty = idPropertyOf(source, properties);
  return { bare, gathered };
};

const gathers = (tokens: Tokens, from: number, to: number): boolean => {
  for (let i = from; i < to; i += 1) {
    const { kind, text } = tokenAt(tokens, i);
    if (kind === 'word' && gathersInOrder(text)) return true;
  }
  return false;
};

/** `max(…)`, perhaps with an alias after it. */
const isAggregateCall = (tokens: Tokens, from: number, to: number): boolean => {
  const { kind, text } = tokenAt(tokens, from);
  const open = tokenAt(tokens, from + 1);
  return kind === 'word' && isAggregate(text) && open.kind === 'open' && open.mate >= to - 2;
};

/** `count(t0.id) as n`, `count(distinct t0.id) as n` */
const isCountOfRows = (names: Names, start: number, end: number): boolean => {
  const { tokens } = names;
  if (!isWord(tokens, start, 'count') || tokenAt(tokens, start + 1).text !== '(') return false;
  const { mate } = tokenAt(tokens, start + 1);
  if (mate !== end - 3 || !isWord(tokens, end - 2, 'as') || !isIdentifier(tokenAt(tokens, end - 1))) return false;
  const column = resolveColumn(names, isWord(tokens, start + 2, 'distinct') ? start + 3 : start + 2);
  return column?.certain === true && column.column === 'id' && column.next === mate;
};

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
