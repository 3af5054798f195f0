/**
 * Columns of any table by which sites look up single rows, where they hold text: part of an address, or unique by their
 * nature. In lower case.
 */
export const TEXT_LOOKUPS: ReadonlySet<string> = new Set([
  'document_id',
  'email',
  'handle',
  'path',
  'permalink',
  'sku',
  'slug',
  'username',
]);

/** The same beside a table's other columns, of this table alone. */
export const TEXT_LOOKUPS_OF: Readonly<Record<string, readonly string[]>> = {
  strapi_core_store_settings: ['key'],
};

/** For `in (…)`: all of them. */
export const textLookups = [...TEXT_LOOKUPS, ...Object.values(TEXT_LOOKUPS_OF).flat()]
  .map((name) => `'${name}'`)
  .join(', ');
