import { z } from 'zod';
import { cachedContentType, invalidationTags, countEntries } from './purge';
import { parseRequest, text } from './request';
import type { Tag } from '../cache/tag';
import { valueKey, type Row } from '../sql/column-value';
import { keyTag, rowTag, tableTag } from '../dependencies/dependency-tags';
import { UNKNOWN_HALF, scopesOfRow } from '../dependencies/row-scope';
import type { RestCache } from '../plugin/rest-cache';

/** More documents than an editor selects on one page of the list. */
const MAX_DOCUMENTS = 500;

const documentId = text(100).min(1);

const schema = z.strictObject({
  contentType: z.string(),
  documents: z.array(documentId).min(1).max(MAX_DOCUMENTS),
});

const path = z.object({ uid: z.string(), documentId });

export type PurgeDocumentsRequest = z.output<typeof schema>;

/** @throws an error that is answered with status 400. */
export const purgeDocumentsRequest = (body: unknown, cached: readonly string[]): PurgeDocumentsRequest => {
  const request = parseRequest(schema, body, 'The body is { contentType, documents: [documentId, …] }');
  cachedContentType(request.contentType, cached);
  return request;
};

/** @throws an error that is answered with status 400. */
export const documentInPath = (params: unknown, cached: readonly string[]): z.output<typeof path> => {
  const request = parseRequest(path, params, 'The path ends in /<uid>/<documentId>');
  cachedContentType(request.uid, cached);
  return request;
};

export interface DocumentEntries {
  /** Cached responses that contain the document, in any of its versions. */
  readonly responses: number;
  /** Of the oldest of them, in milliseconds; `null` where there are none. */
  readonly oldestAge: number | null;
  /** Cached responses that purging the document removes: those, and lists it might belong to. */
  readonly purges: number;
}

/** What the cache holds of one document. Enumerates the store. */
export const documentEntries = async (
  restCache: RestCache,
  contentType: string,
  documentId: string,
): Promise<DocumentEntries> => {
  const containing = await countEntries(restCache, await contentTags(restCache, contentType, documentId));
  const purged = await invalidationTags(restCache, { documents: [{ contentType, documentId }] });
  const { entries: purges } = await countEntries(restCache, purged);
  return { responses: containing.entries, oldestAge: containing.oldestAge, purges };
};

/** The tags by which an entry says that it shows a row of the document. */
const contentTags = async (restCache: RestCache, contentType: string, documentId: string): Promise<Tag[]> => {
  const { strapi, catalog, config } = restCache;
  const { tableName } = strapi.db.metadata.get(contentType);
  const table = tableName.toLowerCase();
  if (config.strategy.precision === 'table') return [tableTag(table)];
  const rows = (await strapi.db.getConnection(tableName).select('*').where({ document_id: documentId })) as Row[];
  const tags = new Set<Tag>();
  const key = valueKey(documentId);
  for (const row of rows) {
    const id = valueKey(row.id);
    if (id !== undefined) tags.add(rowTag(table, id));
    if (key === undefined) continue;
    for (const scope of scopesOfRow(catalog, table, row, UNKNOWN_HALF)) {
      tags.add(keyTag(table, scope, 'document_id', key));
    }
  }
  return [...tags];
};
