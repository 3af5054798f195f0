import type { Context } from 'koa';

/** The name of the inner lane among a route's middlewares. */
export const LANE = 'plugin::rest-cache.cache';

interface RouteInfo {
  readonly config?: { readonly middlewares?: ReadonlyArray<{ readonly name?: string } | undefined> };
}

/** Whether the route that Strapi has chosen is a cached one, also where it has refused the caller. */
export const isCachedRoute = ({ state }: Context): boolean =>
  (state as { route?: RouteInfo }).route?.config?.middlewares?.some((middleware) => middleware?.name === LANE) === true;
