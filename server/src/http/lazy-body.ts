import type { Context } from 'koa';
import { responseHeader } from './response-headers';

/**
 * Leaves bytes as the response's body that turn into what the controller itself would have left there (an object, a
 * string) as soon as somebody looks: a middleware of the application may expect that, most never ask.
 *
 * @param restore called at most once.
 */
export const setLazyBody = (ctx: Context, bytes: Buffer, restore: () => unknown): void => {
  const { response } = ctx;
  setBytes(ctx, bytes);
  Object.defineProperty(response, 'body', {
    configurable: true,
    get: () => {
      settleBody(ctx);
      response.body = restore();
      return response.body as unknown;
    },
    set: (value: unknown) => {
      settleBody(ctx);
      response.body = value;
    },
  });
};

/** From here on the body is what it is: bytes, if nobody has looked. */
export const settleBody = ({ response }: Context): void => {
  if (Object.hasOwn(response, 'body')) Reflect.deleteProperty(response, 'body');
};

/** Koa drops `Content-Type` when it guesses one for a Buffer; the route's own is kept. */
export const setBytes = (ctx: Context, bytes: Buffer): void => {
  const type = responseHeader(ctx, 'Content-Type');
  ctx.body = bytes;
  if (type !== '') ctx.set('Content-Type', type);
};
