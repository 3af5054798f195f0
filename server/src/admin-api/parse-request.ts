import { z } from 'zod';
import { badRequest } from './bad-request';

/** Of what is wrong, so much is told: an answer is not to be longer than what it answers. */
const MAX_TOLD = 10;
const MAX_NAME_TOLD = 100;
const MAX_MESSAGE_TOLD = 300;

/** Text as a URL can hold it: bounded, and no lone surrogate, which has no encoding. */
export const encodable = (longest: number) =>
  z
    .string()
    .max(longest)
    .refine((written) => !/\p{Cs}/u.test(written), 'Expected text without lone surrogates');

/** Text that is asked of a database or ends in a log. */
export const text = (longest: number) =>
  encodable(longest).refine((written) => !/[\u0000-\u001f\u007f]/.test(written), 'Expected no control characters');

/**
 * Reads what a caller sent.
 *
 * @param form one sentence that says what was expected.
 * @throws an error that is answered with status 400 and a list of what is wrong.
 */
export const parseRequest = <Schema extends z.ZodType>(
  schema: Schema,
  sent: unknown,
  form: string,
): z.output<Schema> => {
  const parsed = schema.safeParse(sent);
  if (parsed.success) return parsed.data;
  throw badRequest(form, {
    errors: parsed.error.issues.slice(0, MAX_TOLD).map(({ path, message }) => ({
      path: path.map((name) => String(name).slice(0, MAX_NAME_TOLD)),
      message: message.slice(0, MAX_MESSAGE_TOLD),
      name: 'ValidationError',
    })),
  });
};
