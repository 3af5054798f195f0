import type { Context } from 'koa';
import type { LiveRoute, RouteFacts } from '../config/application-facts';
import type { ResolvedStrategy } from '../config/resolved-config';
import type { FunctionOfRoute } from '../http/exchange';
import { NOTE_READS } from '../http/unkeyed-reads';

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
  const { middlewares = [], policies = [] } = (route.config ?? {}) as { middlewares?: unknown[]; policies?: unknown[] };
  const isOthers = (item: unknown): boolean => ![LANE, NOTE_READS, BEGIN_POLICY, BEGIN].includes(nameOf(item) ?? '');
  const others = middlewares.filter(isOthers);
  if (others.length === middlewares.length) return;
  route.config = { ...route.config, middlewares: others, policies: policies.filter(isOthers) };
};

/**
 * Innermost, so that what other middlewares of the route do (add a query, refuse a caller) is done before the cache is
 * asked. By name and with a plain configuration: the admin panel's Roles page receives `route.config` as JSON.
 */
const attachLane = (route: LiveRoute, path: string, isRepeatable: boolean): void => {
  const { middlewares = [], policies = [] } = (route.config ?? {}) as { middlewares?: unknown[]; policies?: unknown[] };
  const config: LaneConfig = { path, surrounded: middlewares.length > 0, guarded: policies.length > 0 };
  // A new object: applications may share one `config` between routes.
  const announced = (items: unknown[], kind: FunctionOfRoute['kind'], name: string): unknown[] =>
    isRepeatable
      ? items.flatMap((item, index) => [
          { name, config: { path, kind, who: whoIs(item, kind, index) } satisfies FunctionOfRoute },
          item,
        ])
      : items;
  route.config = {
    ...route.config,
    ...(config.surrounded || config.guarded
      ? { policies: [NOTE_READS, ...announced(policies, 'policy', BEGIN_POLICY)] }
      : {}),
    middlewares: [...announced(middlewares, 'middleware', BEGIN), { name: LANE, config }],
  };
};

/** Ours, in front of each function of a route that is said to be repeatable. */
const BEGIN_POLICY = 'plugin::rest-cache.begin-policy';
const BEGIN = 'plugin::rest-cache.begin-middleware';

/** By what it is configured as: a name, a module's path or a function. */
const nameOf = (item: unknown): string | undefined => {
  if (typeof item === 'string') return item;
  const { name, resolve } = (item ?? {}) as { readonly name?: string; readonly resolve?: string };
  return name ?? resolve;
};

const whoIs = (item: unknown, kind: string, index: number): string => {
  const name = nameOf(item) ?? '';
  return name === '' ? `${kind} at place ${index + 1}` : `${kind} "${name}"`;
};

/** The name of the inner lane among a route's middlewares. */
export const LANE = 'plugin::rest-cache.cache';

interface RouteConfig {
  readonly middlewares?: ReadonlyArray<{ readonly name?: string } | undefined>;
}

/** Whether the inner lane stands on a route that is configured so. */
export const hasLane = (config: RouteConfig | undefined): boolean =>
  config?.middlewares?.some((middleware) => middleware?.name === LANE) === true;

/** Whether the route that Strapi has chosen is a cached one, also where it has refused the caller. */
export const isCachedRoute = ({ state }: Context): boolean =>
  hasLane((state as { route?: { config?: RouteConfig } }).route?.config);

/** What `register` writes on a cached route. */
export interface LaneConfig {
  /** The cached route's pattern. */
  readonly path: string;
  /** Whether middlewares of others surround this one on the route. */
  readonly surrounded: boolean;
  /** Whether the route has policies, which have to see every request. */
  readonly guarded: boolean;
}
