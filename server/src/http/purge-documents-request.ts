import { errors } from '@strapi/utils';
import { z } from 'zod';
import { parseRequest } from './parse-request';

/** More documents than an editor selects on one page of the list. */
const MAX_DOCUMENTS = 500;

const schema = z.strictObject({
  contentType: z.string(),
  documents: z.array(z.string().min(1).max(100)).min(1).max(MAX_DOCUMENTS),
});

export type PurgeDocumentsRequest = z.output<typeof schema>;

/** @throws ValidationError, which Strapi answers with status 400. */
export const purgeDocumentsRequest = (body: unknown, isCached: (uid: string) => boolean): PurgeDocumentsRequest => {
  const request = parseRequest(schema, body, 'The body is { contentType, documents: [documentId, …] }');
  if (!isCached(request.contentType)) {
    throw new errors.ValidationError(`"${request.contentType}" is not a cached content type`);
  }
  return request;
};
