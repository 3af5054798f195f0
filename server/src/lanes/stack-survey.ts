import type { Middleware } from 'koa';
import type { ResolvedStrategy } from '../config/resolved-config';
import type { ConfiguredMiddleware, MiddlewareStack } from './middleware-stack';
import { holdsFunction } from './repeat-globals';

/** Where repeat requests are answered: in front of everything, or on their route. */
export type LaneMode = 'front' | 'route';

export interface LaneChoice {
  readonly mode: LaneMode;
  readonly reason: string;
  /** The name of what has to see every request. */
  readonly blockedBy?: string | undefined;
  readonly advice?: string | undefined;
}

/** The choice of the route lane because something in front of it has to see every request. */
const onTheRoute = (blockedBy: string, advice?: string): LaneChoice => ({
  mode: 'route',
  reason: `${blockedBy} has to see every request`,
  blockedBy,
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

const OTHER_LISTENER = "a request listener that is not that of Strapi's own server";
const ELSEWHERE = 'put it on the routes that need it, if not all of them do';
/** Plugins are registered in the order of config/plugins, and from then on it is noted who mounts what. */
const NAMELESS = `${ELSEWHERE}; if a plugin mounts it, write 'rest-cache' before that plugin in config/plugins, to see its name here`;
const orGiveWordFor = (...names: readonly string[]): string =>
  `${names.length === 1 ? ELSEWHERE : 'put each on the routes that need it'}; or write repeatableMiddlewares: ` +
  `[${names.map((name) => `'${name}'`).join(', ')}] in strategy, ${names.length === 1 ? 'if it depends' : 'those that depend'} ` +
  'on nothing but the request line, the keyed headers and the caller';

/** Why a configured middleware's effect cannot be replayed, and what could be done; `undefined` if it can. */
const unreplayable = (
  { name, config }: ConfiguredMiddleware,
  repeatable: ReadonlySet<string>,
): readonly [what: string, advice: string] | undefined => {
  if (name === undefined) return ['an unnamed middleware', 'give it a name: a file in src/middlewares'];
  if (name === 'strapi::ip') return [name, 'refuse addresses in front of Strapi, in a proxy or a firewall'];
  if (!REPLAYABLE.has(name))
    return isOwn(name) && repeatable.has(name) ? undefined : [name, isOwn(name) ? orGiveWordFor(name) : ELSEWHERE];
  if (name === 'strapi::cors' && typeof config.origin === 'function')
    return [`${name} with an origin function`, 'write the origins as a list'];
  if (name === 'strapi::security' && holdsFunction(config))
    return [`${name} with a function`, 'write its values as texts'];
  if (name === 'strapi::session' && (config.rolling === true || config.renew === true))
    return [`${name} with a cookie on every response`, 'leave out rolling and renew'];
  return undefined;
};

const isOwn = (name: string): boolean => !name.startsWith('strapi::');

/**
 * Finds the lane that the stack allows, as it is when the server starts listening.
 *
 * @param paths the paths of cached routes.
 * @param repeatable names of middlewares that are known or declared repeatable ({@link NO_WORDS} for none).
 */
export const surveyStack = (
  stack: MiddlewareStack,
  paths: readonly string[],
  repeatable: ReadonlySet<string>,
): LaneChoice => {
  const isRepeatable = (middleware: Middleware): boolean => repeatable.has(stack.ownNameOf(middleware) ?? '');
  const onRouter = stack.foreignOnRouter(paths).find((middleware) => !isRepeatable(middleware));
  if (onRouter !== undefined)
    return onTheRoute(`${stack.describe(onRouter)} on a router`, 'put it on the routes that need it');
  return (
    keptBehindGlobals(stack, repeatable, isRepeatable) ??
    (stack.soleListener === undefined ? onTheRoute(OTHER_LISTENER) : undefined) ?? {
      mode: 'front',
      reason: 'the effect of every global middleware can be replayed',
    }
  );
};

export const NO_WORDS: ReadonlySet<string> = new Set();

/**
 * The lane that the configuration asks for, as far as the stack allows it.
 *
 * @param repeatable see {@link surveyStack}.
 */
export const chooseLane = (
  stack: MiddlewareStack,
  strategy: ResolvedStrategy,
  repeatable: ReadonlySet<string>,
): LaneChoice => {
  const { lane: wanted, honorRequestCacheControl } = strategy;
  if (wanted === 'route')
    return { mode: 'route', reason: 'configured', blockedBy: 'strategy.lane', advice: "write lane: 'auto'" };
  if (honorRequestCacheControl)
    return {
      mode: 'route',
      reason: 'honorRequestCacheControl has each request decided on its route',
      blockedBy: 'strategy.honorRequestCacheControl',
      advice: 'leave it out',
    };
  const possible = surveyStack(stack, cachedPathsOf(strategy), repeatable);
  if (wanted === 'front' && possible.mode !== wanted)
    return { ...possible, reason: `"${wanted}" is configured, but ${possible.reason}` };
  return possible;
};

export const cachedPathsOf = ({ contentTypes }: Pick<ResolvedStrategy, 'contentTypes'>): string[] =>
  contentTypes.flatMap(({ routes }) => routes.map(({ path }) => path));

const keptBehindGlobals = (
  stack: MiddlewareStack,
  repeatable: ReadonlySet<string>,
  isRepeatable: (middleware: Middleware) => boolean,
): LaneChoice | undefined => {
  const obstacles = stack.configured
    .map((each) => unreplayable(each, repeatable))
    .filter((found) => found !== undefined);
  const [obstacle, ...others] = obstacles;
  if (obstacle !== undefined) return others.length === 0 ? onTheRoute(...obstacle) : keptBySeveral(obstacles);
  const foreign = stack.middlewares.find(
    (middleware) => stack.nameOf(middleware) === undefined && !isRepeatable(middleware),
  );
  if (foreign === undefined) return undefined;
  const name = stack.ownNameOf(foreign);
  const advice = name === undefined ? NAMELESS : orGiveWordFor(name);
  return onTheRoute(stack.describe(foreign), advice);
};

/** The choice of the route lane if several middlewares have to see every request. */
const keptBySeveral = (obstacles: ReadonlyArray<readonly [what: string, advice: string]>): LaneChoice => {
  const whats = obstacles.map(([what]) => what);
  const blockedBy = `${whats.slice(0, -1).join(', ')} and ${whats.at(-1) ?? ''}`;
  const isOfWords = obstacles.every(([what, advice]) => advice === orGiveWordFor(what));
  const advice = isOfWords ? orGiveWordFor(...whats) : obstacles.map(([what, own]) => `${what}: ${own}`).join('. ');
  return { mode: 'route', reason: `${blockedBy} have to see every request`, blockedBy, advice };
};
