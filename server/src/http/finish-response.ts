import type { Context } from 'koa';
import type { StoredResponse } from '../cache/entry';
import { NOT_TO_BE_KEPT, directAllCaches } from './cache-control';
import { exchangeOf } from './exchange';
import { setBody } from './lazy-body';
import { fieldOf, responseHeader } from './response-headers';
import { answerConditionally } from './stored-response';

/** Completes the response behind all middlewares: its body, its entity tag, and the answer to conditional requests. */
export const finishResponse = (ctx: Context): void => {
  const { lazyBody, answer } = exchangeOf(ctx);
  const isUntouched = lazyBody?.finish() ?? true;
  if (answer === undefined) return;
  // A middleware in front has turned the response into a failure or a refusal.
  if (![answer.response.status, 206, 304].includes(ctx.status)) keepFromOtherCaches(ctx);
  if (isUntouched && ctx.status === answer.response.status) {
    answerConditionally(ctx, { ...answer, response: withoutTagOfOthers(ctx, answer.response) });
    if (ctx.status === 304) {
      weakenCompressed(ctx);
      ctx.remove('Content-Encoding');
    }
  }
  if (ctx.body === answer.response.body && answer.response.left !== undefined && holdsNonAscii(ctx))
    setBody(ctx, answer.response.body.toString());
};

/** Tells other caches not to store a response that must not be shared, because a cookie was set, for example. */
export const keepFromOtherCaches = (ctx: Context): void => {
  const { cacheControl, edgeHeaders = [] } = exchangeOf(ctx).answer ?? {};
  for (const name of edgeHeaders) if (name !== 'Cache-Control') ctx.remove(name);
  // Without its keys no purge names it, whatever lifetime its handler gives it.
  const hasLostKeys = edgeHeaders.length > 0;
  if (hasLostKeys || (cacheControl !== undefined && responseHeader(ctx, 'Cache-Control') === cacheControl))
    directAllCaches(ctx, NOT_TO_BE_KEPT);
};

/** The response without the plugin's entity tag, if a middleware in front has set a tag of its own by now. */
const withoutTagOfOthers = (ctx: Context, response: StoredResponse): StoredResponse => {
  const set = responseHeader(ctx, 'ETag');
  return set === '' || set === response.etag ? response : { ...response, etag: undefined };
};

/**
 * Makes the plugin's tag of a compressed response weak: it names uncompressed bytes (RFC 9110, section 8.8.3.3). What a
 * handler's own tag names is the handler's business.
 */
export const weakenCompressed = (ctx: Context): void => {
  const { answer } = exchangeOf(ctx);
  if (answer === undefined || fieldOf(answer.response, 'etag') !== undefined) return;
  const { etag = '' } = answer.response;
  const isSent = etag !== '' && etag === responseHeader(ctx, 'ETag');
  if (isSent && responseHeader(ctx, 'Content-Encoding') !== '') ctx.set('ETag', `W/${etag}`);
};

/**
 * Whether any header holds other characters than ASCII. Node.js sends headers as UTF-8 together with a string, and as
 * Latin-1 together with bytes. The origin had sent a string, so a hit has to as well.
 */
const holdsNonAscii = ({ res }: Context): boolean =>
  res.getHeaderNames().some((name) => isNonAscii(String(res.getHeader(name))));

export const isNonAscii = (text: string): boolean => /[^\x00-\x7f]/.test(text);
