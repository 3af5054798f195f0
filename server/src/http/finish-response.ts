import type { Context, Middleware } from 'koa';
import type { StoredResponse } from '../cache/entry';
import { NOT_TO_BE_KEPT } from './cache-control';
import { answerConditionally, isNoneMatchHit } from './stored-response';
import { isBodyUntouched, settleBody, setText } from './lazy-body';
import { responseHeader, spelledHeaderNames } from './response-headers';

/** What a lane has put on a context, to be finished when the whole stack has seen it. */
interface Answer {
  readonly response: StoredResponse;
  /** As the lane has set it; `undefined` where the header is somebody else's. */
  readonly cacheControl: string | undefined;
  /** Whether the client's condition is still to be looked at: middlewares in front may change the body until then. */
  readonly isConditional: boolean;
}

const answers = new WeakMap<Context, Answer>();

export const noteAnswer = (ctx: Context, answer: Answer): void => {
  answers.set(ctx, answer);
};

/** The lane that has put it there has failed. */
export const forgetAnswer = (ctx: Context): void => {
  answers.delete(ctx);
};

/** When every middleware of the application is done: settles the body, its entity tag, and whether it is sent at all. */
export const finishResponse = (ctx: Context): void => {
  const isUntouched = settleBody(ctx);
  const answer = answers.get(ctx);
  if (answer === undefined) return;
  if (previewed.has(ctx) && ctx.res.statusCode === 304) ctx.res.statusCode = answer.response.status;
  if (answer.isConditional && isUntouched && ctx.status === answer.response.status) {
    const isEncoded = responseHeader(ctx, 'Content-Encoding') !== '';
    answerConditionally(ctx, withoutTagOfOthers(ctx, answer.response));
    if (ctx.status === 304 && isEncoded) weaken(ctx);
  }
  if (ctx.body === answer.response.body && answer.response.left !== undefined && holdsNonAscii(ctx))
    setText(ctx, answer.response.body.toString());
};

/** A response that has got a cookie is nobody else's, where it was the plugin that said how to keep it. */
export const keepFromOtherCaches = (ctx: Context): void => {
  const { cacheControl } = answers.get(ctx) ?? {};
  if (cacheControl !== undefined && responseHeader(ctx, 'Cache-Control') === cacheControl)
    ctx.set('Cache-Control', NOT_TO_BE_KEPT);
};

/** A middleware in front may have set an entity tag of its own by now. */
const withoutTagOfOthers = (ctx: Context, response: StoredResponse): StoredResponse => {
  const set = responseHeader(ctx, 'ETag');
  return set === '' || set === response.etag ? response : { ...response, etag: undefined };
};

const weaken = (ctx: Context): void => {
  const etag = responseHeader(ctx, 'ETag');
  if (etag.startsWith('"')) ctx.set('ETag', `W/${etag}`);
  ctx.remove('Content-Encoding');
};

/** Node.js sends a head in UTF-8 together with a text, and in Latin-1 with bytes: the origin had sent a text. */
const holdsNonAscii = (ctx: Context): boolean => {
  for (const name of spelledHeaderNames(ctx)) if (isNonAscii(responseHeader(ctx, name))) return true;
  return false;
};

export const isNonAscii = (text: string): boolean => /[^\x00-\x7f]/.test(text);

const previewed = new WeakSet<Context>();

/** `strapi::logger` tells the status while it may still become 304: lets it see the one that is going to be sent. */
export const shownFinalStatus =
  (handler: Middleware): Middleware =>
  (ctx, next): unknown =>
    handler(ctx, async (): Promise<void> => {
      await next();
      const answer = answers.get(ctx);
      if (answer?.isConditional !== true || answer.response.etag === undefined) return;
      if (ctx.status !== answer.response.status || !isBodyUntouched(ctx)) return;
      if (!isNoneMatchHit(ctx.get('If-None-Match') || undefined, answer.response.etag)) return;
      previewed.add(ctx);
      ctx.res.statusCode = 304;
    });
