import type { Context } from 'koa';
import type { StoredResponse } from '../cache/entry';
import { NOT_TO_BE_KEPT } from './cache-control';
import { exchangeOf } from './exchange';
import { setBody } from './lazy-body';
import { responseHeader } from './response-headers';
import { answerConditionally } from './stored-response';

/** When every middleware of the application is done: what the body is, its entity tag, and whether it is sent at all. */
export const finishResponse = (ctx: Context): void => {
  const { lazyBody, answer } = exchangeOf(ctx);
  const isUntouched = lazyBody?.finish() ?? true;
  if (answer === undefined) return;
  // A middleware in front has made a failure or a refusal of it.
  if (![answer.response.status, 206, 304].includes(ctx.status)) keepFromOtherCaches(ctx);
  if (isUntouched && ctx.status === answer.response.status) {
    const isEncoded = responseHeader(ctx, 'Content-Encoding') !== '';
    answerConditionally(ctx, { ...answer, response: withoutTagOfOthers(ctx, answer.response) });
    if (ctx.status === 304 && isEncoded) {
      weakenTag(ctx);
      ctx.remove('Content-Encoding');
    }
  }
  if (ctx.body === answer.response.body && answer.response.left !== undefined && holdsNonAscii(ctx))
    setBody(ctx, answer.response.body.toString());
  answerPartially(ctx, answer.response.body);
};

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
const answerPartially = (ctx: Context, bytes: Buffer): void => {
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

/** What is nobody else's (it has got a cookie, say) other caches are not to keep, where it was the plugin that said how. */
export const keepFromOtherCaches = (ctx: Context): void => {
  const { cacheControl, toldEdge = [] } = exchangeOf(ctx).answer ?? {};
  for (const name of toldEdge) if (name !== 'Cache-Control') ctx.remove(name);
  if (cacheControl !== undefined && responseHeader(ctx, 'Cache-Control') === cacheControl)
    ctx.set('Cache-Control', NOT_TO_BE_KEPT);
};

/** A middleware in front may have set an entity tag of its own by now. */
const withoutTagOfOthers = (ctx: Context, response: StoredResponse): StoredResponse => {
  const set = responseHeader(ctx, 'ETag');
  return set === '' || set === response.etag ? response : { ...response, etag: undefined };
};

/** A compressed representation is not the one that its strong entity tag names (RFC 9110, section 8.8.3.3). */
export const weakenTag = (ctx: Context): void => {
  const etag = responseHeader(ctx, 'ETag');
  if (etag.startsWith('"')) ctx.set('ETag', `W/${etag}`);
};

/** Node.js sends a head in UTF-8 together with a text, and in Latin-1 with bytes: the origin had sent a text. */
const holdsNonAscii = ({ res }: Context): boolean =>
  Object.values(res.getHeaders()).some((value) => isNonAscii(String(value)));

export const isNonAscii = (text: string): boolean => /[^\x00-\x7f]/.test(text);
