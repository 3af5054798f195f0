import { isSameValue, UNKNOWN_VALUE, valueKey, type Row } from '../sql/column-value';
import type { Operand, PlainRead, Source } from '../sql/statement';
import type { TableCatalog } from '../database/table-catalog';

/** Drafts have no `published_at`, published rows have one: Strapi 5 keeps both in one table. */
export type Status = 'draft' | 'published';

export const PUBLISHED_AT = 'published_at';
export const LOCALE = 'locale';

/** Names the rows of one status and locale; either may be left open. */
export const partitionScope = (status: Status | undefined, locale: string | undefined): string =>
  status === undefined && locale === undefined ? '' : `|${status ?? ''}|${locale ?? ''}`;

/** Names the rows of a join table whose `column` refers to a row of this status. */
export const referenceScope = (column: string, status: Status): string => `@${column}.${status}`;

/** Names the rows of a join table whose `column` refers to a row of this content type, and of this status if given. */
export const morphScope = (column: string, type: string, status: Status | undefined): string =>
  `@${column}=${type}${status === undefined ? '' : `/${status}`}`;

/**
 * The scope by which moves (see {@link spanTag}, {@link tieTag}) are distinguished: the locale alone. Publishing in one
 * locale then leaves the pages of the others valid. The status is left out, because drafts hardly ever move.
 */
export const scopeOfMoves = (scope: string): string =>
  scope.startsWith('|') ? partitionScope(undefined, scope.slice(scope.indexOf('|', 1) + 1) || undefined) : '';

/**
 * A locale's spelling. Rows without a locale and locales without a spelling of their own share `-`, which is no locale.
 */
export const localeOf = (value: unknown): string => valueKey(value) ?? '-';

export const statusOf = (row: Row): Status =>
  row[PUBLISHED_AT] === null || row[PUBLISHED_AT] === undefined ? 'draft' : 'published';

/** The status of a row that a join row refers to; `undefined` if it is not known or the table has no statuses. */
export type ReferencedStatus = (table: string, id: unknown) => Status | undefined;

/** For callers that know the images of a join row, but not the status of the rows it refers to. */
export const UNKNOWN_STATUS: ReferencedStatus = () => undefined;

/** Every scope a row belongs to, the whole table included. */
export const scopesOfRow = (
  catalog: TableCatalog,
  table: string,
  row: Row,
  statusOfReferenced: ReferencedStatus,
): readonly string[] => {
  const scopes = [''];
  const hasStatus = catalog.has(table, PUBLISHED_AT);
  const localised = catalog.has(table, LOCALE);
  const status = hasStatus ? statusOf(row) : undefined;
  const locale = localised ? localeOf(row[LOCALE]) : undefined;
  if (status !== undefined) scopes.push(partitionScope(status, undefined));
  if (locale !== undefined) scopes.push(partitionScope(undefined, locale));
  if (status !== undefined && locale !== undefined) scopes.push(partitionScope(status, locale));
  if (!hasStatus) {
    for (const [column, target] of catalog.facts(table)?.references ?? []) {
      const referenced = statusOfReferenced(target, row[column]);
      if (referenced !== undefined) scopes.push(referenceScope(column, referenced));
    }
    const morph = morphOf(catalog, table, row);
    if (morph !== undefined) {
      scopes.push(morphScope(morph.column, morph.type, undefined));
      const referenced = statusOfReferenced(morph.target, row[morph.column]);
      if (referenced !== undefined) scopes.push(morphScope(morph.column, morph.type, referenced));
    }
  }
  return scopes;
};

/**
 * What a row of a join table refers to by type and primary key; `undefined` if its table has no such columns, or if the
 * type is not known.
 */
export const morphOf = (
  catalog: TableCatalog,
  table: string,
  row: Row,
): { readonly column: string; readonly type: string; readonly target: string } | undefined => {
  const morph = catalog.facts(table)?.morph;
  const target = morph === undefined ? undefined : catalog.tableOfType(row[morph.type]);
  return morph === undefined || target === undefined
    ? undefined
    : { column: morph.id, type: String(row[morph.type]), target };
};

/** Whether a row of such a table refers to an unknown type, so that no scope certainly holds it. */
export const hasUnknownType = (catalog: TableCatalog, table: string, row: Row): boolean => {
  const morph = catalog.facts(table)?.morph;
  return morph !== undefined && row[morph.type] !== null && catalog.tableOfType(row[morph.type]) === undefined;
};

/** Whether a row's status or locale is not known, or the database may find its locale equal to others. */
export const hasUnknownPartition = (catalog: TableCatalog, table: string, row: Row): boolean => {
  if (catalog.has(table, PUBLISHED_AT) && row[PUBLISHED_AT] === UNKNOWN_VALUE) return true;
  const locale = row[LOCALE] ?? null;
  return catalog.has(table, LOCALE) && locale !== null && valueKey(locale) === undefined;
};

/**
 * Whether two images of one row are, or may be, of different status or locale. Locales that share a spelling may still
 * be different for the database.
 */
