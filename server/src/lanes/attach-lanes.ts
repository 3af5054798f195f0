import type { Context } from 'koa';
import type { LiveRoute, RouteFacts } from '../config/application-facts';
import type { ResolvedStrategy } from '../config/resolved-config';
import type { FunctionOfRoute } from '../http/exchange';

/** Puts the inner lane on each cached route, and takes it off all others. */
export const attachLanes = (
  routes: readonly RouteFacts[],
  { contentTypes }: Pick<ResolvedStrategy, 'contentTypes'>,
): void => {
  for (const { target } of routes) detachLane(target);
  for (const { path, repeatable } of contentTypes.flatMap((contentType) => contentType.routes)) {
    const target = routes.find((route) => route.path === path)?.target;
    if (target !== undefined) attachLane(target, path, repeatable);
  }
};

/**
 * Plugins' route objects outlive an application that was stopped in this process (as test suites do), and with them
 * what it had attached: a second lane on a route would wait for the first one's computation for ever.
 */
const detachLane = (route: LiveRoute): void => {
  const { middlewares, policies } = functionsIn(route.config);
  const others = middlewares.filter(isOthers);
  if (others.length === middlewares.length) return;
  route.config = { ...route.config, middlewares: others, policies: policies.filter(isOthers) };
};

/**
 * Innermost, so that what other middlewares of the route do (add a query, refuse a caller) is done before the cache is
 * asked. By name and with a plain configuration: the admin panel's Roles page receives `route.config` as JSON.
 */
const attachLane = (route: LiveRoute, path: string, isRepeatable: boolean): void => {
  const { middlewares, policies } = functionsIn(route.config);
  const config: LaneConfig = { path, hasFunctions: middlewares.length + policies.length > 0 };
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

/** Ours, in front of each function of a cached route. */
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

/** As it is configured: by a name, by a module's path, or as code, which has none. */
const nameOf = (item: unknown): string => {
  if (typeof item === 'string') return item;
  const { name, resolve } = (item ?? {}) as { readonly name?: unknown; readonly resolve?: unknown };
  return [name, resolve].find((found): found is string => typeof found === 'string') ?? '';
};

/** Whether the plugin has not put it on the route itself. */
const isOthers = (item: unknown): boolean => ![LANE, BEGIN_POLICY, BEGIN].includes(nameOf(item));

const functionInWords = (kind: string, item: unknown, index: number): string =>
  `its ${kind} ${nameOf(item) === '' ? `at place ${index + 1}` : nameOf(item)}`;

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

/** Whether the inner lane stands on a route that is configured so. */
export const hasLane = (config: unknown): boolean =>
  (config as Partial<Functions> | undefined)?.middlewares?.some(
    (item) => (item as { readonly name?: unknown } | undefined)?.name === LANE,
  ) === true;

export interface RouteConfig {
  readonly auth?: unknown;
}

interface ChosenRoute {
  readonly handler?: unknown;
  readonly config?: RouteConfig;
}

/** The route that Strapi has chosen, also where it has refused the caller. */
export const routeOf = ({ state }: Context): ChosenRoute | undefined => (state as { route?: ChosenRoute }).route;

export const isCachedRoute = (ctx: Context): boolean => hasLane(routeOf(ctx)?.config);

/** What `register` writes on a cached route. */
export interface LaneConfig {
  readonly path: string;
  /** Whether the route has policies or middlewares of its own, which have to see every request. */
  readonly hasFunctions: boolean;
}
