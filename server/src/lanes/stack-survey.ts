import type { ConfiguredMiddleware, MiddlewareStack } from './middleware-stack';
import { holdsFunction } from './repeat-globals';

/** Where repeat requests may be answered, best first. */
export type LaneMode = 'front' | 'router' | 'inner';

export interface LaneChoice {
  readonly mode: LaneMode;
  /** One sentence for the log. */
  readonly reason: string;
  /** What has to see every request, by its name. */
  readonly keptBy?: string | undefined;
  /** What could be done about it. */
  readonly advice?: string | undefined;
}

/** A choice that somebody who has to see every request has forced. */
export const keptInside = (mode: LaneMode, keptBy: string, advice?: string): LaneChoice => ({
  mode,
  reason: `${keptBy} has to see every request`,
  keptBy,
  advice,
});

/** Strapi's own global middlewares whose effect on an API response can be replayed from an earlier response. */
const REPLAYABLE: ReadonlySet<string> = new Set([
  'strapi::body',
  'strapi::compression',
  'strapi::cors',
  'strapi::errors',
  'strapi::favicon',
  'strapi::logger',
  'strapi::poweredBy',
  'strapi::public',
  'strapi::query',
  'strapi::responseTime',
  'strapi::security',
  'strapi::session',
]);

/** Why a configured middleware's effect cannot be replayed, and what could be done; `undefined` if it can. */
const unreplayable = ({ name, config }: ConfiguredMiddleware): readonly [what: string, advice: string] | undefined => {
  if (name === undefined) return ['an unnamed middleware', 'give it a name: a file in src/middlewares'];
  if (name === 'strapi::ip') return [name, 'refuse addresses in front of Strapi, in a proxy or a firewall'];
  if (!REPLAYABLE.has(name)) return [name, 'put it on the routes that need it, if not all of them do'];
  if (name === 'strapi::cors' && typeof config.origin === 'function')
    return [`${name} with an origin function`, 'write the origins as a list'];
  if (name === 'strapi::security' && holdsFunction(config))
    return [`${name} with a function`, 'write its values as texts'];
  if (name === 'strapi::session' && (config.rolling === true || config.renew === true))
    return [`${name} with a cookie on every response`, 'leave out rolling and renew'];
  return undefined;
};

/**
 * Chooses the lane from the stack as it really is when the server starts listening.
 *
 * @param paths of cached routes.
 */
export const surveyStack = (stack: MiddlewareStack, paths: readonly string[]): LaneChoice => {
  const onRouter = stack.foreignOnRouter(paths);
  if (onRouter !== undefined)
    return keptInside('inner', `${stack.describe(onRouter)} on a router`, 'put it on the routes that need it');
  const obstacle = stack.configured.map(unreplayable).find((found) => found !== undefined);
  if (obstacle !== undefined) return keptInside('router', ...obstacle);
  const foreign = stack.middlewares.find((middleware) => stack.nameOf(middleware) === undefined);
  if (foreign !== undefined)
    return keptInside(
      'router',
      `${stack.describe(foreign)} that is not Strapi's`,
      'put it on the routes that need it, if not all of them do',
    );
  return { mode: 'front', reason: 'the effect of every global middleware can be replayed' };
};
