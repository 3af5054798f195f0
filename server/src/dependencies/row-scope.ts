import { UNKNOWN_VALUE, valueKey, type Row } from '../sql/column-value';
import type { TableCatalog } from '../database/table-catalog';

/** Drafts have no `published_at`, published rows have one: Strapi 5 keeps both in one table. */
export type Half = 'draft' | 'published';

const PUBLISHED_AT = 'published_at';
const LOCALE = 'locale';

/** Names the rows of one half and locale; either may be left open. */
export const partitionScope = (half: Half | undefined, locale: string | undefined): string =>
  half === undefined && locale === undefined ? '' : `|${half ?? ''}|${locale ?? ''}`;

/** Names the rows of a join table whose `column` refers to a row of this half. */
export const referenceScope = (column: string, half: Half): string => `@${column}.${half}`;

/** Names the rows of a join table whose `column` refers to a row of this content type, of this half if that is told. */
export const morphScope = (column: string, type: string, half: Half | undefined): string =>
  `@${column}=${type}${half === undefined ? '' : `/${half}`}`;

/** Rows without a locale, and locales that cannot be compared, share one spelling which no locale has. */
const localeOf = (value: unknown): string => valueKey(value) ?? '-';

export const halfOf = (row: Row): Half =>
  row[PUBLISHED_AT] === null || row[PUBLISHED_AT] === undefined ? 'draft' : 'published';

/** Tells the half of a row that a join row refers to; `undefined` where the referenced table has no halves. */
export type ReferencedHalf = (table: string, id: unknown) => Half | undefined;

/** For rows of which nothing but their images is known. */
export const UNKNOWN_HALF: ReferencedHalf = () => undefined;

/** Every scope a row belongs to, the whole table included. */
export const scopesOfRow = (
  catalog: TableCatalog,
  table: string,
  row: Row,
  halfOfReferenced: ReferencedHalf,
): readonly string[] => {
  const scopes = [''];
  const halved = catalog.has(table, PUBLISHED_AT);
  const localised = catalog.has(table, LOCALE);
  const half = halved ? halfOf(row) : undefined;
  const locale = localised ? localeOf(row[LOCALE]) : undefined;
  if (half !== undefined) scopes.push(partitionScope(half, undefined));
  if (locale !== undefined) scopes.push(partitionScope(undefined, locale));
  if (half !== undefined && locale !== undefined) scopes.push(partitionScope(half, locale));
  if (!halved) {
    for (const [column, target] of catalog.facts(table)?.references ?? []) {
      const referenced = halfOfReferenced(target, row[column]);
      if (referenced !== undefined) scopes.push(referenceScope(column, referenced));
    }
    const morph = morphOf(catalog, table, row);
    if (morph !== undefined) {
      scopes.push(morphScope(morph.column, morph.type, undefined));
      const referenced = halfOfReferenced(morph.target, row[morph.column]);
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

/** Whether nobody knows in which half or locale a row is, or whether its locale equals others. */
export const hasUnknownPartition = (catalog: TableCatalog, table: string, row: Row): boolean => {
  if (catalog.has(table, PUBLISHED_AT) && row[PUBLISHED_AT] === UNKNOWN_VALUE) return true;
  const locale = row[LOCALE] ?? null;
  return catalog.has(table, LOCALE) && locale !== null && valueKey(locale) === undefined;
};

/** Whether two images of one row lie in different partitions, or might. */
export const changesPartition = (catalog: TableCatalog, table: string, before: Row, after: Row): boolean => {
  if (catalog.has(table, PUBLISHED_AT)) {
    if (after[PUBLISHED_AT] === UNKNOWN_VALUE || halfOf(before) !== halfOf(after)) return true;
  }
  if (catalog.has(table, LOCALE)) {
    if (after[LOCALE] === UNKNOWN_VALUE || localeOf(before[LOCALE]) !== localeOf(after[LOCALE])) return true;
  }
  return false;
};

export { PUBLISHED_AT, LOCALE, localeOf };
