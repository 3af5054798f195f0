import type { Core } from '@strapi/strapi';
import type { Context, Next } from 'koa';
import type { FunctionOfRoute } from '../http/exchange';
import type { LaneConfig } from '../lanes/attach-lanes';
import { getRunning } from '../plugin/rest-cache';

/** The inner lane under its name; attached to each cached route at boot. */
const cache = (
  config: LaneConfig,
  { strapi }: { strapi: Core.Strapi },
): ((ctx: Context, next: Next) => Promise<unknown>) => {
  const restCache = getRunning(strapi);
  const passBy = (_ctx: Context, next: Next): Promise<unknown> => next();
  const lane = restCache.obstacles.attempt(
    "Strapi's metadata",
    () => restCache.innerLane(config),
    () => passBy,
  );
  // What is in the way may be met when routes are composed already.
  return (ctx, next) => (restCache.unobservable === undefined ? lane : passBy)(ctx, next);
};

/** Put by `register` in front of each middleware of a cached route. */
const beginMiddleware =
  (fn: FunctionOfRoute, { strapi }: { strapi: Core.Strapi }) =>
  (ctx: Context, next: Next): Promise<unknown> =>
    getRunning(strapi).lanes.functions.aroundMiddleware(ctx, next, fn);

export default { cache, 'begin-middleware': beginMiddleware };
