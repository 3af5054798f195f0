import { errors } from '@strapi/utils';
import type { z } from 'zod';

/**
 * Reads what a caller sent.
 *
 * @param form one sentence that says what was expected.
 * @throws ValidationError, which Strapi answers with status 400 and a list of what is wrong.
 */
export const parseRequest = <Schema extends z.ZodType>(
  schema: Schema,
  sent: unknown,
  form: string,
): z.output<Schema> => {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  throw new errors.ValidationError(form, {
    errors: parsed.error.issues.map(({ path, message }) => ({
      path: path.map(String),
      message,
      name: 'ValidationError',
    })),
  });
};
