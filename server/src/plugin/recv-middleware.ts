import type { Context, Next } from 'koa';
import { said } from '../cache/sentence';
import { routesIn } from '../config/resolved-config';
import type { RestCache } from './rest-cache';

/** The options that other plugins give the middleware `recv` of @strapi-community/plugin-rest-cache. */
export interface RecvConfig {
  readonly cacheRouteConfig?: { readonly path?: unknown };
}

/**
 * For code that puts the middleware `recv` of @strapi-community/plugin-rest-cache in front of routes of its own.
 * There it would answer before Strapi has authenticated and authorised the caller, so
 * it only passes requests on. It warns of each route that is not cached on its own.
 */
export const recvMiddleware = (restCache: RestCache | undefined, { cacheRouteConfig }: RecvConfig = {}) => {
  const path = cacheRouteConfig?.path;
  if (restCache !== undefined && typeof path === 'string') {
    const isCached = routesIn(restCache.config.strategy).some((route) => route.path === path);
    if (!isCached)
      restCache.observability.notices.warn(said('recv-asked')`the middleware recv was asked for by code that wants GET
        ${path} cached. Here a route is cached by its name, behind authentication: add routes: ['${path}'] to a content
        type in strategy.contentTypes.`);
  }
  return (_ctx: Context, next: Next): Promise<unknown> => next();
};
