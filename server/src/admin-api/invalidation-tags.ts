import { setImmediate as nextTurn } from 'node:timers/promises';
import type { UID } from '@strapi/strapi';
import type { Tag } from '../cache/tag';
import { changeTags, MAX_TAGS } from '../dependencies/change-tags';
import { tableTag } from '../dependencies/tags';
import type { NetChange } from '../dependencies/changes';
import { UNKNOWN_STATUS } from '../dependencies/row-scope';
import type { RestCache } from '../plugin/rest-cache';
import type { Row } from '../sql/column-value';

/** Writes that the plugin could not see, as code of the application reports them. */
export interface InvalidationRequest {
  /** Table names as in the database. */
  readonly tables?: readonly string[];
  /** Uids of content types: everything computed from their tables is invalidated. */
  readonly contentTypes?: readonly string[];
  readonly documents?: ReadonlyArray<{ readonly contentType: string; readonly documentId: string }>;
}

/**
 * The tags that a write to these tables, content types and documents would have stamped.
 *
 * @throws Error for a content type that does not exist.
 */
export const invalidationTags = async (
  restCache: RestCache,
  { tables = [], contentTypes = [], documents = [] }: InvalidationRequest,
): Promise<Tag[]> => {
  const whole = new Set([
    ...tables.map((table) => table.toLowerCase()),
    ...contentTypes.map((uid) => tableOf(restCache, uid)),
  ]);
  const catalog = restCache.catalog();
  const changes: NetChange[] = [];
  const idsOf = new Map<string, Set<string>>();
  for (const { contentType, documentId } of documents)
    idsOf.set(contentType, (idsOf.get(contentType) ?? new Set()).add(documentId));
  for (const [contentType, ids] of idsOf) {
    const table = tableOf(restCache, contentType);
    const rows = await rowsOf(restCache, contentType, [...ids]);
    const found = new Set(rows.map((row) => row.document_id));
    // If a document has no row any more, or its table is not known now, it is not known which entries contained it.
    if ([...ids].some((id) => !found.has(id)) || catalog.whyNotPlain(table) !== undefined) whole.add(table);
    for (const row of rows) {
      changes.push({ table, before: row, after: row, changed: Object.keys(row), moved: true });
    }
  }
  const tagsOf = (rows: readonly NetChange[]): Tag[] =>
    changeTags({ everything: false, tables: whole, rows: [...rows] }, catalog, UNKNOWN_STATUS);
  const tags = new Set<Tag>(tagsOf([]));
  for (let first = 0; first < changes.length; first += SUMMED_UP_AT_ONCE) {
    if (first > 0) await nextTurn();
    for (const name of tagsOf(changes.slice(first, first + SUMMED_UP_AT_ONCE))) tags.add(name);
    if (tags.size > MAX_TAGS) return [...new Set([...whole, ...changes.map(({ table }) => table)])].map(tableTag);
  }
  return [...tags];
};

/** Rows whose tags are worked out before others have their turn. */
const SUMMED_UP_AT_ONCE = 50;

/** Maximum number of rows that the parameters of a route may name one by one. */
const MAX_NAMED = 2000;

/**
 * Ids of the documents that a route's parameters name: by `id`, or by the attribute of the same name (`:slug`).
 * `undefined` if they are too many: a `:section` or a `:locale` may be that of half the table.
 */
export const documentsNamed = async (
  { strapi }: RestCache,
  uid: string,
  params: Readonly<Record<string, string | number>>,
): Promise<string[] | undefined> => {
  const { attributes } = strapi.contentType(uid as UID.ContentType);
  const named = Object.entries(params).filter(([name]) => name === 'id' || TEXTS.has(attributes[name]?.type ?? ''));
  // PostgreSQL holds no text with this character, and refuses to look for one.
  if (named.length === 0 || named.some(([, value]) => String(value).includes('\0'))) return [];
  const where = {
    $and: named.map(([name, value]) => (name === 'id' ? identifiedBy(value) : { [name]: String(value) })),
  };
  const asked = { select: ['documentId'], where, limit: MAX_NAMED + 1 };
  const found = (await strapi.db.query(uid).findMany(asked)) as Array<{ documentId: string }>;
  return found.length > MAX_NAMED ? undefined : [...new Set(found.map(({ documentId }) => documentId))];
};

/** Routes of plugins may have the number of a row as `id`, instead of a document id. */
const identifiedBy = (value: string | number): object => ({
  $or: [{ documentId: String(value) }, ...(isRowId(Number(value)) ? [{ id: Number(value) }] : [])],
});

/** The greatest number of a row in PostgreSQL, which refuses to compare the column with greater ones. */
const MAX_ROW_ID = 2 ** 31 - 1;

const isRowId = (value: number): boolean => Number.isInteger(value) && Math.abs(value) <= MAX_ROW_ID;

/** Types of attributes whose columns every database can compare with any text. */
const TEXTS: ReadonlySet<string> = new Set(['string', 'text', 'uid', 'email', 'enumeration']);

const metadataOf = ({ strapi }: RestCache, uid: string): { readonly tableName: string } => {
  if (!strapi.db.metadata.has(uid)) throw new Error(`rest-cache: "${uid}" is not a content type of this application`);
  return strapi.db.metadata.get(uid);
};

/**
 * The name of a content type's table, as tags spell it.
 *
 * @throws Error for a content type that does not exist.
 */
export const tableOf = (restCache: RestCache, uid: string): string =>
  metadataOf(restCache, uid).tableName.toLowerCase();

/** Documents whose rows are read with one query: a query for each of many would take seconds. */
const READ_AT_ONCE = 100;

/** All rows of documents: their versions in every status and locale. */
export const rowsOf = async (restCache: RestCache, uid: string, documentIds: readonly string[]): Promise<Row[]> => {
  const { tableName } = metadataOf(restCache, uid);
  const rows: Row[] = [];
  for (let first = 0; first < documentIds.length; first += READ_AT_ONCE) {
    const ids = documentIds.slice(first, first + READ_AT_ONCE);
    rows.push(...((await restCache.strapi.db.getConnection(tableName).whereIn('document_id', ids)) as Row[]));
  }
  return rows;
};
