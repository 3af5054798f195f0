import type { Middleware } from 'koa';
import type { ResolvedStrategy } from '../config/resolved-config';
import { named, said, type Sentence } from '../cache/sentence';
import type { ConfiguredMiddleware, MiddlewareStack } from './middleware-stack';
import { holdsFunction } from './repeat-globals';

/** Where repeat requests are answered: in front of everything, or on their route. */
export type LaneMode = 'front' | 'route';

export interface LaneChoice {
  readonly mode: LaneMode;
  readonly reason: string;
  /** The name of what has to see every request. */
  readonly blockedBy?: Sentence | undefined;
  readonly advice?: Sentence | undefined;
}

/** The choice of the route lane because something in front of it has to see every request. */
const onTheRoute = (blockedBy: Sentence, advice?: Sentence): LaneChoice => ({
  mode: 'route',
  reason: `${blockedBy.text} has to see every request`,
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

const OTHER_LISTENER = said('other-listener')`a request listener that is not that of Strapi's own server`;
const ELSEWHERE = said('elsewhere')`put it on the routes that need it, if not all of them do`;
/** Plugins are registered in the order of config/plugins, and from then on it is noted who mounts what. */
const NAMELESS = said('nameless')`${ELSEWHERE}; if a plugin mounts it, write 'rest-cache' before that plugin in
  config/plugins, to see its name here`;
const orGiveWordFor = (name: string): Sentence =>
  said(
    'or-repeatable',
  )`${ELSEWHERE}; or write repeatableMiddlewares: ['${name}'] in strategy, if it depends on nothing but
    the request line, the keyed headers and the caller`;
const orGiveWordForEach = (names: readonly string[]): Sentence =>
  said('each-repeatable')`put each on the routes that need it; or write repeatableMiddlewares:
    [${names.map((name) => `'${name}'`)}] in strategy, those that depend on nothing but the request line, the keyed headers
    and the caller`;

/** What has to see every request, and what could be done about it. */
type Obstacle = readonly [what: Sentence, advice: Sentence];

/** Why a configured middleware's effect cannot be replayed, and what could be done; `undefined` if it can. */
const unreplayable = (
  { name, config }: ConfiguredMiddleware,
  repeatable: ReadonlySet<string>,
): Obstacle | undefined => {
  if (name === undefined)
    return [said('unnamed')`an unnamed middleware`, said('give-name')`give it a name: a file in src/middlewares`];
  if (name === 'strapi::ip')
    return [named(name), said('in-proxy')`refuse addresses in front of Strapi, in a proxy or a firewall`];
  if (!REPLAYABLE.has(name))
    return isOwn(name) && repeatable.has(name)
      ? undefined
      : [named(name), isOwn(name) ? orGiveWordFor(name) : ELSEWHERE];
  if (name === 'strapi::cors' && typeof config.origin === 'function')
    return [said('origin-function')`${name} with an origin function`, said('origin-list')`write the origins as a list`];
  if (name === 'strapi::security' && holdsFunction(config))
    return [said('with-function')`${name} with a function`, said('as-texts')`write its values as texts`];
  if (name === 'strapi::session' && (config.rolling === true || config.renew === true))
    return [
      said('with-cookie')`${name} with a cookie on every response`,
      said('no-rolling')`leave out rolling and renew`,
    ];
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
    return onTheRoute(
      said('on-router')`${stack.describe(onRouter)} on a router`,
      said('on-routes')`put it on the routes that need it`,
    );
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
    return {
      mode: 'route',
      reason: 'configured',
      blockedBy: named('strategy.lane'),
      advice: said('auto')`write lane: 'auto'`,
    };
  if (honorRequestCacheControl)
    return {
      mode: 'route',
      reason: 'honorRequestCacheControl has each request decided on its route',
      blockedBy: named('strategy.honorRequestCacheControl'),
      advice: said('leave-out')`leave it out`,
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
  return onTheRoute(named(stack.describe(foreign)), advice);
};

/** The choice of the route lane if several middlewares have to see every request. */
const keptBySeveral = (obstacles: readonly Obstacle[]): LaneChoice => {
  const whats = obstacles.map(([what]) => what);
  const blockedBy = said('and')`${whats.slice(0, -1)} and ${whats.slice(-1)}`;
  const isOfWords = obstacles.every(([what, advice]) => advice.text === orGiveWordFor(what.text).text);
  const advice = isOfWords
    ? orGiveWordForEach(whats.map(({ text }) => text))
    : obstacles
        .map(([what, own]) => said('about')`${what}: ${own}`)
        .reduce((before, next) => said('full-stop')`${before}. ${next}`);
  return { mode: 'route', reason: `${blockedBy.text} have to see every request`, blockedBy, advice };
};
