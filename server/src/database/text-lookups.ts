/**
 * Columns of any table by which sites look up single rows, if they hold text: parts of a URL, or values that are unique
 * by their nature. In lower case.
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

/** Further such columns, each for one table alone. */
export const TEXT_LOOKUPS_OF: Readonly<Record<string, readonly string[]>> = {
  strapi_core_store_settings: ['key'],
};

/** All these names, quoted for an SQL `in (…)`. */
export const textLookups = [...TEXT_LOOKUPS, ...Object.values(TEXT_LOOKUPS_OF).flat()]
  .map((name) => `'${name}'`)
  .join(', ');
