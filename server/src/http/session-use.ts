import type { Context } from 'koa';
import type { Reason } from '../cache/response-cache';
import { exchangeOf, knownExchange } from './exchange';
import { wrapAccessor } from './wrap-accessor';

const SESSION: Reason = { code: 'session', detail: 'session' };

/**
 * Notes whether what runs on this context asks for the session. Its cookie is set behind the route, when it is
 * committed: too late to refuse the response that told its holder's secrets.
 *
 * @returns tells of it if it has been asked for since.
 */
export const watchSession = (ctx: Context): (() => Reason | undefined) => {
  const { context } = ctx.app;
  // Where koa-session has put it.
  if (Object.getOwnPropertyDescriptor(context, 'session')?.get === undefined) return () => undefined;
  // What cannot be watched cannot be proven unused.
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
