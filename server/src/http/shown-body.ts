import type { Middleware } from 'koa';
import { exchangeOf } from './exchange';

/** Lets one of Strapi's own middlewares, which only sends the body or looks whether there is one, read it as bytes. */
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
