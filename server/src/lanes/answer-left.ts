import type { Context } from 'koa';
import { exchangeOf, type AnswerLeft } from '../http/exchange';

/** How often anything but authentication has read for this request so far. */
export const readsOf = (ctx: Context): number => exchangeOf(ctx).recording?.contentReads ?? 0;

/** The answer as it is now, for comparison with what others make of it. */
export const answerLeft = (ctx: Context): AnswerLeft => ({
  status: ctx.status,
  body: exchangeOf(ctx).lazyBody === undefined ? ctx.body : undefined,
  reads: readsOf(ctx),
});

/** Whether somebody has replaced or changed it since. */
export const isChanged = (ctx: Context, left: AnswerLeft): boolean => {
  const { status, body } = answerLeft(ctx);
  return status !== left.status || body !== left.body || exchangeOf(ctx).lazyBody?.isUntouched === false;
};
