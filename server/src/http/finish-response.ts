import type { Context, Middleware } from 'koa';
import type { StoredResponse } from '../cache/entry';
import { NOT_TO_BE_KEPT } from './cache-control';
import { exchangeOf } from './exchange';
import { setBody } from './lazy-body';
import { answerPartially } from './partial-answer';
import { responseHeader } from './response-headers';
import { answerConditionally, isNotModified, lastModifiedOn } from './stored-response';

/** When every middleware of the application is done: what the body is, its entity tag, and whether it is sent at all. */
export const finishResponse = (ctx: Context): void => {
  const { lazyBody, answer } = exchangeOf(ctx);
  const isUntouched = lazyBody?.finish() ?? true;
  if (answer === undefined) return;
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

/** A response that has got a cookie is nobody else's, where it was the plugin that said how to keep it. */
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

/** `strapi::logger` tells the status while it may still become 304: lets it see the one that is going to be sent. */
export const shownFinalStatus =
  (handler: Middleware): Middleware =>
  async (ctx, next) => {
    let status: number | undefined;
    await handler(ctx, async () => {
      await next();
      if (!isGoingToBeNotModified(ctx)) return;
      status = ctx.status;
      ctx.res.statusCode = 304;
    });
    if (status !== undefined) ctx.res.statusCode = status;
  };

const isGoingToBeNotModified = (ctx: Context): boolean => {
  const { answer, lazyBody } = exchangeOf(ctx);
  if (answer === undefined || ctx.status !== answer.response.status) return false;
  const { etag } = answer.response;
  if (!isNotModified(ctx.req.headers, { etag, lastModified: lastModifiedOn(ctx, answer.lastModified) })) return false;
  return lazyBody?.isUntouched !== false;
};
