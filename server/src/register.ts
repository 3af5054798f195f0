import type { Core } from '@strapi/strapi';
import { gatherApplicationFacts, type LiveRoute } from './config/application-facts';
import { resolveConfig } from './config/resolve';
import { EVERYTHING } from './cache/tag';
import { LANE } from './http/cached-route';
import type { LaneConfig } from './http/lane-config';
import { BootWatch } from './observe/boot-watch';
import { createStatementMemo } from './observe/statement-memo';
import type { Dialect } from './observe/tokens';
import { Lanes } from './runtime/lanes';
import { RestCache } from './runtime/rest-cache';
import { setRunning } from './runtime/running';

/**
 * Stands in front of everything, and waits for the content types: they are final, and routes not yet composed, when
 * Strapi calls this hook.
 */
export default ({ strapi }: { strapi: Core.Strapi }): void => {
  const lanes = new Lanes(strapi);
  const obstacle = attach(lanes);
  const boot = new BootWatch(strapi.db.connection, createStatementMemo(strapi.db.dialect.client as Dialect));
  strapi.hook('strapi::content-types.afterSync').register(async () => {
    const facts = gatherApplicationFacts(strapi);
    const config = resolveConfig(strapi.config.get('plugin::rest-cache'), facts);
    const restCache = await boot.asking(() => RestCache.create(strapi, config, lanes, obstacle));
    // The other instances' entries may show what was there before.
    if (await boot.end()) await restCache.provider.invalidate([EVERYTHING]);
    lanes.connect(restCache);
    setRunning(strapi, restCache);
    for (const { target } of facts.routes) detachLane(target);
    if (restCache.unobservable !== undefined) return;
    for (const { path } of config.strategy.contentTypes.flatMap(({ routes }) => routes)) {
      const target = facts.routes.find((route) => route.path === path)?.target;
      if (target !== undefined) attachLane(target, path);
    }
  });
};

/** What of Strapi's server is not as expected, if anything: nothing is cached then. */
const attach = (lanes: Lanes): string | undefined => {
  try {
    lanes.attach();
    return undefined;
  } catch (error) {
    return `Strapi's server does not look as expected: ${String(error)}`;
  }
};

/**
 * Plugins' route objects outlive an application that was stopped in this process (as test suites do), and with them
 * what it had attached: a second lane on a route would wait for the first one's computation for ever.
 */
const detachLane = (route: LiveRoute): void => {
  const { middlewares = [] } = (route.config ?? {}) as { middlewares?: ReadonlyArray<{ name?: string } | undefined> };
  const others = middlewares.filter((middleware) => middleware?.name !== LANE);
  if (others.length < middlewares.length) route.config = { ...route.config, middlewares: others };
};

/**
 * Innermost, so that what other middlewares of the route do (add a query, refuse a caller) is done before the cache is
 * asked. By name and with a plain configuration: the admin panel's Roles page receives `route.config` as JSON.
 */
const attachLane = (route: LiveRoute, path: string): void => {
  const { middlewares = [], policies = [] } = (route.config ?? {}) as { middlewares?: unknown[]; policies?: unknown[] };
  const config: LaneConfig = { path, surrounded: middlewares.length > 0, guarded: policies.length > 0 };
  // A new object: applications may share one `config` between routes.
  route.config = { ...route.config, middlewares: [...middlewares, { name: LANE, config }] };
};
