import type { Context } from 'koa';

/** How often the session of this context was asked for, by whatever runs on it. */
const USES = Symbol('rest-cache session uses');

type WatchedContext = Context & { [USES]?: number };

/** Prototypes of contexts whose `session` counts its uses. */
const watched = new WeakSet<object>();

/**
 * Notes whether what runs on this context asks for the session. Its cookie is set behind the route, when it is
 * committed: too late to refuse the response that told its holder's secrets.
 *
 * @returns whether it has been asked for since.
 */
export const watchSession = (ctx: WatchedContext): (() => boolean) => {
  const { get, configurable } = Object.getOwnPropertyDescriptor(ctx.app.context, 'session') ?? {};
  if (get === undefined) return () => false;
  // What cannot be watched cannot be proven unused.
  if (configurable !== true) return () => true;
  countUses(ctx.app.context);
  const before = ctx[USES];
  return () => ctx[USES] !== before;
};

/** Counted where koa-session has put it, for accessors of its own would make each request's context a slow object. */
const countUses = (prototype: object): void => {
  if (watched.has(prototype)) return;
  watched.add(prototype);
  const { get, set } = Object.getOwnPropertyDescriptor(prototype, 'session') ?? {};
  Object.defineProperty(prototype, 'session', {
    configurable: true,
    get(this: WatchedContext): unknown {
      this[USES] = (this[USES] ?? 0) + 1;
      return get?.call(this);
    },
    set(this: WatchedContext, value: unknown) {
      this[USES] = (this[USES] ?? 0) + 1;
      set?.call(this, value);
    },
  });
};
