import type { Context } from 'koa';

/**
 * Notes whether what runs on this context asks for the session. Its cookie is set behind the route, when it is
 * committed: too late to refuse the response that told its holder's secrets.
 *
 * @returns to be called once, when it has run: whether it did.
 */
export const watchSession = (ctx: Context): (() => boolean) => {
  const inherited = Object.getOwnPropertyDescriptor(ctx.app.context, 'session');
  if (inherited?.get === undefined) return () => false;
  let used = false;
  Object.defineProperty(ctx, 'session', {
    configurable: true,
    get: () => {
      used = true;
      return inherited.get?.call(ctx) as unknown;
    },
    set: (value: unknown) => {
      used = true;
      inherited.set?.call(ctx, value);
    },
  });
  return () => {
    Reflect.deleteProperty(ctx, 'session');
    return used;
  };
};