export const changesPartition = (catalog: TableCatalog, table: string, before: Row, after: Row): boolean => {
  if (catalog.has(table, PUBLISHED_AT)) {
    if (after[PUBLISHED_AT] === UNKNOWN_VALUE || statusOf(before) !== statusOf(after)) return true;
  }
  return catalog.has(table, LOCALE) && !isSameValue(before[LOCALE], after[LOCALE]);
};

export const bothWays = ([left, right]: PlainRead['joins'][number]): Array<PlainRead['joins'][number]> => [
  [left, right],
  [right, left],
];

/**
 * Whether only those rows of `source` matter that are joined to a row of `other`: either `other` is required, or the
 * join condition is in the ON clause of `source` itself, which can only name sources before it.
 */
export const isRestrictedBy = (source: Source, other: string, { sources }: PlainRead): boolean => {
  const index = sources.findIndex(({ alias }) => alias === other);
  return sources[index]?.optional === false || (source.optional && index < sources.indexOf(source));
};

export const operandValue = (operand: Operand, bindings: readonly unknown[]): unknown =>
  'binding' in operand ? bindings[operand.binding] : operand.literal;

/** The narrowest scope that certainly holds all rows of a source that matter. */
export interface RequiredScope {
  /** Columns whose conditions in the statement are fully covered by the scope. */
  readonly columns: readonly string[];
  of(bindings: readonly unknown[]): string;
}

export const requiredScope = (source: Source, read: PlainRead, catalog: TableCatalog): RequiredScope => {
  const { table } = source;
  const partition = catalog.has(table, PUBLISHED_AT) || catalog.has(table, LOCALE) ? partitionOf(source) : undefined;
  const byReference = partition === undefined ? scopeByReference(source, read, catalog) : '';
  const rest = partition ?? { columns: [], of: () => byReference };
  const type = requiredType(source, catalog);
  if (type === undefined) return rest;
  const { column, operand } = type;
  const referenced = referencedRows(source, column, read, catalog);
  const of = (bindings: readonly unknown[]): string => {
    const value = operandValue(operand, bindings);
    const target = catalog.tableOfType(value);
    if (target === undefined) return rest.of(bindings);
    return morphScope(column, String(value), referenced?.table === target ? referenced.status : undefined);
  };
  return { columns: [], of };
};

const partitionOf = (source: Source): RequiredScope => {
  const status = requiredStatus(source);
  const locale = requiredLocale(source);
  // Publishing a row again changes its `published_at`. A list may be sorted by that time, or ask for a range of it.
  const isComparedByTime =
    source.filters.includes(PUBLISHED_AT) || source.keys.some(({ column }) => column === PUBLISHED_AT);
  const columns = [
    ...(status === undefined || isComparedByTime ? [] : [PUBLISHED_AT]),
    ...(locale === undefined ? [] : [LOCALE]),
  ];
  // The database may find a locale without a spelling of its own equal to any other.
  const localeIn = (bindings: readonly unknown[]): string | undefined =>
    locale === undefined ? undefined : valueKey(operandValue(locale, bindings));
  return { columns, of: (bindings) => partitionScope(status, localeIn(bindings)) };
};

/** The scope of a join table by the status of the rows it refers to; `''` if the statement requires none. */
const scopeByReference = (source: Source, read: PlainRead, catalog: TableCatalog): string => {
  for (const [column, target] of catalog.facts(source.table)?.references ?? []) {
    const referenced = referencedRows(source, column, read, catalog);
    if (referenced?.table === target) return referenceScope(column, referenced.status);
  }
  return '';
};

/** The content type that the rows of this source must refer to, and the column that holds the primary key. */
const requiredType = (
  { table, keys }: Source,
  catalog: TableCatalog,
): { readonly column: string; readonly operand: Operand } | undefined => {
  const morph = catalog.facts(table)?.morph;
  const key = keys.find(({ column, values }) => column === morph?.type && values.length === 1);
  const [operand] = key?.values ?? [];
  return morph === undefined || operand === undefined ? undefined : { column: morph.id, operand };
};

/** The table and status of the rows that this column must refer to; `undefined` if not one status is required. */
const referencedRows = (
  source: Source,
  column: string,
  read: PlainRead,
  catalog: TableCatalog,
): { readonly table: string; readonly status: Status } | undefined => {
  for (const [own, other] of read.joins.flatMap(bothWays)) {
    if (own.alias !== source.alias || own.column !== column || other.column !== 'id') continue;
    if (!isRestrictedBy(source, other.alias, read)) continue;
    const target = read.sources.find((candidate) => candidate.alias === other.alias);
    const status = target === undefined ? undefined : requiredStatus(target);
    if (target !== undefined && status !== undefined && catalog.has(target.table, PUBLISHED_AT))
      return { table: target.table, status };
  }
  return undefined;
};

const requiredStatus = (source: Source): Status | undefined => {
  if (source.isNotNull.includes(PUBLISHED_AT)) return 'published';
  return source.isNull.includes(PUBLISHED_AT) ? 'draft' : undefined;
};

/** The locale that all rows of the source that matter have. */
const requiredLocale = (source: Source): Operand | undefined => {
  for (const { column, values } of source.keys) if (column === LOCALE && values.length === 1) return values[0];
  return undefined;
};
