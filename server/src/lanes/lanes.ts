import { said, type Sentence } from '../cache/sentence';
import type { Core } from '@strapi/strapi';
import { OwnRequests } from '../background/own-requests';
import { systemClock } from '../cache/clock';
import { milliseconds } from '../cache/milliseconds';
import { gatherApplicationFacts } from '../config/application-facts';
import { type ResolvedStrategy, routesIn } from '../config/resolved-config';
import { CallerPages } from '../http/caller-reads';
import { exchangeOf } from '../http/exchange';
import { Variants } from '../http/variants';
import { type AuthService, wrapAuthentication } from '../observe/authentication';
import type { ReadsElsewhere } from '../observe/reads-elsewhere';
import { followRequests } from '../observe/recording';
import { adaptedMiddlewares } from '../stack/adapted-middlewares';
import { EncodedBodies } from '../stack/encoded-bodies';
import { MiddlewareStack, OURS } from '../stack/middleware-stack';
import { cachedPathsOf, type LaneChoice } from '../stack/stack-survey';
import { type Choice, choose, NOT_LISTENING, unchosen, withdrawn } from './choose';
import type { Endpoint } from '../http/endpoint';
import { FrontLane } from './front-lane';
import { RememberedHits } from './remembered-hits';
import type { FunctionOfRoute } from './attach-lanes';
import { RepeatableFunctions, watchingRepeatable } from './repeatable-functions';
import { RepeatedAuthentication } from './repeat-authentication';
import { RequestObserver, type ServedCache } from './request-observer';
import { RequestFingerprints } from './request-fingerprint';
import { requestLog } from './request-log';
import { repeatRouting } from './repeat-routing';
import { laneReport, routeLanes, sharedWorkReport, type LaneOfRoute } from './lane-of-route';
import { dispatchOwn, tryRequest, type TrialRequest, type TrialResult } from './trial-request';
import { faultLog, ifPossible, type OnFault } from './undo-answer';

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
  /** Requests that the plugin itself sends. */
  readonly own: OwnRequests;
  readonly noteFault: OnFault;
  /** Request headers that are in any route's key, by which a response varies, or that a strategy reads. */
  readonly #material = new Set<string>();
  /** Paths of the routes of which an answer also depends on what other requests have read. */
  readonly routesThatShare = new Set<string>();
  readonly variants = new Variants((field) => void this.#material.add(field));
  readonly callerPages = new CallerPages();
  readonly #bodies = new EncodedBodies();
  /** By path. */
  #ofRoutes: ReadonlyMap<string, LaneOfRoute> = new Map();
  #isChosen = false;
  #onMounted = (): void => undefined;
  /** Where no lane has been chosen. */
  #otherwise = NOT_LISTENING;

  constructor(strapi: Core.Strapi) {
    this.#strapi = strapi;
    this.#stack = new MiddlewareStack(strapi);
    this.own = new OwnRequests((response) => dispatchOwn(strapi, this.#stack, response));
    this.noteFault = faultLog(strapi);
    this.functions = new RepeatableFunctions((fn, did) => this.#breakRoute(fn, did), this.noteFault);
    this.#authentication = new RepeatedAuthentication(
      systemClock,
      (name) => void this.#material.add(name),
      this.noteFault,
    );
    this.#observer = new RequestObserver(strapi, () => this.#chooseAtRequest(), this.noteFault);
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
    this.#stack.mountOutermost(this.#observer.middleware);
    this.#stack.note(this.#observer.middleware, OURS);
    repeatRouting(strapi);
    this.#stack.learnNames(adaptedMiddlewares(strapi, this.#bodies));
    strapi.server.httpServer.once('listening', () => this.#choose());
  }

  /**
   * A server of the application's own may call Koa while Strapi's never listens, or before all is mounted: middlewares
   * that are mounted later have to be watched as well.
   */
  #chooseAtRequest(): void {
    if (this.#isChosen || ifPossible(() => this.#stack.hasRoutes, this.noteFault) === false) return;
    this.#stack.isServedElsewhere = true;
    this.#choose();
  }

  /** The choice of the front lane, and its reason. */
  get choice(): LaneChoice {
    return (this.#observer.chosen?.choice ?? this.#otherwise).lane;
  }

  get endpoint(): Endpoint | undefined {
    return this.#observer.endpoint;
  }

  /** From now on, requests for this endpoint are recorded, and pass it once they are authenticated. */
  set endpoint(endpoint: Endpoint | undefined) {
    this.#observer.endpoint = endpoint;
  }

  /**
   * Called in `bootstrap`, once the content types are ready.
   *
   * @param onMounted called once all routes are mounted, if anything is cached.
   */
  connect(restCache: ServedCache, onMounted: () => void): void {
    this.#onMounted = onMounted;
    const { unobservable } = restCache;
    if (unobservable === undefined) {
      this.#observer.chosen = Object.freeze({ restCache, choice: NOT_LISTENING, front: undefined });
      const { provider, config } = restCache;
      const fingerprints = this.#fingerprints(config.strategy, false);
      const routes = routesIn(config.strategy);
      if (routes.some(({ keys }) => keys.useAuth === 'role')) this.#authentication.metadata = this.#strapi.db.metadata;
      this.#authentication.outlasts = milliseconds(Math.max(0, ...routes.map(({ stale }) => stale.ifError)));
      // Strapi's own middlewares do the same for the same URL and headers. If there are others, what they make of the
      // request counts as well.
      this.#authentication.open(provider, config.provider.getTimeout, (ctx) =>
        exchangeOf(ctx).endpoint !== undefined
          ? fingerprints.ofOperation(ctx)
          : this.#observer.chosen?.choice.hasForeignMiddleware !== false
            ? fingerprints.behindMiddlewares(ctx)
            : fingerprints.of(ctx.req, ctx.url),
      );
    } else {
      this.#otherwise = unchosen(`nothing is cached: ${unobservable}`);
    }
  }

  /** Forgets all that the front lane repeats, and works out the routes' lanes again: heads or routes have changed. */
  forgetRememberedHits(): void {
    const { chosen } = this.#observer;
    if (chosen === undefined) return;
    chosen.front?.forgetAll();
    this.#chooseRouteLanes(chosen.restCache);
  }

  /**
   * Finds out what would happen to a GET request, by sending one through the stack up to the route lane.
   *
   * @throws Error if the router is not found on the stack.
   */
  tryRequest(request: TrialRequest): Promise<TrialResult> {
    return tryRequest(this.#strapi, this.#stack, request, this.endpoint);
  }

  #choose(): void {
    const { chosen } = this.#observer;
    if (chosen === undefined || this.#isChosen) return;
    this.#isChosen = true;
    const { restCache } = chosen;
    this.#onMounted();
    try {
      this.#stack.mountOutermost(this.#observer.middleware);
      this.#stack.nameResolved();
      const choice = choose(this.#stack, restCache.config.strategy);
      const front = this.#mount(choice, restCache);
      this.#observer.chosen = Object.freeze({ restCache, choice, front });
      this.#warnOfUnknownNames(restCache, choice);
    } catch (error) {
      this.#cacheNothing(restCache, `Strapi's server does not look as expected: ${String(error)}`);
    }
    this.#chooseRouteLanes(restCache);
    const lanes = [...this.#ofRoutes.values()];
    for (const line of [
      ...laneReport(storeInWords(restCache), this.choice, lanes),
      ...sharedWorkReport(this.#strapi, lanes, gatherApplicationFacts(this.#strapi).routes),
    ])
      this.#strapi.log.info(`[rest-cache] ${line}`);
  }

  /**
   * Puts everything in its place that a choice asks for, the front lane last: nothing can fail once it is open.
   *
   * @returns the front lane, if it was chosen.
   */
  #mount(choice: Choice, { config, provider, listener }: ServedCache): FrontLane | undefined {
    const { origin, repeatable, targets, areTargetsKnown } = choice;
    const watched = watchingRepeatable(
      areTargetsKnown ? targets : undefined,
      (name, did) => this.#withdraw(name, did),
      this.noteFault,
    );
    // Whether the front lane is open only because the middlewares in its way are known or declared repeatable.
    const isOpened = origin !== undefined && choice.hasForeignMiddleware;
    this.#stack.watchOwnMiddlewares(cachedPathsOf(config.strategy), (middleware, name) =>
      isOpened && repeatable.has(name) ? watched(middleware, name) : middleware,
    );
    if (origin === undefined) return undefined;
    const isConfigured = (name: string): boolean => this.#stack.configurationOf(name) !== undefined;
    const front = new FrontLane({
      lane: new RememberedHits(provider, systemClock, config.provider.getTimeout),
      fingerprints: this.#fingerprints(config.strategy, isConfigured('strapi::compression')),
      bodies: this.#bodies,
      clock: systemClock,
      listener,
      log: isConfigured('strapi::logger') ? requestLog(this.#strapi) : undefined,
      responseTime: isConfigured('strapi::responseTime'),
      onFault: this.noteFault,
    });
    front.replace(origin, this.#strapi.server.httpServer);
    return front;
  }

  /** Called where nobody knows what the code in front of the routes reads of a request. */
  #cacheNothing(restCache: ServedCache, reason: string): void {
    restCache.obstacles.add(reason);
    this.endpoint = undefined;
    const choice = unchosen(`nothing is cached: ${reason}`);
    this.#observer.chosen = Object.freeze({ restCache, choice, front: undefined });
    restCache.observability.notices.error(
      said('unobservable')`nothing is cached, every request goes to Strapi: ${reason}.`,
    );
  }

  #chooseRouteLanes({ config }: ServedCache): void {
    const { routes } = gatherApplicationFacts(this.#strapi);
    const holds = (path: string): boolean => this.functions.holds(path);
    const lanes = routeLanes(routesIn(config.strategy), routes, this.choice, holds);
    this.#ofRoutes = new Map(lanes.map((lane) => [lane.route.path, lane]));
  }

  #warnOfUnknownNames({ observability }: ServedCache, { unknownNames }: Choice): void {
    for (const [name, likely] of unknownNames)
      if (likely === undefined)
        observability.notices.warn(said('unknown-middleware')`strategy.repeatableMiddlewares: "${name}" is no global
          middleware of this application or of its plugins.`);
      else
        observability.notices.warn(said('misspelt-middleware')`strategy.repeatableMiddlewares: "${name}" is no global
          middleware of this application or of its plugins. Did you mean "${likely}"?`);
  }

  /** Closes the front lane until the process ends, because a middleware has turned out not to be repeatable. */
  #withdraw(name: string, did: Sentence): void {
    const { chosen } = this.#observer;
    if (chosen === undefined) return;
    const { restCache, choice, front } = chosen;
    front?.close();
    this.#observer.chosen = Object.freeze({ restCache, choice: withdrawn(choice, name, did), front: undefined });
    this.#chooseRouteLanes(restCache);
    restCache.observability.notices.warn(said('repeatable-middlewares')`${name} is no longer treated as repeatable until
      the next start, because it ${did}. Hits are answered on their route again. Remove it from
      strategy.repeatableMiddlewares.`);
  }

  /** Keeps the hits of a route on the route until the process ends: one of its functions is not repeatable. */
  #breakRoute({ path, who }: FunctionOfRoute, did: Sentence): void {
    this.forgetRememberedHits();
    this.#observer.chosen?.restCache.observability.notices.warn(said('repeatable-broken')`GET ${path} is no longer
      treated as repeatable until the next start: its ${who} ${did}. Its policies and middlewares run for every request
      again. Set repeatable: false for this route.`);
  }

  /** Whether nothing on a cached route has to see every request, so that its hits may be repeated in front. */
  isRepeatable(path: string): boolean {
    return this.#ofRoutes.get(path)?.isRepeatable === true;
  }

  /** The lane of a cached route; `undefined` until Strapi listens. */
  ofRoute(path: string): LaneOfRoute | undefined {
    return this.#ofRoutes.get(path);
  }

  /** Fingerprints that include every request header on which a response may depend. */
  #fingerprints(strategy: ResolvedStrategy, variesOnEncoding: boolean): RequestFingerprints {
    for (const { keys } of routesIn(strategy)) for (const name of keys.useHeaders) this.#material.add(name);
    return new RequestFingerprints({ keyedHeaders: this.#material, variesOnEncoding });
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
