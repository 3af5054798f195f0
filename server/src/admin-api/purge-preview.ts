import type { RestCache } from '../plugin/rest-cache';
import { documentsPurge } from './documents';
import { countEntries, requestedPurge } from './purge';

export interface PurgePreview {
  /** Cached responses that the purge would remove. */
  readonly entries: number;
}

/**
 * Counts what a purge would remove, for admins who may purge but not read statistics. Takes the body of
 * `POST /rest-cache/purge-documents` (which has `documents`) or of `POST /rest-cache/purge`. Enumerates the store.
 *
 * @throws an error that is answered with status 400, as the purge itself would.
 */
export const previewPurge = async (restCache: RestCache, body: unknown): Promise<PurgePreview> => {
  const ofDocuments = typeof body === 'object' && body !== null && 'documents' in body;
  const { tags } = await (ofDocuments ? documentsPurge : requestedPurge)(restCache, body);
  return { entries: await countEntries(restCache, tags) };
};
