import { named, said, type Sentence } from '../cache/sentence';
import type { RequestListener } from 'node:http';
import { likelyName } from '../config/nearest-name';
import type { ResolvedStrategy } from '../config/resolved-config';
import type { MiddlewareStack } from '../stack/middleware-stack';
import { cachedPathsOf, chooseLane, type LaneChoice, NO_WORDS, surveyStack } from '../stack/stack-survey';

/** All that follows from the stack and the configuration, once the server listens. Never changed, only replaced. */
export interface Choice {
  readonly lane: LaneChoice;
  /** Strapi's own request listener, whose place the front lane takes; `undefined` on the route. */
  readonly origin: RequestListener | undefined;
  /** Whether something in the stack has to see every request, whatever is declared. */
  readonly hasForeignMiddleware: boolean;
  /** Names of global middlewares that are known to be repeatable, or declared so by `repeatableMiddlewares`. */
  readonly repeatable: ReadonlySet<string>;
  /** Names in `repeatableMiddlewares` that no mounted middleware has, each with the one that was meant, if any. */
  readonly unknownNames: ReadonlyArray<readonly [name: string, likely: string | undefined]>;
  /** Patterns of the cached routes' paths. */
  readonly targets: readonly RegExp[];
  /** Whether these are known of all cached routes. */
  readonly areTargetsKnown: boolean;
  /** Whether no path changes on its way to the router, so that the targets show which requests are never cached. */
  readonly showsTarget: boolean;
}

/** The choice while nothing is known: what is in front may do anything. */
export const unchosen = (reason: string): Choice =>
  Object.freeze<Choice>({
    lane: { mode: 'route', reason },
    origin: undefined,
    hasForeignMiddleware: true,
    repeatable: NO_WORDS,
    unknownNames: [],
    targets: [],
    areTargetsKnown: false,
    showsTarget: false,
  });

export const NOT_LISTENING = unchosen('the server is not listening yet');

/**
 * Plugins' global middlewares that need not see every GET: that of `@strapi/plugin-sentry` only reports what is thrown
 * behind it, that of `strapi-plugin-navigation` only looks for `POST /i18n/locales`.
 */
const KNOWN_REPEATABLE: readonly string[] = ['@strapi/plugin-sentry', 'strapi-plugin-navigation'];

/** Chooses the lane, from the stack as it is. Changes nothing. */
export const choose = (stack: MiddlewareStack, strategy: ResolvedStrategy): Choice => {
  const { repeatableMiddlewares } = strategy;
  const repeatable = new Set([...KNOWN_REPEATABLE, ...repeatableMiddlewares]);
  const paths = cachedPathsOf(strategy);
  const lane = chooseLane(stack, strategy, repeatable);
  const hasForeignMiddleware = surveyStack(stack, paths, NO_WORDS).mode !== 'front';
  const areTargetsKnown = stack.patternsOf(paths) !== undefined;
  const mounted = stack.ownNames(paths);
  return Object.freeze<Choice>({
    lane,
    origin: lane.mode === 'front' ? stack.soleListener : undefined,
    hasForeignMiddleware,
    repeatable,
    unknownNames: repeatableMiddlewares
      .filter((name) => !mounted.includes(name))
      .map((name) => [name, likelyName(name, mounted)] as const),
    targets: paths.flatMap((path) => stack.patternsOf([path]) ?? []),
    areTargetsKnown,
    // If only Strapi's own middlewares stand in front, a request's path does not change on its way.
    showsTarget: lane.mode === 'front' && !hasForeignMiddleware && areTargetsKnown,
  });
};

/** The choice after a global middleware has done what a repeatable one must not do. */
export const withdrawn = (choice: Choice, name: string, did: Sentence): Choice =>
  Object.freeze<Choice>({
    ...choice,
    lane: {
      mode: 'route',
      reason: `${name} ${did.text}, although strategy.repeatableMiddlewares declares it repeatable`,
      blockedBy: named(name),
      advice: said('not-repeatable')`take it out of strategy.repeatableMiddlewares`,
    },
    origin: undefined,
  });
