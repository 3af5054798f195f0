import type { Tag } from '../cache/tag';
import { UNSPELLED, valueKey, type Row } from './column-value';
import {
  anyRowTag,
  columnTag,
  existenceTag,
  keySubstanceTag,
  keyTag,
  membershipTag,
  rowTag,
  spanTag,
  tableTag,
  tieTag,
} from './dependency-tags';
import { spansUpTo } from './key-spans';
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
  tags.push(...listedTags(pending, read, result, catalog));
  return tags;
};

/**
 * The rest are lists: rows may come and go. But a row that others refer to, and the database sees to it that they do,
 * comes into the answer and leaves it only together with one of those.
 */
const listedTags = (
  sources: ReadonlySet<Source>,
  read: PlainRead,
  result: ReadResult,
  catalog: TableCatalog,
): Tag[] => {
  const tags: Tag[] = [];
  const pending = new Set(sources);
  const listed = new Set<Source>();
  while (pending.size > 0) {
    const candidates = [...pending];
    const follower = candidates.find((source) => followsAny(source, listed, read, catalog));
    // Where each follows another, one has to come first.
    const source =
      follower ?? candidates.find((candidate) => !followsAny(candidate, pending, read, catalog)) ?? candidates[0];
    if (source === undefined) break;
    tags.push(...listTags(source, read, result, catalog, follower === undefined));
    pending.delete(source);
    listed.add(source);
  }
  return tags;
};

/** Whether rows of `source` matter only where a row of one of the others refers to them by an enforced foreign key. */
const followsAny = (source: Source, others: ReadonlySet<Source>, read: PlainRead, catalog: TableCatalog): boolean =>
  [...others].some(
    (other) =>
      other !== source &&
      isRestrictedBy(source, other.alias, read) &&
      read.joins
        .flatMap(bothWays)
        .some(
          ([own, theirs]) =>
            own.alias === source.alias &&
            own.column === 'id' &&
            theirs.alias === other.alias &&
            catalog.isReference(other.table, theirs.column, source.table),
        ),
  );

/** The source's rows are all those with certain values in one column: whatever happens to them stamps these tags. */
const keyTags = (source: Source, read: PlainRead, result: ReadResult, catalog: TableCatalog): Tag[] | undefined => {
  const scope = scopeOf(source, read, result, catalog);
  let best: Tag[] | undefined;
  for (const key of source.keys) {
    if (!catalog.isLookupColumn(source.table, key.column)) continue;
    if (key.values.length > MAX_ROWS_TOLD_APART) continue;
    const operands = key.values.map((operand) => valueOf(operand, result));
    if (catalog.isTextLookup(source.table, key.column) && operands.some((value) => typeof value !== 'string')) continue;
    const values = operands.map(valueKey);
    if (values.some((value) => value === undefined)) continue;
    // A database may find row 5 under '5abc'; only numbers surely mean the row of that number.
    if (key.column === 'id' && values.some((value) => !/^-?\d+$/.test(value ?? ''))) continue;
    if (best !== undefined && best.length <= values.length) continue;
    const known = values as string[];
    if (key.column !== 'id') {
      const tagOf = showsPlace(source, catalog) ? keyTag : keySubstanceTag;
      best = [...known, UNSPELLED].map((value) => tagOf(source.table, scope, key.column, value));
    } else if (isShown(source)) best = known.map((value) => rowTag(source.table, value));
    else
      best = [
        ...known.map((value) => existenceTag(source.table, value)),
        ...decidingTags(source, read, scope, catalog),
      ];
  }
  return best;
};

/** Its rows are reached only through `source.id = other.column`, and what `other` holds is covered already. */
const isBoundTo = (source: Source, read: PlainRead, settled: ReadonlySet<string>): boolean =>
  read.joins.some((pair) =>
    bothWays(pair).some(
      ([own, other]) =>
        own.alias === source.alias &&
        own.column === 'id' &&
        settled.has(other.alias) &&
        isRestrictedBy(source, other.alias, read),
    ),
  );

const isShown = ({ output, showsId }: Source): boolean =>
  output === 'all' || output.some((column) => column !== 'id' || showsId);

/** Whether the read looks at where among its like a join row stands. */
const showsPlace = (
  { table, output, filters, sort, keys, isNull, isNotNull }: Source,
  catalog: TableCatalog,
): boolean => {
  if (output === 'all') return true;
  const columns = [...output, ...filters, ...sort, ...keys.map(({ column }) => column), ...isNull, ...isNotNull];
  return columns.some((column) => catalog.isPlaceColumn(table, column));
};

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
  const shown = shownTags(source, read, result, scope, catalog);
  if (shown === undefined) return [anyRowTag(source.table, scope)];
  return [...shown, ...presenceTags(source, read, scope, catalog), ...decidingTags(source, read, scope, catalog)];
};

/**
 * A row that is only asked for whether it is there: where the database keeps its references intact it is, otherwise it
 * may go. One that is shown has its own tag.
 */
