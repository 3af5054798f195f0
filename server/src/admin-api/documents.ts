import type { UID } from '@strapi/strapi';
import { z } from 'zod';
import { systemClock } from '../cache/clock';
import type { Tag } from '../cache/tag';
import { keyTag, rowTag, tableTag } from '../dependencies/tags';
import { UNKNOWN_STATUS, scopesOfRow } from '../dependencies/row-scope';
import { ageOf } from '../http/stored-response';
import type { RestCache } from '../plugin/rest-cache';
import { valueKey } from '../sql/column-value';
import { census } from './census';
import { invalidationTags, rowsOf, tableOf } from './invalidation-tags';
import { documentId, requireCached } from './purge';
import { parseRequest } from './request';
import { takeStock } from './store-away';

const path = z.object({ uid: z.string(), documentId });

export type DocumentEntries = Awaited<ReturnType<typeof documentEntries>>;

/**
 * The entries that show the document in the path. Enumerates the store once.
 *
 * @throws an error that is answered with status 400.
 */
export const documentEntries = async (restCache: RestCache, params: unknown) => {
  const { uid, documentId } = parseRequest(path, params, 'The path ends in /<uid>/<documentId>');
  requireCached(uid, restCache.documentUids);
  const content = await contentTags(restCache, uid, documentId);
  const purged = await invalidationTags(restCache, { documents: [{ contentType: uid, documentId }] });
  const [containing, reached] = (await takeStock(restCache, census([content, purged], false))).carriers;
  const oldest = containing?.oldest;
  return {
    /** Cached responses that contain the document, in any of its versions. */
    responses: containing?.entries ?? 0,
    /** Age of the oldest of them, in milliseconds; `null` if there are none. */
    oldestAge: oldest === undefined ? null : ageOf(oldest, systemClock.now()),
    /** Cached responses that a purge of the document would remove: also lists that it might belong to. */
    purges: reached?.entries ?? 0,
  };
};

/** The tags that an entry carries if it shows a row of the document. */
const contentTags = async (restCache: RestCache, uid: string, documentId: string): Promise<Tag[]> => {
  const table = tableOf(restCache, uid);
  if (restCache.config.strategy.precision === 'table') return [tableTag(table)];
  // A single type is read without its id, and there is nothing else in its table.
  const isSingleType = restCache.strapi.contentTypes[uid as UID.ContentType]?.kind === 'singleType';
  const tags = new Set<Tag>(isSingleType ? [tableTag(table)] : []);
  const key = valueKey(documentId);
  for (const row of await rowsOf(restCache, uid, [documentId])) {
    const id = valueKey(row.id);
    if (id !== undefined) tags.add(rowTag(table, id));
    if (key === undefined) continue;
    for (const scope of scopesOfRow(restCache.catalog(), table, row, UNKNOWN_STATUS)) {
      tags.add(keyTag(table, scope, 'document_id', key));
    }
  }
  return [...tags];
};
