import { type ResolvedStrategy, routesIn } from '../config/resolved-config';
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

/** Something in front of the routes that has to see every request. */
interface Obstacle {
  readonly what: Sentence;
  /** What could be done; where a word of the user's would do, the name to be written instead. */
  readonly advice: Sentence | { readonly orWordFor: string };
}

const OTHER_LISTENER: Obstacle = {
  what: said('other-listener')`a request listener that is not that of Strapi's own server`,
  advice: said(
    'own-server',
  )`let the code that mounts it listen on a server of its own, at another port (Socket.IO can)`,
};

/** Why a configured middleware's effect cannot be replayed; `undefined` if it can. */
const unreplayable = (
  { name, config }: ConfiguredMiddleware,
  repeatable: ReadonlySet<string>,
): Obstacle | undefined => {
  if (name === undefined)
    return {
      what: said('unnamed')`an unnamed middleware`,
      advice: said('give-name')`give it a name: a file in src/middlewares`,
    };
  if (name === 'strapi::ip')
    return {
      what: named(name),
      advice: said('in-proxy')`refuse addresses in front of Strapi, in a proxy or a firewall`,
    };
  if (!REPLAYABLE.has(name)) {
    if (!isOwn(name)) return { what: named(name), advice: ELSEWHERE };
    return repeatable.has(name) ? undefined : { what: named(name), advice: { orWordFor: name } };
  }
  if (name === 'strapi::cors' && typeof config.origin === 'function')
    return {
      what: said('origin-function')`${name} with an origin function`,
      advice: said('origin-list')`write the origins as a list`,
    };
  if (name === 'strapi::security' && holdsFunction(config))
    return {
      what: said('with-function')`${name} with a function`,
      advice: said('as-texts')`write its values as texts`,
    };
  if (name === 'strapi::session' && (config.rolling === true || config.renew === true))
    return {
      what: said('with-cookie')`${name} with a cookie on every response`,
      advice: said('no-rolling')`leave out rolling and renew`,
    };
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
  const obstacles = [
    ...onRouters(stack, paths, repeatable),
    ...stack.configured.map((each) => unreplayable(each, repeatable)).filter((found) => found !== undefined),
    ...mountedByCode(stack, repeatable),
    ...(stack.soleListener === undefined ? [OTHER_LISTENER] : []),
  ];
  if (obstacles.length > 0) return onTheRoute(obstacles);
  return { mode: 'front', reason: 'the effect of every global middleware can be replayed' };
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

export const cachedPathsOf = (strategy: Pick<ResolvedStrategy, 'contentTypes'>): string[] =>
  routesIn(strategy).map(({ path }) => path);

const onRouters = (
  stack: MiddlewareStack,
  paths: readonly string[],
  repeatable: ReadonlySet<string>,
): readonly Obstacle[] =>
  stack
    .foreignOnRouter(paths)
    .filter((middleware) => !repeatable.has(stack.ownNameOf(middleware) ?? ''))
    .map((each) => ({
      what: said('on-router')`${stack.describe(each)} on a router`,
      advice: said('on-routes')`put it on the routes that need it`,
    }));

/** Middlewares that are not in `config/middlewares`. */
const mountedByCode = (stack: MiddlewareStack, repeatable: ReadonlySet<string>): readonly Obstacle[] => {
  const isConfigured = (name: string): boolean => stack.configured.some((each) => each.name === name);
  return stack.middlewares
    .filter((middleware) => stack.nameOf(middleware) === undefined)
    .map((middleware) => ({ what: named(stack.describe(middleware)), name: stack.ownNameOf(middleware) }))
    .filter(({ name }) => name === undefined || !(repeatable.has(name) || isConfigured(name)))
    .map(({ what, name }) => ({ what, advice: name === undefined ? NAMELESS : { orWordFor: name } }));
};

/** The choice of the route lane, which names everything that has to see every request. */
const onTheRoute = (obstacles: readonly Obstacle[]): LaneChoice => {
  const whats = distinct(obstacles.map(({ what }) => what));
  const blockedBy = whats.length === 1 ? named(whats) : said('and')`${whats.slice(0, -1)} and ${whats.slice(-1)}`;
  return {
    mode: 'route',
    reason: `${blockedBy.text} ${whats.length === 1 ? 'has' : 'have'} to see every request`,
    blockedBy,
    advice: adviceFor(obstacles),
  };
};

const distinct = (sentences: readonly Sentence[]): readonly Sentence[] => [
  ...new Map(sentences.map((sentence) => [sentence.text, sentence])).values(),
];

/** What could be done, once for all that the same would help. */
const adviceFor = (obstacles: readonly Obstacle[]): Sentence => {
  const names = [...new Set(obstacles.flatMap(({ advice }) => ('orWordFor' in advice ? [advice.orWordFor] : [])))];
  const [first = ''] = names;
  const orWords = names.length > 1 ? orGiveWordForEach(names) : orGiveWordFor(first);
  const helped = new Map<string, { readonly advice: Sentence; readonly whats: Sentence[] }>();
  for (const { what, advice: own } of obstacles) {
    const advice = 'orWordFor' in own ? orWords : own;
    const same = helped.get(advice.text) ?? { advice, whats: [] };
    same.whats.push(what);
    helped.set(advice.text, same);
  }
  const [only, ...others] = [...helped.values()];
  if (only !== undefined && others.length === 0) return only.advice;
  return [...helped.values()]
    .map(({ advice, whats }): Sentence => said('about')`${distinct(whats)}: ${advice}`)
    .reduce((before, next) => said('full-stop')`${before}. ${next}`);
};
