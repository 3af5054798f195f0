import type { UID } from '@strapi/strapi';
import type { Tag } from '../cache/tag';
import { changeTags } from '../dependencies/change-tags';
import type { NetChange } from '../dependencies/changes';
import { UNKNOWN_STATUS } from '../dependencies/row-scope';
import type { RestCache } from '../plugin/rest-cache';
import type { Row } from '../sql/column-value';

/** What somebody else has written, as code of the application tells it. */
export interface InvalidationRequest {
  /** Table names as in the database. */
  readonly tables?: readonly string[];
  /** Uids; everything computed from their tables. */
  readonly contentTypes?: readonly string[];
  readonly documents?: ReadonlyArray<{ readonly contentType: string; readonly documentId: string }>;
}

/**
 * The tags that a write to these would have stamped.
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
  const changes: NetChange[] = [];
  for (const { contentType, documentId } of documents) {
    const table = tableOf(restCache, contentType);
    const rows = await rowsOf(restCache, contentType, documentId);
    // Without a row the document is gone, and what contained it cannot be told any more.
    if (rows.length === 0) whole.add(table);
    for (const row of rows) {
      changes.push({ table, before: row, after: row, changed: Object.keys(row), moved: true });
    }
  }
  return changeTags({ everything: false, tables: whole, rows: changes }, restCache.catalog, UNKNOWN_STATUS);
};

/** The documents that a route's parameters name: by `id`, or by an attribute of the parameter's name (`:slug`). */
export const documentsNamed = async (
  { strapi }: RestCache,
  uid: string,
  params: Readonly<Record<string, string | number>>,
): Promise<string[]> => {
  const { attributes } = strapi.contentType(uid as UID.ContentType);
  const named = Object.entries(params).filter(([name]) => name === 'id' || TEXTS.has(attributes[name]?.type ?? ''));
  if (named.length === 0) return [];
  const where = {
    $and: named.map(([name, value]) => (name === 'id' ? identifiedBy(value) : { [name]: String(value) })),
  };
  const found: unknown = await strapi.db.query(uid).findMany({ select: ['documentId'], where });
  return [...new Set((found as Array<{ documentId: string }>).map(({ documentId }) => documentId))];
};

/** Routes of plugins take the number of a row. */
const identifiedBy = (value: string | number): object => ({
  $or: [{ documentId: String(value) }, ...(Number.isSafeInteger(Number(value)) ? [{ id: Number(value) }] : [])],
});

/** Types of attributes that a database compares with any text. */
const TEXTS: ReadonlySet<string> = new Set(['string', 'text', 'uid', 'email', 'enumeration']);

const metadataOf = ({ strapi }: RestCache, uid: string): { readonly tableName: string } => {
  if (!strapi.db.metadata.has(uid)) throw new Error(`rest-cache: "${uid}" is not a content type of this application`);
  return strapi.db.metadata.get(uid);
};

/** Of a content type, as tags name it. */
export const tableOf = (restCache: RestCache, uid: string): string =>
  metadataOf(restCache, uid).tableName.toLowerCase();

/** A document's versions. */
export const rowsOf = async (restCache: RestCache, uid: string, documentId: string): Promise<Row[]> => {
  const { tableName } = metadataOf(restCache, uid);
  const rows: unknown = await restCache.strapi.db.getConnection(tableName).where({ document_id: documentId });
  return rows as Row[];
};
