import type { Context, Middleware, Next } from 'koa';
import type { OutgoingHttpHeaders } from 'node:http';
import { exchangeOf } from '../http/exchange';
import { type Compressing, fieldNames } from '../http/response-headers';
import { type FrontLane, PER_RESPONSE, type Snapshot } from './front-lane';
import { isOf, type Repetition } from './outer-lane';
import { ifPossible, type OnFault } from './undo-answer';

/**
 * Makes the shortcut, for hits of routes whose policies and middlewares have to see every request. The route runs as
 * always: authentication, then these functions in their order, then the inner lane. Strapi's global middlewares are
 * skipped, and what they add to a response is repeated from an earlier one. If the route does not answer with the same
 * entry and the same head as before, its outcome is passed through the global middlewares after all, whatever it is.
 * The route never runs twice.
 *
 * @param route the middlewares that make the answer, outermost first: the router and what it needs in front of it.
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
    // The route has sent a head by itself, so the global middlewares cannot add anything.
    if (ctx.headerSent) return front.log(ctx.req, ctx.res);
    exchange.routed = { outcome, head: ctx.res.getHeaders() };
    await next();
  };
  return (ctx, next) => {
    const expected = front.expected(ctx.req);
    return expected === undefined ? next() : take(expected, ctx, next);
  };
};

/** Stands in front of the global middlewares, and calls them with `next`. */
export type Shortcut = (ctx: Context, next: Next) => Promise<unknown>;

const outcomeOf = async (route: readonly Middleware[], ctx: Context): Promise<PromiseSettledResult<unknown>> => {
  const all = route.reduceRight<Next>(
    (inner, middleware) => async () => (await middleware(ctx, inner)) as unknown,
    () => Promise.resolve(),
  );
  const [outcome] = await Promise.allSettled([all()]);
  return outcome;
};

/**
 * Stands right in front of the router. If the shortcut has called the route already, takes over its outcome. If not,
 * calls the router and notes the headers that the route has added.
 */
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

/**
 * Sets the route's headers again: the global middlewares have run after the route here, instead of before it, and may
 * have replaced them. `Vary` is left out, because they only add to it.
 */
const setAgain = ({ res }: Context, head: OutgoingHttpHeaders): void => {
  for (const [name, value] of Object.entries(head))
    if (name !== 'vary' && value !== undefined && res.getHeader(name) !== value) res.setHeader(name, value);
};

/** Whether the route has answered with the same entry and the same head as when the hit was remembered. */
const isAsBefore = (ctx: Context, { verdict }: Repetition<Snapshot>): boolean => {
  const { served, lazyBody } = exchangeOf(ctx);
  if (served === undefined || !isOf(verdict, served.entry) || ctx.status !== 200 || ctx.headerSent) return false;
  if (!isPlain(ctx) || headOfRoute(ctx) !== verdict.extra.headOfRoute) return false;
  return lazyBody?.isUntouched === true;
};

/** Whether nothing was left on the context that Strapi's global middlewares would act on. */
const isPlain = (ctx: Context): boolean =>
  ctx.respond !== false && exchangeOf(ctx).sessionUses === 0 && (ctx as Compressing).compress === undefined;

/**
 * The headers that the route's own functions and the lane have added, as text; `undefined` if the route has no
 * functions, or if a header that was set before them is gone.
 */
const headOfRoute = (ctx: Context): string | undefined => {
  const { headBeforeRoute: before, served } = exchangeOf(ctx);
  if (before === undefined) return undefined;
  const after = ctx.res.getHeaders();
  for (const name in before) if (after[name] === undefined) return undefined;
  let head = '';
  for (const name in after) {
    if (PER_RESPONSE.has(name) || after[name] === before[name]) continue;
    // The plugin sets its own `ETag` later, because the body may still be changed.
    if (name === 'etag' && after[name] === served?.entry.response.etag) continue;
    head += `${name}:${name === 'vary' ? addedFields(before, after).join() : String(after[name])}\n`;
  }
  return head;
};

const addedFields = (before: OutgoingHttpHeaders, after: OutgoingHttpHeaders): string[] => {
  const there = fieldNames(String(before.vary ?? ''));
  return fieldNames(String(after.vary ?? '')).filter((field) => !there.includes(field));
};
