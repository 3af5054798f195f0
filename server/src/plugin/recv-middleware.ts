import { said } from '../cache/sentence';
import type { Core } from '@strapi/strapi';
import type { Context, Next } from 'koa';
import type { RestCache } from './rest-cache';

/** The options that other plugins give the middleware `recv` of @strapi-community/plugin-rest-cache. */
export interface RecvConfig {
  readonly cacheRouteConfig?: { readonly path?: unknown };
}

type PassBy = (ctx: Context, next: Next) => Promise<unknown>;

const passBy: PassBy = (_ctx, next) => next();

const asked = new WeakMap<RestCache, Set<string>>();

/**
 * For code that puts the middleware `recv` of @strapi-community/plugin-rest-cache in front of routes of its own.
 * There it would answer before Strapi has authenticated and authorised the caller, so
 * it only passes requests on. One warning names all routes that are not cached on their own.
 */
export const recvMiddleware = (restCache: RestCache | undefined, { cacheRouteConfig }: RecvConfig = {}): PassBy => {
  const path = cacheRouteConfig?.path;
  if (restCache === undefined || typeof path !== 'string') return passBy;
  const { contentTypes } = restCache.config.strategy;
  if (contentTypes.some(({ routes }) => routes.some((route) => route.path === path))) return passBy;
  const paths = asked.get(restCache) ?? new Set();
  // Code asks for its routes one after the other.
  if (paths.size === 0) queueMicrotask(() => warnOf(restCache, [...paths]));
  asked.set(restCache, paths.add(path));
  return passBy;
};

const warnOf = ({ strapi, observability }: RestCache, paths: readonly string[]): void =>
  observability.notices.warn(said('recv-asked')`the middleware recv was asked for by code that wants
    ${paths.map((path) => `GET ${path}`)} cached. Here a route is cached by its name, behind authentication: add to
    strategy.contentTypes { contentType: '${ownerOf(strapi, paths)}', injectDefaultRoutes: false, routes:
    [${paths.map((path) => `'${path}'`)}] }.`);

/** The first content type of the plugin whose name is a part of the path. */
const ownerOf = (strapi: Core.Strapi, [path = '']: readonly string[]): string =>
  Object.keys(strapi.contentTypes).find((uid) =>
    path.split('/').some((part) => part !== '' && uid.startsWith(`plugin::${part}.`)),
  ) ?? 'api::article.article';
