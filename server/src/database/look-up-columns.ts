import { setOf } from '../sql/tokens';

/**
 * Columns of any table by which sites look up single rows, if they hold text: parts of a URL, or values that are unique
 * by their nature. In lower case.
 */
export const TEXT_LOOKUPS = setOf('document_id email handle path permalink sku slug username');

/** Further such columns, each for one table alone. */
export const TEXT_LOOKUPS_OF: Readonly<Record<string, readonly string[]>> = {
  strapi_core_store_settings: ['key'],
};

/** The kind of values in a column by which rows are looked up. */
export interface LookUpColumn {
  /**
   * It holds text, and two values are equal only if they are spelled the same, apart from case and blanks.
   */
  readonly isText: boolean;
  /** Number of characters beyond which MySQL may cut a text off. */
  readonly longest: number;
  /** The whole numbers beyond which MySQL may store another, and PostgreSQL fails. */
  readonly lowest: number;
  readonly highest: number;
  /** MySQL may store 0 or '' for null. */
  readonly neverNull: boolean;
}

/** Whether the column stores a value as it is, which is spelled `key` if it is a number. */
export const stores = ({ longest, lowest, highest }: LookUpColumn, value: unknown, key: string): boolean => {
  const { length } = typeof value === 'string' ? value : key;
  const number = Number(key);
  return length <= longest && (Number.isNaN(number) || (number >= lowest && number <= highest));
};

/** All these names, quoted for an SQL `in (…)`. */
export const textLookups = [...TEXT_LOOKUPS, ...Object.values(TEXT_LOOKUPS_OF).flat()]
  .map((name) => `'${name}'`)
  .join(', ');
