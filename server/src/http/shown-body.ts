import type { Middleware } from 'koa';
import { exchangeOf } from './exchange';

/** Lets one of Strapi's own middlewares, which only sends the body or looks whether there is one, read it as bytes. */
export const shownBytes =
  (handler: Middleware): Middleware =>
  async (ctx, next) => {
    const exchange = exchangeOf(ctx);
    try {
      await handler(ctx, async () => {
        await next();
        exchange.lazyBody?.showSent();
      });
    } finally {
      exchange.lazyBody?.showRestored();
    }
  };
