import { z } from 'zod';
import type { ExplainRequest } from './explain';
import { describeValue } from '../config/configuration-error';
import { badRequest } from './bad-request';
import { parseRequest, text } from './parse-request';

const id = z.union([z.number().int(), text(100).min(1)]);

const schema = z.strictObject({
  url: text(8000).min(1),
  as: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('anonymous') }),
    z.strictObject({ kind: z.literal('user'), id }),
    z.strictObject({ kind: z.literal('token'), id }),
  ]),
  headers: z
    .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'Expected a header name'), text(4000))
    .default({}),
});

const FORM = 'The body is { url, as: { kind: "anonymous" } | { kind: "user" | "token", id }, headers? }';

/** @throws an error that is answered with status 400. */
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
    throw badRequest(`${describeValue(url)} is not a URL`);
  }
};
