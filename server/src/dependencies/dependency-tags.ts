import { tag, type Tag } from '../cache/tag';

/**
 * The tags by which a write to a table invalidates what was read from it. A *scope* narrows a table to some of its
 * rows, such as those of one status or locale (`''` for the whole table, see row-scope.ts). A write stamps every tag
 * that holds for the row's images before and after. A response carries the narrowest tags that cover what was read for
 * it.
 */

/** The table changed in a way that is not known row by row. Every response that reads the table carries this tag. */
export const tableTag = (table: string): Tag => tag(`${table}!`);

/** Any change that is known row by row. For reads that cannot be narrowed down further than to the scope. */
export const anyRowTag = (table: string, scope = ''): Tag => tag(`${table}${scope}*`);

/** For reads of which only the table is known: every write to the table stamps one of these tags. */
export const wholeTableTags = (table: string): Tag[] => [tableTag(table), anyRowTag(table)];

/** A row appeared in the scope or disappeared from it. For lists and counts. */
export const membershipTag = (table: string, scope = ''): Tag => tag(`${table}${scope}+`);

/** Some row's value in this column changed. For lists that filter or sort by it. */
export const columnTag = (table: string, scope: string, column: string): Tag => tag(`${table}${scope}.${column}`);

/**
 * Some row's reference in this column changed because the row it refers to moved. For reads that show the column, or
 * compare it other than by following the reference.
 */
export const movedReferenceTag = (table: string, scope: string, column: string): Tag =>
  tag(`${table}${scope}.${column}>`);

/** The row with this primary key changed, appeared or disappeared. For responses that contain it. */
export const rowTag = (table: string, id: string): Tag => tag(`${table}#${id}`);

/** A row that holds this value in this column changed, appeared or disappeared. For look-ups by that column. */
export const keyTag = (table: string, scope: string, column: string, value: string): Tag =>
  tag(`${table}${scope}:${column}=${value}`);

/**
 * A row with this value in a sort column moved among the rows with the same value (its primary key, the tie-breaker,
 * changed). For pages of a sorted list: the move concerns only pages that hold a row with that value.
 */
export const tieTag = (table: string, scope: string, column: string, value: string): Tag =>
  tag(`${table}${scope}~${column}=${value}`);

/**
 * A row that holds this value in this column appeared, disappeared, or changed in more than its place among others, its
 * primary key or references to moved rows. For look-ups by that column that depend on none of these.
 */
export const keySubstanceTag = (table: string, scope: string, column: string, value: string): Tag =>
  tag(`${table}${scope}:${column}:${value}`);

/** A row was moved (it got another primary key) from or to this span of primary keys. For pages in key order. */
export const spanTag = (table: string, scope: string, span: string): Tag => tag(`${table}${scope}~id/${span}`);

/** The row with this primary key appeared or disappeared. For reads that only depend on whether it exists. */
export const existenceTag = (table: string, id: string): Tag => tag(`${table}?${id}`);

/**
 * The row with this primary key appeared, disappeared, or changed in more than the columns that Strapi rewrites with
 * every save. For responses made from an earlier copy of it, such as the caller in `ctx.state`.
 */
export const substanceTag = (table: string, id: string): Tag => tag(`${table}=${id}`);

const DOCUMENT = /^([^!*+.#:~?=|@]*)(?:[|@][^:]*)?:document_id=(.+)$/;

/**
 * The document that a {@link keyTag} of the column `document_id` names; `undefined` for other tags. Every write of a
 * document stamps such a tag, unless its table is stamped as a whole.
 */
export const documentOf = (name: Tag): { readonly table: string; readonly documentId: string } | undefined => {
  const [, table, documentId] = DOCUMENT.exec(name) ?? [];
  return table === undefined || documentId === undefined ? undefined : { table, documentId };
};

/** The table that a tag names. Book-keeping tags name none: for these, the result is `''` or `type`. */
export const tableOf = (name: Tag): string => /^[^!*+.#:~?=|@]*/.exec(name)?.[0] ?? '';

/**
 * The tables that these tags of reads name. Each read of a table carries its {@link tableTag}, which holds the name of any
 * table: that of one in another schema has a dot, at which {@link tableOf} stops.
 */
export const tablesIn = (tags: Iterable<Tag>): ReadonlySet<string> =>
  new Set([...tags].flatMap((name) => [tableOf(name), ...(name.endsWith('!') ? [name.slice(0, -1)] : [])]));

/**
 * A span is a range of primary keys. Each holds eight spans of the level below, so a row lies in a handful of spans,
 * and a few spans make up any range from 0.
 */
const FACTOR = 8;

/** The uppermost level's spans hold 8⁷ (two million) keys each. */
const LEVELS = 8;

const nameOf = (level: number, index: number): string => `${level}.${index}`;

/** `undefined` for anything but a whole number from 0. */
const keyOf = (value: unknown): number | undefined => {
  const key = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof key === 'number' && Number.isSafeInteger(key) && key >= 0 ? key : undefined;
};

/** Every span that a key lies in; none for anything but a whole number from 0. */
export const spansOf = (value: unknown): string[] => {
  let index = keyOf(value);
  const spans: string[] = [];
  for (let level = 0; index !== undefined && level < LEVELS; level += 1) {
    spans.push(nameOf(level, index));
    index = Math.floor(index / FACTOR);
  }
  return spans;
};

/**
 * The fewest spans that hold exactly the keys from 0 to `last`; `undefined` if `last` is too great or is not a whole
 * number from 0.
 */
export const spansUpTo = (last: unknown): string[] | undefined => {
  const key = keyOf(last);
  if (key === undefined) return undefined;
  const spans: string[] = [];
  let end = key + 1;
  for (let level = 0; end > 0; level += 1) {
    const above = level === LEVELS - 1 ? 0 : Math.floor(end / FACTOR);
    if (end - above * FACTOR > 100) return undefined;
    for (let index = above * FACTOR; index < end; index += 1) spans.push(nameOf(level, index));
    end = above;
  }
  return spans;
};
