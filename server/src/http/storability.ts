import { Readable } from 'node:stream';
import type { Context } from 'koa';
import { BODY_SHAPING_HEADERS } from './request-key';
import { responseHeader, varyFields } from './response-headers';

/** Directives by which a handler keeps its response out of shared caches (RFC 9111, section 5.2.2). */
const FORBIDDING_DIRECTIVES: ReadonlySet<string> = new Set(['no-store', 'private']);

/**
 * Why a finished response must not be stored, or `undefined` if it may be. What cannot be proven safe to share is not
 * stored.
 *
 * @param produced the headers the route itself produced.
 * @param keyedHeaders request headers that are part of the key.
 */
export const unstorableReason = (
  ctx: Context,
  produced: ReadonlyArray<readonly [string, string]>,
  keyedHeaders: readonly string[],
): string | undefined => {
  if (ctx.respond === false) return 'the handler answers by itself';
  if (responseHeader(ctx, 'Set-Cookie') !== '') return 'Set-Cookie';
  if (ctx.status !== 200) return `status ${ctx.status}`;
  const body: unknown = ctx.body;
  if (body === undefined || body === null) return 'no body';
  if (isStream(body)) return 'stream';
  for (const [spelled, value] of produced) {
    const name = spelled.toLowerCase();
    if (name === 'cache-control') {
      const forbidding = directives(value).find((directive) => FORBIDDING_DIRECTIVES.has(directive));
      if (forbidding !== undefined) return `Cache-Control: ${forbidding}`;
    }
    if (name === 'vary') {
      const unkeyed = varyFields(value).find(
        (field) => field === '*' || !(keyedHeaders.includes(field) || BODY_SHAPING_HEADERS.includes(field)),
      );
      if (unkeyed !== undefined) return `Vary: ${unkeyed}`;
    }
    if (name === 'content-encoding') return 'Content-Encoding set by the handler';
    if (name === 'content-range') return 'Content-Range';
  }
  return undefined;
};

const directives = (cacheControl: string): string[] =>
  cacheControl.split(',').map((directive) => (directive.split('=')[0] ?? '').trim().toLowerCase());

const isStream = (body: unknown): boolean =>
  body instanceof Readable ||
  (typeof body === 'object' &&
    body !== null &&
    (typeof (body as { pipe?: unknown }).pipe === 'function' ||
      body instanceof ReadableStream ||
      body instanceof Blob ||
      body instanceof Response));
