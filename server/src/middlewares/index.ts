import type { Core } from '@strapi/strapi';
import type { Context, Next } from 'koa';
import type { FunctionOfRoute, LaneConfig } from '../lanes/attach-lanes';
import { recvMiddleware, type RecvConfig } from '../plugin/recv-middleware';
import { findRunning, getRunning } from '../plugin/rest-cache';

/** The route lane as a named middleware, which is put on each cached route at boot. */
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
  // Checked with each request, because an obstacle may be found after the routes were composed.
  return (ctx, next) => (restCache.unobservable === undefined ? lane : passBy)(ctx, next);
};

/** Put in front of each middleware of a cached route at boot, to watch what the middleware does. */
const beginMiddleware =
  (fn: FunctionOfRoute, { strapi }: { strapi: Core.Strapi }) =>
  (ctx: Context, next: Next): Promise<unknown> =>
    getRunning(strapi).lanes.functions.aroundMiddleware(ctx, next, fn);

/** What code written for @strapi-community/plugin-rest-cache asks for. Writes invalidate without its `purge`. */
const recv = (config: RecvConfig | undefined, { strapi }: { strapi: Core.Strapi }) =>
  recvMiddleware(findRunning(strapi), config);

export default { cache, 'begin-middleware': beginMiddleware, recv, purge: recv, purgeAdmin: recv };
