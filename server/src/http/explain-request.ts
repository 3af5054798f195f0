import { errors } from '@strapi/utils';
import { z } from 'zod';
import type { ExplainRequest } from '../runtime/explain';
import { parseRequest } from './parse-request';

const id = z.union([z.number().int(), z.string().min(1).max(100)]);

const schema = z.strictObject({
  url: z.string().min(1).max(8000),
  as: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('anonymous') }),
    z.strictObject({ kind: z.literal('user'), id }),
    z.strictObject({ kind: z.literal('token'), id }),
  ]),
  headers: z
    .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'Expected a header name'), z.string().max(4000))
    .default({}),
});

const FORM = 'The body is { url, as: { kind: "anonymous" } | { kind: "user" | "token", id }, headers? }';

/** @throws ValidationError, which Strapi answers with status 400. */
export const explainRequest = (body: unknown): ExplainRequest => {
  const { url, as, headers } = parseRequest(schema, body, FORM);
  return { target: targetOf(url), as, headers };
};

/** Whatever host it was copied from: what counts is path and query. */
const targetOf = (url: string): string => {
  try {
    const { pathname, search } = new URL(url.trim(), 'http://localhost');
    return pathname + search;
  } catch {
    throw new errors.ValidationError(`"${url}" is not a URL`);
  }
};
