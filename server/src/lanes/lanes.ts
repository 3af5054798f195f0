import type { Core } from '@strapi/strapi';
import type { RequestListener } from 'node:http';
import { systemClock } from '../cache/clock';
import { gatherApplicationFacts } from '../config/application-facts';
import { likelyName } from '../config/nearest-name';
import type { ResolvedStrategy } from '../config/resolved-config';
import { warning } from '../config/warning';
import { Variants } from '../http/variants';
import { type AuthService, wrapAuthentication } from '../observe/authentication';
import type { ReadsElsewhere } from '../observe/reads-elsewhere';
import { followRequests } from '../observe/recording';
import { adaptedMiddlewares } from './adapted-middlewares';
import { EncodedBodies } from './encoded-bodies';
import { FrontLane } from './front-lane';
import { MiddlewareStack, OURS } from './middleware-stack';
import { OuterLane } from './outer-lane';
import { RepeatableFunctions, watchingRepeatable } from './repeatable-functions';
import { requestLog } from './request-log';
import { RepeatedAuthentication } from './repeat-authentication';
import { RequestObserver, type ServedCache } from './request-observer';
import { RequestSpellings } from './request-spelling';
import { repeatRouting } from './repeat-routing';
import { laneReport, routeLanes, type RouteLane } from './route-lanes';
import { cachedPathsOf, chooseLane, type LaneChoice, NO_WORDS, surveyStack } from './stack-survey';
import { tryRequest, type TrialRequest, type TrialResult } from './trial-request';
import { faultLog, ifPossible, type OnFault } from './undo-answer';

/**
 * Plugins' global middlewares that need not see every GET: that of `@strapi/plugin-sentry` only reports what is thrown
 * behind it, that of `strapi-plugin-navigation` only looks for `POST /i18n/locales`.
 */
const KNOWN_REPEATABLE: readonly string[] = ['@strapi/plugin-sentry', 'strapi-plugin-navigation'];

/**
 * The plugin's place in the application's request path: the outermost middleware that records what a request reads,
 * and the front lane, chosen from the stack as it is when the server starts listening.
 */
export class Lanes {
  readonly #strapi: Core.Strapi;
  readonly #stack: MiddlewareStack;
  readonly #observer: RequestObserver;
  readonly #authentication: RepeatedAuthentication;
  /** The policies and middlewares of routes that the `repeatable` option declares repeatable. */
  readonly functions: RepeatableFunctions;
  #outer: OuterLane | undefined;
  readonly noteFault: OnFault;
  /** Request headers that are in any route's key, by which a response varies, or that a strategy reads. */
  readonly #material = new Set<string>();
  readonly variants = new Variants((field) => void this.#material.add(field));
  readonly #bodies = new EncodedBodies();
  /** Whether something in the stack has to see every request, whatever is declared; `true` until that is known. */
  areSurrounded = true;
  /** Global middlewares that are known to be repeatable, or declared so by `repeatableMiddlewares`. */
  #repeatable: ReadonlySet<string> = new Set();
  #ofRoutes: readonly RouteLane[] = [];
  #isChosen = false;
  choice: LaneChoice = { mode: 'route', reason: 'the server is not listening yet' };

  constructor(strapi: Core.Strapi) {
    this.#strapi = strapi;
    this.#stack = new MiddlewareStack(strapi);
    this.noteFault = faultLog(strapi);
    this.functions = new RepeatableFunctions(this.noteFault);
    this.#authentication = new RepeatedAuthentication(
      systemClock,
      (name) => void this.#material.add(name),
      this.noteFault,
    );
    this.#observer = new RequestObserver(strapi, this.noteFault);
  }

  get readsElsewhere(): ReadsElsewhere {
    return this.#observer.readsElsewhere;
  }

