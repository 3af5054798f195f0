import type { Context, Middleware, Next } from 'koa';
import type { OutgoingHttpHeaders } from 'node:http';
import { exchangeOf } from '../http/exchange';
import { type Compressing, fieldNames } from '../http/response-headers';
import { type FrontLane, PER_RESPONSE, type Snapshot } from './front-lane';
import { isOf, type Repetition } from './outer-lane';
import { ifPossible, type OnFault } from './undo-answer';

/**
 * For hits of routes with policies and middlewares of their own, which have to see every request: these run as ever,
 * after authentication and in their order, but Strapi's global middlewares are left out. What those add to a response is
 * sent as it was before. Where the route does not answer with the very entry and head it had answered with, the global
 * middlewares see its outcome after all, whatever it is: nothing runs twice.
 *
 * @param route what makes the answer, outermost first: the router and what it needs in front of it.
 */
export const shortcut = (front: FrontLane, route: readonly Middleware[], onFault: OnFault): Shortcut => {
  const take = async (expected: Repetition<Snapshot>, ctx: Context, next: Next): Promise<void> => {
    const exchange = exchangeOf(ctx);
    const outcome = await outcomeOf(route, ctx);
    if (outcome.status === 'fulfilled') {
      ifPossible(() => (exchange.isSent = isAsBefore(ctx, expected) && front.send(ctx, expected)), onFault);
      if (exchange.isSent) return;
    }
    ifPossible(() => front.forget(ctx), onFault);
    // It has written to the connection itself: there is nothing left to add to.
    if (ctx.headerSent) return front.log(ctx.req, ctx.res);
    exchange.routed = { outcome, head: ctx.res.getHeaders() };
    await next();
  };
  return (ctx, next) => {
    const expected = front.expected(ctx.req);
    return expected === undefined ? next() : take(expected, ctx, next);
  };
};

/** In front of the global middlewares, which `next` calls. */
export type Shortcut = (ctx: Context, next: Next) => Promise<unknown>;

const outcomeOf = async (route: readonly Middleware[], ctx: Context): Promise<PromiseSettledResult<unknown>> => {
  const all = route.reduceRight<Next>(
    (inner, middleware) => async () => (await middleware(ctx, inner)) as unknown,
    () => Promise.resolve(),
  );
  const [outcome] = await Promise.allSettled([all()]);
  return outcome;
};

/** Right in front of the router: one that has answered already is not asked again, and what the route does is noted. */
export const aroundRouter =
  (onFault: OnFault): Middleware =>
  async (ctx, next) => {
    const exchange = exchangeOf(ctx);
    const { routed } = exchange;
    if (routed !== undefined) {
      setAgain(ctx, routed.head);
      if (routed.outcome.status === 'rejected') throw routed.outcome.reason;
      return;
    }
    await next();
    ifPossible(() => {
      if (exchange.served?.isRepeatable() === false && isPlain(ctx)) exchange.headOfRoute = headOfRoute(ctx);
    }, onFault);
  };

/** What the route has set counts, as it does where the global middlewares have set theirs before. To `Vary` they add. */
const setAgain = ({ res }: Context, head: OutgoingHttpHeaders): void => {
  for (const [name, value] of Object.entries(head))
    if (name !== 'vary' && value !== undefined && res.getHeader(name) !== value) res.setHeader(name, value);
};

/** Whether the route has answered with the same entry and the same head as when that was remembered. */
const isAsBefore = (ctx: Context, { verdict }: Repetition<Snapshot>): boolean => {
  const { served, lazyBody } = exchangeOf(ctx);
  if (served === undefined || !isOf(verdict, served.entry) || ctx.status !== 200 || ctx.headerSent) return false;
  if (!isPlain(ctx) || headOfRoute(ctx) !== verdict.extra.headOfRoute) return false;
  return lazyBody?.isUntouched === true;
};

/** Whether nothing was left on the context that Strapi's global middlewares would act on. */
const isPlain = (ctx: Context): boolean =>
  ctx.respond !== false && exchangeOf(ctx).sessionUses === 0 && (ctx as Compressing).compress === undefined;

/** What a route's own functions and the lane have added to the head; `undefined` where it cannot be told apart. */
const headOfRoute = (ctx: Context): string | undefined => {
  const { headBeforeRoute: before, served } = exchangeOf(ctx);
  if (before === undefined) return undefined;
  const after = ctx.res.getHeaders();
  for (const name in before) if (after[name] === undefined) return undefined;
  let head = '';
  for (const name in after) {
    if (PER_RESPONSE.has(name) || after[name] === before[name]) continue;
    // Ours is set later where the body may still be changed.
    if (name === 'etag' && after[name] === served?.entry.response.etag) continue;
    head += `${name}:${name === 'vary' ? addedFields(before, after).join() : String(after[name])}\n`;
  }
  return head;
};

const addedFields = (before: OutgoingHttpHeaders, after: OutgoingHttpHeaders): string[] => {
  const there = fieldNames(String(before.vary ?? ''));
  return fieldNames(String(after.vary ?? '')).filter((field) => !there.includes(field));
};
