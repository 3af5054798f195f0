import type { Middleware } from 'koa';
import { exchangeOf } from './exchange';
import type { LazyBody } from './lazy-body';

const shown =
  (show: (lazyBody: LazyBody) => void) =>
  (handler: Middleware): Middleware =>
  async (ctx, next) => {
    const exchange = exchangeOf(ctx);
    await handler(ctx, async () => {
      await next();
      if (exchange.lazyBody !== undefined) show(exchange.lazyBody);
    });
    exchange.lazyBody?.showRestored();
  };

/** Lets one of Strapi's own middlewares, to which a body is something to send, see the bytes. */
export const shownBytes = shown((lazyBody) => lazyBody.showSent());

/** The same for one that only looks whether there is a body: what others have made of it is not looked at for that. */
export const shownThatThereIsOne = shown((lazyBody) => lazyBody.showThatThereIsOne());