  /** Called in `register`: mounts the outermost middleware, and learns the names of those about to be mounted. */
  attach(): void {
    const strapi = this.#strapi;
    followRequests(strapi.requestContext);
    const authentication = strapi.get<AuthService>('auth');
    // If Strapi's auth service does not look as expected, every read counts as content.
    if (typeof authentication.authenticate === 'function' && typeof authentication.verify === 'function')
      wrapAuthentication(authentication, this.#authentication);
    // If this fails, middlewares that instrumentation has wrapped count as the application's own.
    ifPossible(() => this.#stack.seeThroughInstrumentation(), this.noteFault);
    this.#stack.standInFront(this.#observer.middleware);
    this.#stack.note(this.#observer.middleware, OURS);
    repeatRouting(strapi);
    this.#stack.learnNames(adaptedMiddlewares(strapi, this.#bodies));
    strapi.server.httpServer.once('listening', () => this.#choose());
    // A server of the application's own may call Koa while Strapi's never listens.
    this.#observer.onFirstRequest = () => {
      this.#stack.isServedElsewhere = true;
      this.#choose();
    };
  }

  /** Called in `bootstrap`, once the content types are ready. */
  connect(restCache: ServedCache): void {
    const { unobservable } = restCache;
    if (unobservable === undefined) {
      this.#observer.restCache = restCache;
      const { provider, config } = restCache;
      const spellings = this.#spell(config.strategy, false);
      // Strapi's own middlewares do the same for the same URL and headers. If there are others, what they make of the
      // request counts as well.
      this.#authentication.open(provider, config.provider.getTimeout, (ctx) =>
        this.areSurrounded ? spellings.behindMiddlewares(ctx) : spellings.of(ctx.req, ctx.url),
      );
    } else {
      this.choice = { mode: 'route', reason: `nothing is cached: ${unobservable}` };
    }
  }

  /** Forgets all that the front lane repeats, and works out the routes' lanes again: heads or routes have changed. */
  forgetVerdicts(): void {
    this.#outer?.forgetAll();
    if (this.#observer.restCache !== undefined) this.#tellOfRoutes(this.#observer.restCache);
  }

  /**
   * Finds out what would happen to a GET request, by sending one through the stack up to the route lane.
   *
   * @throws Error if the router is not found on the stack.
   */
  tryRequest(request: TrialRequest): Promise<TrialResult> {
    return tryRequest(this.#strapi, this.#stack, request);
  }

  #choose(): void {
    const { restCache } = this.#observer;
    this.#observer.onFirstRequest = undefined;
    if (restCache === undefined || this.#isChosen) return;
    this.#isChosen = true;
    const paths = cachedPathsOf(restCache.config.strategy);
    try {
      this.#stack.standInFront(this.#observer.middleware);
      this.#takeWords(restCache);
      this.areSurrounded = surveyStack(this.#stack, paths, NO_WORDS).mode !== 'front';
      this.choice = chooseLane(this.#stack, restCache.config.strategy, this.#repeatable);
      const { soleListener } = this.#stack;
      const patterns = this.#stack.patternsOf(paths);
      if (this.choice.mode === 'front' && soleListener !== undefined) this.#openFront(restCache, soleListener);
      this.#observer.targets = paths.flatMap((path) => this.#stack.patternsOf([path]) ?? []);
      // If only Strapi's own middlewares stand in front, a request's path does not change on its way.
      this.#observer.showsTarget = this.#observer.front !== undefined && !this.areSurrounded && patterns !== undefined;
      this.#watchOwnMiddlewares(restCache, patterns);
      if (this.#stack.foreignOnRouter(paths).length === 0) this.#stack.askForFilesLast();
    } catch (error) {
      this.areSurrounded = true;
      this.#observer.front = undefined;
      this.#observer.showsTarget = false;
      this.choice = { mode: 'route', reason: `Strapi's server does not look as expected: ${String(error)}` };
    }
    this.#tellOfRoutes(restCache);
    for (const line of laneReport(storeInWords(restCache), this.choice, this.#ofRoutes))
      this.#strapi.log.info(`[rest-cache] ${line}`);
  }

  #tellOfRoutes({ config }: ServedCache): void {
    const { routes } = gatherApplicationFacts(this.#strapi);
    this.#ofRoutes = routeLanes(config.strategy.contentTypes, routes, this.choice, (path) =>
      this.functions.holds(path),
    );
  }

  #takeWords({ config, observability }: ServedCache): void {
    const { repeatableMiddlewares } = config.strategy;
    this.#repeatable = new Set([...KNOWN_REPEATABLE, ...repeatableMiddlewares]);
    const mounted = this.#stack.ownNames;
    for (const name of repeatableMiddlewares) {
      if (mounted.includes(name)) continue;
      const likely = likelyName(name, mounted);
      observability.notices.warn(
        warning(
          'repeatable-middlewares',
          `strategy.repeatableMiddlewares: "${name}" is no global middleware of this application or of its plugins.` +
            (likely === undefined ? '' : ` Did you mean "${likely}"?`),
        ),
      );
    }
  }

  #watchOwnMiddlewares(restCache: ServedCache, cachedPaths: readonly RegExp[] | undefined): void {
    const onBroken = (name: string, did: string): void => this.#withdraw(restCache, name, did);
    const watched = watchingRepeatable({ cachedPaths, onBroken, onFault: this.noteFault });
    // Whether the front lane is open only because the middlewares in its way are known or declared repeatable.
    const isOpened = this.choice.mode === 'front' && this.areSurrounded;
    this.#stack.watchOwnMiddlewares((middleware, name) =>
      isOpened && this.#repeatable.has(name) ? watched(middleware, name) : middleware,
    );
  }

  /** Closes the front lane until the process ends, because a middleware has turned out not to be repeatable. */
  #withdraw(restCache: ServedCache, name: string, did: string): void {
    this.#observer.front = undefined;
    this.#outer?.forgetAll();
    this.choice = {
      mode: 'route',
      reason: `${name} ${did}, although strategy.repeatableMiddlewares declares it repeatable`,
      keptBy: name,
      advice: 'take it out of strategy.repeatableMiddlewares',
    };
    this.#tellOfRoutes(restCache);
    restCache.observability.notices.warn(
      warning(
        'repeatable-middlewares',
        `${name} is no longer treated as repeatable until the next start, because it ${did}. ` +
          'Hits are answered on their route again. Remove it from strategy.repeatableMiddlewares.',
      ),
    );
  }

  /** The lane of a cached route; `undefined` until Strapi listens. */
  ofRoute(path: string): RouteLane | undefined {
    return this.#ofRoutes.find(({ route }) => route.path === path);
  }

  /** Replaces Strapi's own request listener with that of the front lane. */
  #openFront({ config, provider, observability }: ServedCache, origin: RequestListener): void {
    const { httpServer } = this.#strapi.server;
    const lane = new OuterLane(provider, systemClock, config.provider.getTimeout);
    this.#outer = lane;
    const front = new FrontLane({
      lane,
      spellings: this.#spell(config.strategy, this.#stack.configurationOf('strapi::compression') !== undefined),
      bodies: this.#bodies,
      clock: systemClock,
      listener: observability.laneListener,
      log: this.#stack.configurationOf('strapi::logger') === undefined ? undefined : requestLog(this.#strapi),
      responseTime: this.#stack.configurationOf('strapi::responseTime') !== undefined,
      onFault: this.noteFault,
    });
    this.#observer.front = front;
    // Other code may add or replace a listener later.
    const isOpen = (): boolean => {
      const listeners = httpServer.listeners('request');
      return this.#observer.front === front && listeners.length === 1 && listeners[0] === listener;
    };
    const listener: RequestListener = front.listener(origin, isOpen);
    httpServer.removeListener('request', origin);
    httpServer.on('request', listener);
  }

  /** Spellings that include every request header on which a response may depend. */
  #spell({ contentTypes }: ResolvedStrategy, variesOnEncoding: boolean): RequestSpellings {
    for (const { keys } of contentTypes.flatMap(({ routes }) => routes))
      for (const name of keys.useHeaders) this.#material.add(name);
    return new RequestSpellings({ keyedHeaders: this.#material, variesOnEncoding });
  }
}

/** The store's name, and its memory budget if the store reports that synchronously. */
const storeInWords = ({ config, provider }: ServedCache): string => {
  const usage = provider.name === 'memory' ? provider.usage() : undefined;
  const maxBytes = usage instanceof Promise ? undefined : usage?.maxBytes;
  if (maxBytes === undefined) return config.provider.name;
  const budget = maxBytes < 1_000_000 ? `${maxBytes} bytes` : `${Math.round(maxBytes / 1_000_000)} MB`;
  return `${config.provider.name}, at most ${budget}`;
};
