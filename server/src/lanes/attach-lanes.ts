import type { Context } from 'koa';
import type { LiveRoute, RouteFacts } from '../config/application-facts';
import { type ResolvedStrategy, routesIn } from '../config/resolved-config';
import { routeOf } from '../handlers/chosen-route';

/** A policy or middleware of a route. */
export interface FunctionOfRoute {
  readonly path: string;
  /** Such as `policy global::is-owner`. */
  readonly who: string;
  /** Whether the `repeatable` option declares it repeatable. */
  readonly isRepeatable: boolean;
}

/** Puts the route lane on each cached route, and takes it off all others. */
export const attachLanes = (routes: readonly RouteFacts[], strategy: Pick<ResolvedStrategy, 'contentTypes'>): void => {
  for (const { target } of routes) detachLane(target);
  for (const { path, repeatable, keys } of routesIn(strategy)) {
    const target = routes.find((route) => route.path === path)?.target;
    if (target !== undefined) attachLane(target, path, repeatable, keys.useAuth === 'role');
  }
};

/**
 * Removes what an earlier application has attached. Plugins' route objects outlive an application that was stopped in
 * this process (as test suites do). A second lane on a route would wait for ever for the first one's computation.
 */
const detachLane = (route: LiveRoute): void => {
  const { middlewares, policies } = functionsIn(route.config);
  const others = middlewares.filter(isOthers);
  if (others.length === middlewares.length) return;
  route.config = { ...route.config, middlewares: others, policies: policies.filter(isOthers) };
};

/**
 * Puts the lane on a route as its innermost middleware, so that the route's other middlewares have done their work
 * (added a query, refused a caller) before the cache is asked. It is put there by name and with a plain configuration,
 * because the admin panel's Roles page receives `route.config` as JSON.
 */
const attachLane = (route: LiveRoute, path: string, isRepeatable: boolean, isByRole: boolean): void => {
  const { middlewares, policies } = functionsIn(route.config);
  const config: LaneConfig = { path, isByRole };
  // A new object: applications may share one `config` between routes.
  const announced = (items: readonly unknown[], kind: string, name: string): readonly unknown[] =>
    items.flatMap((item, index) => {
      const fn: FunctionOfRoute = { path, who: functionInWords(kind, item, index), isRepeatable };
      return [{ name, config: fn }, item];
    });
  route.config = {
    ...route.config,
    policies: announced(policies, 'policy', BEGIN_POLICY),
    middlewares: [...announced(middlewares, 'middleware', BEGIN), { name: LANE, config }],
  };
};

/** The plugin's own policy and middleware, which stand in front of each function of a cached route. */
const BEGIN_POLICY = 'plugin::rest-cache.begin-policy';
const BEGIN = 'plugin::rest-cache.begin-middleware';

const LANE = 'plugin::rest-cache.cache';

interface Functions {
  readonly policies: readonly unknown[];
  readonly middlewares: readonly unknown[];
}

const functionsIn = (config: unknown): Functions => {
  const { policies = [], middlewares = [] } = (config ?? {}) as Partial<Functions>;
  return { policies, middlewares };
};

/** The name or the module's path by which a function is configured; `''` for code, which has neither. */
const nameOf = (item: unknown): string => {
  if (typeof item === 'string') return item;
  const { name, resolve } = (item ?? {}) as { readonly name?: unknown; readonly resolve?: unknown };
  return [name, resolve].find((found): found is string => typeof found === 'string') ?? '';
};

/** Whether a function on a route is not one that the plugin has put there. */
const isOthers = (item: unknown): boolean => ![LANE, BEGIN_POLICY, BEGIN].includes(nameOf(item));

const functionInWords = (kind: string, item: unknown, index: number): string =>
  `${kind} ${nameOf(item) === '' ? `#${index + 1}` : nameOf(item)}`;

/** A route's own policies and middlewares, in words. */
export const functionsOf = (
  path: string,
  routes: readonly RouteFacts[],
): Readonly<Record<keyof Functions, readonly string[]>> => {
  const { policies, middlewares } = functionsIn(routes.find((route) => route.path === path)?.config);
  const inWords = (kind: string, items: readonly unknown[]): string[] =>
    items.filter(isOthers).map((item, index) => functionInWords(kind, item, index));
  return { policies: inWords('policy', policies), middlewares: inWords('middleware', middlewares) };
};

/** The configuration of the route lane on a route with this configuration; `undefined` if it has none. */
export const laneIn = (config: unknown): LaneConfig | undefined => {
  const middlewares = (config as Partial<Functions> | undefined)?.middlewares;
  const lane = middlewares?.find((item) => (item as { readonly name?: unknown } | undefined)?.name === LANE);
  return (lane as { readonly config: LaneConfig } | undefined)?.config;
};

/** The same, for the route that a request has reached. */
export const laneOn = (ctx: Context): LaneConfig | undefined => laneIn(routeOf(ctx)?.config);

/** The configuration of the route lane, as it is written on a cached route at boot. */
export interface LaneConfig {
  readonly path: string;
  /** Whether users of a role share its answers. */
  readonly isByRole: boolean;
}
