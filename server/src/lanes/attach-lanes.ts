import type { Context } from 'koa';
import type { LiveRoute, RouteFacts } from '../config/application-facts';
import type { ResolvedStrategy } from '../config/resolved-config';
import { NOTE_READS } from '../http/unkeyed-reads';

/** Puts the inner lane on each cached route, and takes it off all others. */
export const attachLanes = (
  routes: readonly RouteFacts[],
  { contentTypes }: Pick<ResolvedStrategy, 'contentTypes'>,
): void => {
  for (const { target } of routes) detachLane(target);
  for (const { path } of contentTypes.flatMap((contentType) => contentType.routes)) {
    const target = routes.find((route) => route.path === path)?.target;
    if (target !== undefined) attachLane(target, path);
  }
};

/**
 * Plugins' route objects outlive an application that was stopped in this process (as test suites do), and with them
 * what it had attached: a second lane on a route would wait for the first one's computation for ever.
 */
const detachLane = (route: LiveRoute): void => {
  const { middlewares = [], policies = [] } = (route.config ?? {}) as {
    middlewares?: ReadonlyArray<{ name?: string } | undefined>;
    policies?: readonly unknown[];
  };
  const others = middlewares.filter((middleware) => middleware?.name !== LANE);
  if (others.length === middlewares.length) return;
  route.config = { ...route.config, middlewares: others, policies: policies.filter((policy) => policy !== NOTE_READS) };
};

/**
 * Innermost, so that what other middlewares of the route do (add a query, refuse a caller) is done before the cache is
 * asked. By name and with a plain configuration: the admin panel's Roles page receives `route.config` as JSON.
 */
const attachLane = (route: LiveRoute, path: string): void => {
  const { middlewares = [], policies = [] } = (route.config ?? {}) as { middlewares?: unknown[]; policies?: unknown[] };
  const config: LaneConfig = { path, surrounded: middlewares.length > 0, guarded: policies.length > 0 };
  // A new object: applications may share one `config` between routes.
  route.config = {
    ...route.config,
    ...(config.surrounded || config.guarded ? { policies: [NOTE_READS, ...policies] } : {}),
    middlewares: [...middlewares, { name: LANE, config }],
  };
};

/** The name of the inner lane among a route's middlewares. */
export const LANE = 'plugin::rest-cache.cache';

interface RouteInfo {
  readonly config?: { readonly middlewares?: ReadonlyArray<{ readonly name?: string } | undefined> };
}

/** Whether the route that Strapi has chosen is a cached one, also where it has refused the caller. */
export const isCachedRoute = ({ state }: Context): boolean =>
  (state as { route?: RouteInfo }).route?.config?.middlewares?.some((middleware) => middleware?.name === LANE) === true;

/** What `register` writes on a cached route. */
export interface LaneConfig {
  /** The cached route's pattern. */
  readonly path: string;
  /** Whether middlewares of others surround this one on the route. */
  readonly surrounded: boolean;
  /** Whether the route has policies, which have to see every request. */
  readonly guarded: boolean;
}
