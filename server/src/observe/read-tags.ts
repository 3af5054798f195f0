import type { Tag } from '../cache/tag';
import { valueKey, type Row } from './column-value';
import { anyRowTag, columnTag, existenceTag, keyTag, membershipTag, rowTag, tableTag, tieTag } from './dependency-tags';
import { LOCALE, localeOf, partitionScope, PUBLISHED_AT, referenceScope, type Half } from './row-scope';
import type { Operand, PlainRead, Read, Source } from './statement';
import type { TableCatalog } from './table-catalog';

/** How finely dependencies are told apart; see `strategy.precision`. */
export type Precision = 'table' | 'document';

/** More single rows of a table than this on one read, and the read depends on every row of it. */
const MAX_ROWS_TOLD_APART = 100;

export interface ReadResult {
  readonly bindings: readonly unknown[];
  /** As the driver returned them; `undefined` where they are not at hand (streams, failed statements). */
  readonly rows: readonly Row[] | undefined;
}

/** The tags of everything the answer to a read depended on. */
export const readTags = (read: Read, result: ReadResult, catalog: TableCatalog, precision: Precision): Tag[] => {
  const tables = read.shape === 'opaque' ? read.tables : read.sources.map((source) => source.table);
  const tags = tables.map(tableTag);
  if (precision === 'table') return tags;
  if (read.shape === 'opaque') {
    for (const table of tables) tags.push(anyRowTag(table));
    return tags;
  }
  const settled = new Set<string>();
  const pending = new Set(read.sources);
  // A source found by key settles the sources joined to it by their primary key, and so on.
  for (let progress = true; progress; ) {
    progress = false;
    for (const source of pending) {
      const found =
        keyTags(source, read, result, catalog) ??
        (isBoundTo(source, read, settled) ? boundTags(source, read, result, catalog) : undefined);
      if (found === undefined) continue;
      tags.push(...found);
      settled.add(source.alias);
      pending.delete(source);
      progress = true;
    }
  }
  for (const source of pending) tags.push(...listTags(source, read, result, catalog));
  return tags;
};

/** The source's rows are all those with certain values in one column: whatever happens to them stamps these tags. */
const keyTags = (source: Source, read: PlainRead, result: ReadResult, catalog: TableCatalog): Tag[] | undefined => {
  const scope = scopeOf(source, read, result, catalog);
  let best: Tag[] | undefined;
  for (const key of source.keys) {
    if (!catalog.isLookupColumn(source.table, key.column)) continue;
    if (key.values.length > MAX_ROWS_TOLD_APART) continue;
    const values = key.values.map((operand) => valueKey(valueOf(operand, result)));
    if (values.some((value) => value === undefined)) continue;
    if (best !== undefined && best.length <= values.length) continue;
    const known = values as string[];
    if (key.column !== 'id') best = known.map((value) => keyTag(source.table, scope, key.column, value));
    else if (isShown(source)) best = known.map((value) => rowTag(source.table, value));
    else best = [...known.map((value) => existenceTag(source.table, value)), ...decidingTags(source, read, scope, catalog)];
  }
  return best;
};

/** Its rows are reached only through `source.id = other.column`, and what `other` holds is covered already. */
const isBoundTo = (source: Source, read: PlainRead, settled: ReadonlySet<string>): boolean =>
  read.joins.some((pair) =>
    bothWays(pair).some(
      ([own, other]) =>
        own.alias === source.alias && own.column === 'id' && settled.has(other.alias) && isRestrictedBy(source, other.alias, read),
    ),
  );

const isShown = ({ output }: Source): boolean => output === 'all' || output.length > 0;

const bothWays = ([left, right]: PlainRead['joins'][number]): Array<PlainRead['joins'][number]> => [
  [left, right],
  [right, left],
];

/**
 * Whether only those rows of `source` matter that have a row of `other` joined to them: `other` is demanded, or the
 * condition stands in the ON of `source` itself, which can only speak of sources before it.
 */
const isRestrictedBy = (source: Source, other: string, { sources }: PlainRead): boolean => {
  const index = sources.findIndex(({ alias }) => alias === other);
  return sources[index]?.optional === false || (source.optional && index < sources.indexOf(source));
};

const boundTags = (source: Source, read: PlainRead, result: ReadResult, catalog: TableCatalog): Tag[] => {
  const scope = scopeOf(source, read, result, catalog);
  const shown = shownTags(source, read, result, scope);
  return shown === undefined ? [anyRowTag(source.table, scope)] : [...shown, ...decidingTags(source, read, scope, catalog)];
};

const listTags = (source: Source, read: PlainRead, result: ReadResult, catalog: TableCatalog): Tag[] => {
  const scope = scopeOf(source, read, result, catalog);
  const shown = shownTags(source, read, result, scope);
  const order = orderTags(source, read, result, scope);
  if (shown === undefined || order === undefined) return [anyRowTag(source.table, scope)];
  return [membershipTag(source.table, scope), ...shown, ...order, ...decidingTags(source, read, scope, catalog)];
};

