import type { Tag } from '../cache/tag';
import { changeTags } from '../dependencies/change-tags';
import type { Row } from '../sql/column-value';
import { tableTag } from '../dependencies/dependency-tags';
import type { NetChange } from '../dependencies/net-changes';
import { UNKNOWN_HALF } from '../dependencies/row-scope';
import type { RestCache } from '../plugin/rest-cache';

export interface InvalidationRequest {
  /** Table names as in the database. */
  readonly tables?: readonly string[];
  /** Uids; everything computed from their tables. */
  readonly contentTypes?: readonly string[];
  readonly documents?: ReadonlyArray<{ readonly contentType: string; readonly documentId: string }>;
}

/** The tags that concern what somebody else has written. */
export const invalidationTags = async (
  restCache: RestCache,
  { tables = [], contentTypes = [], documents = [] }: InvalidationRequest,
): Promise<Tag[]> => {
  const tags = [...tables, ...contentTypes.map((uid) => tableNameOf(restCache, uid))].map((table) =>
    tableTag(table.toLowerCase()),
  );
  const changes: NetChange[] = [];
  for (const { contentType, documentId } of documents) {
    const table = tableNameOf(restCache, contentType);
    const rows = (await restCache.strapi.db
      .getConnection(table)
      .select('*')
      .where({ document_id: documentId })) as Row[];
    // Without a row the document is gone, and what contained it cannot be told any more.
    if (rows.length === 0) tags.push(tableTag(table.toLowerCase()));
    for (const row of rows) {
      changes.push({
        kind: 'updated',
        table: table.toLowerCase(),
        before: row,
        after: row,
        changed: Object.keys(row),
        moved: true,
      });
    }
  }
  const net = { everything: false, tables: new Set<string>(), rows: changes };
  return [...tags, ...changeTags(net, restCache.catalog, UNKNOWN_HALF)];
};

const tableNameOf = ({ strapi }: RestCache, uid: string): string => {
  if (!strapi.db.metadata.has(uid)) throw new Error(`rest-cache: "${uid}" is not a content type of this application`);
  return strapi.db.metadata.get(uid).tableName;
};
