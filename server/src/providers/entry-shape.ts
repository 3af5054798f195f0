import { validateHeaderName, validateHeaderValue } from 'node:http';
import { z } from 'zod';
import type { Entry } from '../cache/entry';
import type { EntrySummary } from '../cache/entry-summary';

/**
 * Headers of a connection, or of how a body is sent. No entry is made with such a header, and some would break the
 * response they are sent with.
 */
const FRAMING = new Set(['connection', 'content-length', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade']);

/** Whether a response can be sent with this header: Node.js throws if HTTP does not allow it (RFC 9110, section 5). */
const isLegalHeader = ([name, value]: readonly [string, string]): boolean => {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return !FRAMING.has(name.toLowerCase());
  } catch {
    return false;
  }
};

const text = z.string();
const duration = z.number().nonnegative();

/** What an entry and its summary have in common. */
const COMMON = z.object({
  key: text,
  labels: z.object({ contentType: text, route: text, params: z.record(text, text), identity: text }),
  sequence: z.int().nonnegative(),
  createdAt: z.number(),
  maxAge: duration,
  keptFor: duration.optional(),
});

const ENTRY = COMMON.extend({
  response: z.object({
    status: z.int().min(200).max(599),
    headers: z.array(z.tuple([text, text]).refine(isLegalHeader)),
    appended: z.array(text).optional(),
    removed: z.array(text).optional(),
    compress: z.boolean().optional(),
    body: z.instanceof(Buffer),
    left: z.enum(['json', 'text', 'nothing', 'untouched', 'error']).optional(),
    etag: text.regex(/^(W\/)?"[\x20\x21\x23-\x7e\x80-\xff]*"$/).optional(),
  }),
  tags: z.array(text),
  readElsewhere: z.boolean().optional(),
  granted: z.array(text).optional(),
  cost: z.number().nonnegative(),
});

/** Whether a value that came from a store can be served as an entry. */
export const isEntry = (value: unknown): value is Entry => ENTRY.safeParse(value).success;

const SUMMARY = COMMON.extend({
  size: z.number().nonnegative(),
  hasEtag: z.boolean(),
  carries: z.array(z.boolean()),
});

/** Whether a value that came from a store is a summary that answers a question with so many lists. */
export const isSummary = (value: unknown, lists: number): value is EntrySummary => {
  const { success, data } = SUMMARY.safeParse(value);
  return success && data.carries.length === lists;
};
