import { tag, type Tag } from '../cache/tag';

/**
 * The vocabulary in which reads and writes of a table talk to each other. A *scope* narrows a table to the rows of one
 * status or locale (`''` for the whole table, see row-scope.ts). A writer stamps every tag that holds for the row's
 * images before and after; a reader carries the narrowest tags that cover what it saw.
 */

/** Changed in a way nobody can describe. Every reader of the table carries it. */
export const tableTag = (table: string): Tag => tag(`${table}!`);

/** Any described change. For readers that cannot be described. */
export const anyRowTag = (table: string, scope = ''): Tag => tag(`${table}${scope}*`);

/** For reads of which only the table is known: whatever a writer of it stamps, it stamps one of these. */
export const wholeTableTags = (table: string): Tag[] => [tableTag(table), anyRowTag(table)];

/** A row appeared in or left the scope. For lists and counts. */
export const membershipTag = (table: string, scope = ''): Tag => tag(`${table}${scope}+`);

/** Some row's value in this column changed. For lists that filter or sort by it. */
export const columnTag = (table: string, scope: string, column: string): Tag => tag(`${table}${scope}.${column}`);

/**
 * Some row's reference in this column became another because the row it refers to moved. For reads that show the primary
 * keys of others, or compare them, other than by following the reference.
 */
export const movedReferenceTag = (table: string, scope: string, column: string): Tag =>
  tag(`${table}${scope}.${column}>`);

/** The row with this primary key changed, appeared or went. For what contains it. */
export const rowTag = (table: string, id: string): Tag => tag(`${table}#${id}`);

/** A row that holds this value in this column changed, appeared or went. For look-ups by that column. */
export const keyTag = (table: string, scope: string, column: string, value: string): Tag =>
  tag(`${table}${scope}:${column}=${value}`);

/**
 * A row with this value in a sort column moved among its equals (its primary key, the tie-breaker, changed). For pages
 * of a sorted list, which a move concerns only if they hold an equal.
 */
export const tieTag = (table: string, scope: string, column: string, value: string): Tag =>
  tag(`${table}${scope}~${column}=${value}`);

/**
 * A row that holds this value in this column changed in more than its place among others, appeared or went. For look-ups
 * by that column that show no place.
 */
export const keySubstanceTag = (table: string, scope: string, column: string, value: string): Tag =>
  tag(`${table}${scope}:${column}:${value}`);

/** A row was moved (it got another primary key) from or to this span of primary keys. For pages in their order. */
export const spanTag = (table: string, scope: string, span: string): Tag => tag(`${table}${scope}~id/${span}`);

/** The row with this primary key appeared or went. For what only asks whether it is there. */
export const existenceTag = (table: string, id: string): Tag => tag(`${table}?${id}`);

/** More than the time stamps of the row with this primary key changed. For what was made from an earlier copy of it. */
export const substanceTag = (table: string, id: string): Tag => tag(`${table}=${id}`);

const DOCUMENT = /^([^!*+.#:~?=|@]*)(?:[|@][^:]*)?:document_id=(.+)$/;

/** Of a {@link keyTag} of the column in which Strapi keeps a document's id, which every write of a document stamps. */
export const documentOf = (name: Tag): { readonly table: string; readonly documentId: string } | undefined => {
  const [, table, documentId] = DOCUMENT.exec(name) ?? [];
  return table === undefined || documentId === undefined ? undefined : { table, documentId };
};

/** The table a tag speaks of; book-keeping tags speak of none. */
export const tableOf = (name: Tag): string => /^[^!*+.#:~?=|@]*/.exec(name)?.[0] ?? '';

/**
 * Spans of primary keys: each holds eight of the level below, so that a row lies in a handful of spans, and any range
 * from 0 is made of a few.
 */
const FACTOR = 8;

/** The uppermost level's spans hold 8⁷ (two million) keys each. */
const LEVELS = 8;

const nameOf = (level: number, index: number): string => `${level}.${index}`;

/** `undefined` for what is no whole number from 0. */
const keyOf = (value: unknown): number | undefined => {
  const key = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof key === 'number' && Number.isSafeInteger(key) && key >= 0 ? key : undefined;
};

/** Every span a key lies in; none for what is no whole number. */
export const spansOf = (value: unknown): string[] => {
  let index = keyOf(value);
  const spans: string[] = [];
  for (let level = 0; index !== undefined && level < LEVELS; level += 1) {
    spans.push(nameOf(level, index));
    index = Math.floor(index / FACTOR);
  }
  return spans;
};

/** The fewest spans that hold all keys from 0 to `last`; `undefined` where that is no whole number or too great. */
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
