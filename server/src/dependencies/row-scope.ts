import { UNKNOWN_VALUE, valueKey, type Row } from '../sql/column-value';
import type { TableCatalog } from '../database/table-catalog';

/** Drafts have no `published_at`, published rows have one: Strapi 5 keeps both in one table. */
export type Status = 'draft' | 'published';

const PUBLISHED_AT = 'published_at';
const LOCALE = 'locale';

/** Names the rows of one status and locale; either may be left open. */
export const partitionScope = (status: Status | undefined, locale: string | undefined): string =>
  status === undefined && locale === undefined ? '' : `|${status ?? ''}|${locale ?? ''}`;

/** Names the rows of a join table whose `column` refers to a row of this status. */
export const referenceScope = (column: string, status: Status): string => `@${column}.${status}`;

/** Names the rows of a join table whose `column` refers to a row of this content type, of this status if that is told. */
export const morphScope = (column: string, type: string, status: Status | undefined): string =>
  `@${column}=${type}${status === undefined ? '' : `/${status}`}`;

/** Rows without a locale, and locales that cannot be compared, share one spelling which no locale has. */
const localeOf = (value: unknown): string => valueKey(value) ?? '-';

export const statusOf = (row: Row): Status =>
  row[PUBLISHED_AT] === null || row[PUBLISHED_AT] === undefined ? 'draft' : 'published';

/** Tells the status of a row that a join row refers to; `undefined` where the referenced table has no statuses. */
export type ReferencedStatus = (table: string, id: unknown) => Status | undefined;

/** For rows of which nothing but their images is known. */
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

/** What a row of a join table refers to by type and primary key; `undefined` where its table has no such columns. */
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

/** Whether a row of such a table refers to a type that nobody knows: no scope holds it for certain. */
export const hasUnknownType = (catalog: TableCatalog, table: string, row: Row): boolean => {
  const morph = catalog.facts(table)?.morph;
  return morph !== undefined && row[morph.type] !== null && catalog.tableOfType(row[morph.type]) === undefined;
};

/** Whether nobody knows in which status or locale a row is, or whether its locale equals others. */
export const hasUnknownPartition = (catalog: TableCatalog, table: string, row: Row): boolean => {
  if (catalog.has(table, PUBLISHED_AT) && row[PUBLISHED_AT] === UNKNOWN_VALUE) return true;
  const locale = row[LOCALE] ?? null;
  return catalog.has(table, LOCALE) && locale !== null && valueKey(locale) === undefined;
};

/** Whether two images of one row lie in different partitions, or might. */
export const changesPartition = (catalog: TableCatalog, table: string, before: Row, after: Row): boolean => {
  if (catalog.has(table, PUBLISHED_AT)) {
    if (after[PUBLISHED_AT] === UNKNOWN_VALUE || statusOf(before) !== statusOf(after)) return true;
  }
  if (catalog.has(table, LOCALE)) {
    if (after[LOCALE] === UNKNOWN_VALUE || localeOf(before[LOCALE]) !== localeOf(after[LOCALE])) return true;
  }
  return false;
};

export { PUBLISHED_AT, LOCALE, localeOf };
