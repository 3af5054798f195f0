import type { Context, Middleware } from 'koa';
import { exchangeOf } from '../http/exchange';
import { FunctionPass } from './function-pass';
import { trialOf } from './trial-request';
import type { OnFault } from './undo-answer';

interface Words {
  /** What paths of cached routes look like; `undefined` where that cannot be told. */
  readonly cachedPaths: readonly RegExp[] | undefined;
  /** Told once, of the first that breaks it. */
  readonly onBroken: (name: string, did: string) => void;
  readonly onFault: OnFault;
}

/**
 * The user's word, `repeatableMiddlewares`, for global middlewares, and whether they keep it. What they do to requests for
 * anything but cached routes is nobody's concern.
 *
 * @returns makes of a middleware the same, watched.
 */
export const watchingRepeatable = ({ cachedPaths, onBroken, onFault }: Words) => {
  let isBroken = false;
  const isCached = (path: string): boolean => cachedPaths?.some((pattern) => pattern.test(path)) ?? true;
  const judge = (ctx: Context, name: string, did: string, path: string): void => {
    if (![path, ctx.path].some(isCached)) return;
    exchangeOf(ctx).served = undefined;
    if (isBroken) return;
    isBroken = true;
    onBroken(name, did);
  };
  return (middleware: Middleware, name: string): Middleware =>
    (ctx, next): unknown => {
      const { method, path, req } = ctx;
      if (isBroken || (method !== 'GET' && method !== 'HEAD') || trialOf(req) !== undefined)
        return middleware(ctx, next);
      const pass = new FunctionPass(ctx);
      const run = (): unknown => middleware(ctx, () => pass.goOn(next));
      return pass.through(run, (did) => judge(ctx, name, did, path), onFault);
    };
};