const presenceTags = (source: Source, { joins, sources }: PlainRead, scope: string, catalog: TableCatalog): Tag[] => {
  const { table, alias } = source;
  if (isShown(source)) return [];
  const isGuaranteed = joins.flatMap(bothWays).some(([own, other]) => {
    const referring = sources.find((candidate) => candidate.alias === other.alias);
    return (
      own.alias === alias &&
      own.column === 'id' &&
      referring !== undefined &&
      catalog.isReference(referring.table, other.column, table)
    );
  });
  return isGuaranteed ? [] : [membershipTag(table, scope)];
};

const listTags = (
  source: Source,
  read: PlainRead,
  result: ReadResult,
  catalog: TableCatalog,
  comesAndGoes: boolean,
): Tag[] => {
  const scope = scopeOf(source, read, result, catalog);
  const shown = shownTags(source, read, result, scope, catalog);
  const order = orderTags(source, read, result, scope);
  if (shown === undefined || order === undefined) return [anyRowTag(source.table, scope)];
  const presence = comesAndGoes ? [membershipTag(source.table, scope)] : [];
  return [...presence, ...shown, ...order, ...decidingTags(source, read, scope, catalog)];
};

/** Columns that decide which rows there are: conditions, joins, groups, order. */
const decidingTags = (source: Source, read: PlainRead, scope: string, catalog: TableCatalog): Tag[] => {
  const columns = new Set(source.filters);
  for (const { column } of source.keys) columns.add(column);
  for (const column of [...source.isNull, ...source.isNotNull]) columns.add(column);
  for (const pair of read.joins) {
    for (const { alias, column } of pair) if (alias === source.alias) columns.add(column);
  }
  // Primary keys change only by moving, and what refers to a row moves with it.
  if (!dependsOnKeys(source, read, catalog)) columns.delete('id');
  else columns.add('id');
  if (scope.startsWith('|')) {
    const [, half, locale] = scope.split('|');
    if (half !== '') columns.delete(PUBLISHED_AT);
    if (locale !== '' && source.keys.some((key) => key.column === LOCALE)) columns.delete(LOCALE);
  }
  if (!catalog.has(source.table, 'id')) return [anyRowTag(source.table, scope)];
  return [...columns].map((column) => columnTag(source.table, scope, column));
};

/**
 * Whether a moved row may matter although nothing else about it has changed: its own primary key is compared with
 * something, or one it refers to, other than by following the reference.
 */
const dependsOnKeys = (source: Source, { joins, sources }: PlainRead, catalog: TableCatalog): boolean => {
  const refers = (column: string): boolean => catalog.facts(source.table)?.references.has(column) === true;
  if (source.comparesId || source.filters.some(refers)) return true;
  if (source.keys.some(({ column }) => refers(column))) return true;
  return joins.flatMap(bothWays).some(([own, other]) => {
    if (own.alias !== source.alias || (own.column !== 'id' && !refers(own.column))) return false;
    const table = sources.find(({ alias }) => alias === other.alias)?.table ?? '';
    if (own.column === 'id') return !catalog.isReference(table, other.column, source.table);
    const target = catalog.facts(source.table)?.references.get(own.column) ?? '';
    return !(other.column === 'id' && table === target) && !catalog.isReference(table, other.column, target);
  });
};

/** What the result shows: its rows one by one, or its columns; `undefined` where that cannot be told. */
const shownTags = (
  source: Source,
  read: PlainRead,
  result: ReadResult,
  scope: string,
  catalog: TableCatalog,
): Tag[] | undefined => {
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
  }
  if (source.output === 'all') return undefined;
  const tags = [
    membershipTag(source.table, scope),
    ...source.output.map((column) => columnTag(source.table, scope, column)),
  ];
  // Rows that move get another primary key, and those that refer to them another reference.
  const { references } = catalog.facts(source.table) ?? {};
  if (source.output.some((column) => references?.has(column))) tags.push(columnTag(source.table, scope, 'id'));
  return tags;
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
  if (first === 'id') return spanTags(source, result, scope) ?? [identity];
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

/**
 * A page in ascending order of primary keys changes only when a row moves out of, or into, the range from the first row
 * of all to the last of the page. Ascending it is if its rows are.
 */
const spanTags = ({ table, idProperty }: Source, { rows }: ReadResult, scope: string): Tag[] | undefined => {
  if (idProperty === undefined || rows === undefined) return undefined;
  const ids = rows.map((row) => Number(row[idProperty]));
  const isAscending = ids.every(
    (id, index) => Number.isSafeInteger(id) && (index === 0 || id >= (ids[index - 1] ?? 0)),
  );
  const [first] = ids;
  const last = ids.at(-1);
  // A move takes no row to a page where there was none.
  if (ids.length === 0) return [];
  if (!isAscending || first === undefined || last === undefined || first === last) return undefined;
  return spansUpTo(last)?.map((span) => spanTag(table, scope, span));
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
    if (key.column === LOCALE && operand !== undefined && key.values.length === 1)
      return localeOf(valueOf(operand, result));
  }
  return undefined;
};

const valueOf = (operand: Operand, result: ReadResult): unknown =>
  'binding' in operand ? result.bindings[operand.binding] : operand.literal;
