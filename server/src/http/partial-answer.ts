import type { Context } from 'koa';
import { setBody } from './lazy-body';
import { responseHeader } from './response-headers';

/** One range. Of several, and of other units, all is sent, as any server may (RFC 9110, section 14.2). */
const ONE_RANGE = /^bytes=(?:(\d+)-(\d*)|-(\d+))$/i;

/** Offsets of the first and the last byte; `undefined` where the field names none of them. */
const rangeIn = (field: string, length: number): readonly [from: number, to: number] | undefined => {
  const [all, first, last, suffix] = ONE_RANGE.exec(field) ?? [];
  if (all === undefined) return undefined;
  const from = first === undefined ? Math.max(0, length - Number(suffix)) : Number(first);
  const to = first === undefined || last === '' ? length - 1 : Math.min(length - 1, Number(last));
  return from <= to ? [from, to] : undefined;
};

/** Without a tag that names these very bytes, nobody is sent a part of what may be others (RFC 9110, section 13.1.5). */
const isOfThese = (ifRange: string, etag: string): boolean =>
  ifRange === '' || (ifRange.startsWith('"') && ifRange === etag);

/**
 * Sends a client that asks for a range of a complete answer no more than that (RFC 9110, section 15.3.7.1).
 *
 * @param bytes of the answer as it was stored: a body that somebody has changed or compressed is sent whole.
 */
export const answerPartially = (ctx: Context, bytes: Buffer): void => {
  const asked = ctx.get('Range');
  if (asked === '' || ctx.method !== 'GET' || ctx.status !== 200 || ctx.body !== bytes) return;
  if (!isOfThese(ctx.get('If-Range'), responseHeader(ctx, 'ETag'))) return;
  const range = rangeIn(asked, bytes.byteLength);
  if (range === undefined) return;
  const [from, to] = range;
  ctx.status = 206;
  ctx.set('Content-Range', `bytes ${from}-${to}/${bytes.byteLength}`);
  setBody(ctx, bytes.subarray(from, to + 1));
};
