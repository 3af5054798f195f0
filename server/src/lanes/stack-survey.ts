import type { ConfiguredMiddleware, MiddlewareStack } from './middleware-stack';
import { holdsFunction } from './repeat-globals';

/** Where repeat requests may be answered, best first. */
export type LaneMode = 'front' | 'router' | 'inner';

export interface LaneChoice {
  readonly mode: LaneMode;
  /** One sentence for the log. */
  readonly reason: string;
}

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

/** Why a configured middleware's effect cannot be replayed, or `undefined` if it can. */
const unreplayable = ({ name = 'an unnamed middleware', config }: ConfiguredMiddleware): string | undefined => {
  if (!REPLAYABLE.has(name)) return name;
  if (name === 'strapi::cors' && typeof config.origin === 'function') return `${name} with an origin function`;
  if (name === 'strapi::security' && holdsFunction(config)) return `${name} with a function`;
  if (name === 'strapi::session' && (config.rolling === true || config.renew === true))
    return `${name} with a cookie on every response`;
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
    return { mode: 'inner', reason: `${stack.describe(onRouter)} on a router has to see every request` };
  const obstacle = stack.configured.map(unreplayable).find((found) => found !== undefined);
  if (obstacle !== undefined) return { mode: 'router', reason: `${obstacle} has to see every request` };
  const foreign = stack.middlewares.find((middleware) => stack.nameOf(middleware) === undefined);
  if (foreign !== undefined) {
    return { mode: 'router', reason: `${stack.describe(foreign)} that is not Strapi's has to see every request` };
  }
  return { mode: 'front', reason: 'the effect of every global middleware can be replayed' };
};
