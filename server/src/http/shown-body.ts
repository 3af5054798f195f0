import type { Middleware } from 'koa';
import { exchangeOf } from './exchange';

/** Lets one of Strapi's own middlewares, to which a body is something to send, see the bytes. */
export const shownBytes =
  (handler: Middleware): Middleware =>
  async (ctx, next) => {
    const exchange = exchangeOf(ctx);
    await handler(ctx, async () => {
      await next();
      exchange.lazyBody?.showSent();
    });
    exchange.lazyBody?.showRestored();
  };
