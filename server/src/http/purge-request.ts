import { errors } from '@strapi/utils';
import { z } from 'zod';

const schema = z.strictObject({
  contentType: z.string(),
  params: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  wildcard: z.boolean().optional(),
});

export interface PurgeRequest {
  readonly contentType: string;
  /** `undefined`: everything of the content type. */
  readonly params: Readonly<Record<string, string | number>> | undefined;
}

/**
 * Reads the body of a purge request.
 *
 * @throws ValidationError, which Strapi answers with status 400, when the body is not of the documented form or names a
 * content type that is not cached.
 */
export const purgeRequest = (body: unknown, isCached: (uid: string) => boolean): PurgeRequest => {
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    throw new errors.ValidationError('The body of a purge request is { contentType, params?, wildcard? }', {
      errors: parsed.error.issues.map(({ path, message }) => ({
        path: path.map(String),
        message,
        name: 'ValidationError',
      })),
    });
  }
  const { contentType, params, wildcard } = parsed.data;
  if (!isCached(contentType)) {
    throw new errors.ValidationError(`"${contentType}" is not a cached content type`);
  }
  return { contentType, params: wildcard === true ? undefined : params };
};
