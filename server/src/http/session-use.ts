import type { Context } from 'koa';
import type { Reason } from '../cache/response-cache';
import { exchangeOf, knownExchange } from './exchange';
import { wrapAccessor } from './wrap-accessor';

const SESSION: Reason = { code: 'session', detail: 'session' };

/**
 * Notes whether code that runs on this context uses the session. The session's cookie is set after the route, when the
 * session is committed: too late to keep a response that holds the user's secrets from being stored.
 *
 * @returns gives the reason not to store the response, if the session has been used since.
 */
export const watchSession = (ctx: Context): (() => Reason | undefined) => {
  const { context } = ctx.app;
  // koa-session defines the getter here; without it there are no sessions.
  if (Object.getOwnPropertyDescriptor(context, 'session')?.get === undefined) return () => undefined;
  // If the session cannot be watched, it cannot be proven unused.
  if (!wrapAccessor(context, 'session', countingUses)) return () => SESSION;
  const exchange = exchangeOf(ctx);
  const before = exchange.sessionUses;
  return () => (exchange.sessionUses === before ? undefined : SESSION);
};

const countingUses: Parameters<typeof wrapAccessor>[2] = ({ get, set }) => {
  const count = (ctx: Context): void => {
    const exchange = knownExchange(ctx);
    if (exchange !== undefined) exchange.sessionUses += 1;
  };
  return {
    get(this: Context): unknown {
      count(this);
      return get.call(this);
    },
    set(this: Context, value: unknown) {
      count(this);
      set?.call(this, value);
    },
  };
};