/** Columns that decide which rows there are: conditions, joins, groups, order. */
const decidingTags = (source: Source, read: PlainRead, scope: string, catalog: TableCatalog): Tag[] => {
  const columns = new Set(source.filters);
  for (const { column } of source.keys) columns.add(column);
  for (const column of [...source.isNull, ...source.isNotNull]) columns.add(column);
  for (const pair of read.joins) {
    for (const { alias, column } of pair) if (alias === source.alias) columns.add(column);
  }
  // The primary key never changes within a row, and the scope stands for the partition.
  columns.delete('id');
  if (scope.startsWith('|')) {
    const [, half, locale] = scope.split('|');
    if (half !== '') columns.delete(PUBLISHED_AT);
    if (locale !== '' && source.keys.some((key) => key.column === LOCALE)) columns.delete(LOCALE);
  }
  if (!catalog.has(source.table, 'id')) return [anyRowTag(source.table, scope)];
  return [...columns].map((column) => columnTag(source.table, scope, column));
};

/** What the result shows: its rows one by one, or its columns; `undefined` where that cannot be told. */
const shownTags = (source: Source, read: PlainRead, result: ReadResult, scope: string): Tag[] | undefined => {
  if (!isShown(source)) return [];
  const { idProperty } = source;
  if (!read.aggregated && idProperty !== undefined && result.rows !== undefined) {
    const ids = new Set<string>();
    for (const row of result.rows) {
      const value = row[idProperty];
      if (value === null) continue;
      const id = valueKey(value);
      if (id === undefined) return undefined;
      ids.add(id);
    }
    if (ids.size <= MAX_ROWS_TOLD_APART) return [...ids].map((id) => rowTag(source.table, id));
    return undefined;
  }
  if (source.output === 'all') return undefined;
  return source.output.map((column) =>
    column === 'id' ? membershipTag(source.table, scope) : columnTag(source.table, scope, column),
  );
};

/** What a page of a limited list depends on beside its rows; `undefined` where its order is not defined. */
const orderTags = (source: Source, read: PlainRead, result: ReadResult, scope: string): Tag[] | undefined => {
  if (!read.limited || read.aggregated) return [];
  const sorted = read.sources.some((candidate) => candidate.sort.length > 0);
  if (!sorted) return undefined;
  const others = read.sources.filter((candidate) => candidate !== source);
  const [first] = source.sort;
  if (first === undefined) {
    // Rows that differ in this source alone have no order; where it is not shown, they do not differ.
    return isShown(source) ? undefined : [];
  }
  const identity = columnTag(source.table, scope, 'id');
  if (others.some((other) => other.sort.length > 0)) return [identity];
  if (source.sort.at(-1) !== 'id') return undefined;
  if (first === 'id') return [identity];
  if (source.output !== 'all' && !source.output.includes(first)) return [identity];
  // Another source's column may hide the sorted one in the result.
  if (others.some(isShown)) return [identity];
  const ties = new Set<Tag>();
  for (const row of result.rows ?? []) {
    if (!(first in row)) return [identity];
    const value = row[first];
    const key = value === null ? '' : valueKey(value);
    if (key === undefined) return [identity];
    ties.add(tieTag(source.table, scope, first, key));
  }
  return ties.size > MAX_ROWS_TOLD_APART ? [identity] : [...ties];
};

/** The narrowest scope that surely holds all rows of the source that matter. */
const scopeOf = (source: Source, read: PlainRead, result: ReadResult, catalog: TableCatalog): string => {
  if (catalog.has(source.table, PUBLISHED_AT) || catalog.has(source.table, LOCALE)) {
    return partitionScope(requiredHalf(source), requiredLocale(source, result));
  }
  for (const pair of read.joins) {
    for (const [own, other] of bothWays(pair)) {
      if (own.alias !== source.alias || other.column !== 'id') continue;
      if (!isRestrictedBy(source, other.alias, read)) continue;
      const target = read.sources.find((candidate) => candidate.alias === other.alias);
      if (target === undefined || catalog.facts(source.table)?.references.get(own.column) !== target.table) continue;
      const half = requiredHalf(target);
      if (half !== undefined && catalog.has(target.table, PUBLISHED_AT)) return referenceScope(own.column, half);
    }
  }
  return '';
};

const requiredHalf = (source: Source): Half | undefined => {
  if (source.isNotNull.includes(PUBLISHED_AT)) return 'published';
  return source.isNull.includes(PUBLISHED_AT) ? 'draft' : undefined;
};

const requiredLocale = (source: Source, result: ReadResult): string | undefined => {
  for (const key of source.keys) {
    const [operand] = key.values;
    if (key.column === LOCALE && operand !== undefined && key.values.length === 1) return localeOf(valueOf(operand, result));
  }
  return undefined;
};

const valueOf = (operand: Operand, result: ReadResult): unknown =>
  'binding' in operand ? result.bindings[operand.binding] : operand.literal;
