import { z } from 'zod';
import { cachedContentType } from './cached-content-type';
import { parseRequest, text } from './parse-request';

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
