import type { Core } from '@strapi/strapi';
import type { RequestListener } from 'node:http';
import type { Context, Middleware, Next } from 'koa';
import { systemClock } from '../cache/clock';
import { withDeadline } from '../cache/deadline';
import type { CacheKey } from '../cache/key';
import type { Sequence } from '../cache/sequence';
import type { ResolvedConfig, ResolvedStrategy } from '../config/resolved-config';
import { compressionOptions, EncodedBodies } from './encoded-bodies';
import { NOT_TO_BE_KEPT } from '../http/cache-control';
import { isCachedRoute } from './attach-lanes';
import { finishResponse, keepFromOtherCaches, shownBytes, shownFinalStatus } from '../http/finish-response';
import { exchangeOf } from '../http/exchange';
import { FrontLane } from './front-lane';
import { responseHeader, watchHeaders } from '../http/response-headers';
import { isSafeMethod } from '../http/request-message';
import { OuterLane } from './outer-lane';
import {
  type ConfiguredMiddleware,
  described,
  isSoleListener,
  type LaneChoice,
  MiddlewareNames,
  soleListener,
  surveyStack,
} from './stack-survey';
import { RequestSpellings } from './request-spelling';
import { RouterLane } from './router-lane';
import { notingReads } from '../http/unkeyed-reads';
import { ifPossible, nothingToUndo, orAsItWas, orTheOrigin } from './undo-answer';
import type { LaneListener } from './serve-entry';
import { watchAuthentication, type AuthService } from '../observe/authentication';
import { ReadsElsewhere } from '../observe/reads-elsewhere';
import { followRequests, Recording, recordRequest } from '../observe/recording';
import { requestLog } from './request-log';
import type { MaybePromise, Provider } from '../cache/provider';

/** Told of before all others are taken for more of the same. */
const MAX_FAULTS = 100;

/** Strapi's own middlewares that look at what the route has left. */
const ADAPTED: ReadonlyMap<string, (handler: Middleware) => Middleware> = new Map([
  ['strapi::compression', shownBytes],
  ['strapi::logger', shownFinalStatus],
]);

type StrapiServer = Core.Strapi['server'];

/** Strapi's registry of middlewares by name, each as a function that makes it; its own type is no more than `any`. */
interface MiddlewareRegistry {
  keys(): string[];
  extend(
    name: string,
    wrap: (factory: (...args: never[]) => Middleware | undefined) => (...args: never[]) => Middleware | undefined,
  ): void;
}

/** A route or middleware of koa-router, whose types Strapi does not bring along. */
interface RouterLayer {
  readonly path: string;
  readonly methods: readonly string[];
  readonly regexp: RegExp;
  stack: Middleware[];
}

const layersOf = ({ router }: StrapiServer): RouterLayer[] => (router as unknown as { stack: RouterLayer[] }).stack;

/** Layers without methods are middlewares of a router, such as `strapi.server.api('content-api').use(…)` adds. */
const routerMiddlewares = (server: StrapiServer): RouterLayer[] =>
  layersOf(server).filter(({ methods }) => methods.length === 0);

const stackOf = ({ app }: StrapiServer): Middleware[] => app.middleware as Middleware[];

/** What the lanes have to know of the plugin they answer for. */
export interface ServedCache {
  readonly config: ResolvedConfig;
  readonly provider: Provider;
  readonly observability: { readonly laneListener: LaneListener };
  /** Why nothing is cached, if so. */
  readonly unobservable: string | undefined;
}

/**
 * The plugin's place in the application's request path: the outermost middleware that records what a request reads,
 * and the outer lane, chosen from the stack as it is when the server starts listening.
 */
export class Lanes {
  readonly readsElsewhere = new ReadsElsewhere(systemClock, () => this.#knownSequence());
  readonly #strapi: Core.Strapi;
  readonly #names = new MiddlewareNames();
  /** Names of middlewares that are not Strapi's. */
  readonly #ownNames = new WeakMap<Middleware, string>();
  readonly #faults = new Set<string>();
  #restCache: ServedCache | undefined;
  #front: FrontLane | undefined;
  #bodies: EncodedBodies | undefined;
  /** What paths of cached routes look like; `undefined` while they cannot be told, or may still change on their way. */
  #cachedPaths: readonly RegExp[] | undefined;
  #areSurrounded = true;
  #choice: LaneChoice = { mode: 'inner', reason: 'the server is not listening yet' };

  constructor(strapi: Core.Strapi) {
    this.#strapi = strapi;
  }

  /** Bodies as `strapi::compression` makes them; configured by the time content types are ready. */
  get bodies(): EncodedBodies {
    const compression = configuredMiddlewares(this.#strapi).find(({ name }) => name === 'strapi::compression');
    return (this.#bodies ??= new EncodedBodies(
      compression === undefined ? undefined : compressionOptions(compression.config),
    ));
  }

  /** Whether middlewares of others stand around everything; also while that is not known yet. */
  get areSurrounded(): boolean {
    return this.#areSurrounded;
  }

  /** Which outer lane answers, and why. */
  get choice(): LaneChoice {
    return this.#choice;
  }

  /** In `register`: takes the place in front, and learns the names of the middlewares Strapi is about to mount. */
  attach(): void {
    const { server } = this.#strapi;
    followRequests(this.#strapi.requestContext);
    watchAuthentication(this.#strapi.get<AuthService>('auth'));
    this.#standInFront();
    this.#names.note(this.#observe as never, 'rest-cache');
    const registry = this.#strapi.get<MiddlewareRegistry>('middlewares');
    const isStrapis = (name: string): boolean => name.startsWith('strapi::');
    for (const name of registry.keys().filter(isStrapis)) {
      registry.extend(name, (factory) => (...args) => {
        const stack = stackOf(server);
        const before = stack.length;
        const layers = layersOf(server);
        const routes = layers.length;
        const made = factory(...args);
        const handler = made === undefined ? undefined : (ADAPTED.get(name)?.(made) ?? made);
        // Public files are a route around all others.
        for (const layer of layers.slice(routes)) layer.stack = layer.stack.map(shownBytes);
        // Some mount themselves instead of returning a handler.
        for (const mounted of [...stack.slice(before), handler]) {
          if (typeof mounted === 'function') this.#names.note(mounted, name);
        }
        return handler;
      });
    }
    for (const name of registry.keys().filter((key) => !isStrapis(key))) {
      registry.extend(name, (factory) => (...args) => {
        const made = factory(...args);
        if (typeof made === 'function') this.#ownNames.set(made, name);
        return made;
      });
    }
    server.httpServer.once('listening', () => this.#choose());
  }

  /** Right behind Strapi's request context: what another plugin's middleware reads is read within the recording. */
  #standInFront(): void {
    const stack = stackOf(this.#strapi.server);
    const place = stack.indexOf(this.#observe as never);
    if (place >= 0) stack.splice(place, 1);
    const context = stack.findIndex((middleware) => this.#names.of(middleware) === "Strapi's request context");
    stack.splice(context + 1, 0, this.#observe as never);
  }

  /** Once the content types are ready. */
  connect(restCache: ServedCache): void {
    const { unobservable } = restCache;
    if (unobservable === undefined) this.#restCache = restCache;
    else this.#choice = { mode: 'inner', reason: `nothing is cached: ${unobservable}` };
  }

  readonly #observe = (ctx: Context, next: Next): Promise<unknown> => {
    if (!this.#isNeverCached(ctx)) return this.#record(ctx, next);
    const recording = new Recording(false, this.#knownSequence(), undefined, true);
    return this.#during(recording, ctx, next);
  };

  #during(recording: Recording, ctx: Context, next: Next): Promise<unknown> {
    exchangeOf(ctx).recording = recording;
    return this.readsElsewhere.during(recording, () => recordRequest(ctx, recording, next));
  }

  /** Of what such a request reads the tables are enough. */
  #isNeverCached({ method, path }: Context): boolean {
    return isSafeMethod(method) && this.#cachedPaths?.some((pattern) => pattern.test(path)) === false;
  }

  async #record(ctx: Context, next: Next): Promise<void> {
    const observed = async (origin: Next): Promise<void> => {
      // The number is noted before anything is read: what is decided from here on holds until something it was read
      // from is stamped.
      const since = this.#currentSequence();
      const recording = new Recording(
        this.#isWriteRequest(ctx),
        since instanceof Promise ? await since : since,
        () => ctx.req.headers.authorization === undefined,
      );
      await this.#during(recording, ctx, origin);
    };
    await orTheOrigin(ctx, next, observed, this.noteFault, nothingToUndo);
    await this.#heedCookies(ctx).catch(this.noteFault);
    orAsItWas(ctx, () => finishResponse(ctx), this.noteFault);
    ifPossible(() => this.#forbidKeeping(ctx), this.noteFault);
    ifPossible(() => this.#learnEncoding(ctx), this.noteFault);
    ifPossible(() => weakenCompressed(ctx), this.noteFault);
    ifPossible(() => this.#rememberInFront(ctx), this.noteFault);
  }

  #rememberInFront(ctx: Context): void {
    const { served, recording } = exchangeOf(ctx);
    if (served !== undefined && recording !== undefined) this.#front?.remember(ctx, served, recording);
  }

  /** Each fault is told once, and then to those who look closely. */
  readonly noteFault = (error: unknown): void => {
    const fault = String(error);
    const isNew = this.#faults.size < MAX_FAULTS && !this.#faults.has(fault);
    this.#faults.add(fault);
    this.#strapi.log[isNew ? 'warn' : 'debug'](`[rest-cache] failed at a request, which is answered without: ${fault}`);
  };

  /** As far as this process knows it without asking. */
  #knownSequence(): Sequence | undefined {
    try {
      return this.#restCache?.provider.knownSequence?.();
    } catch {
      return undefined;
    }
  }

  /** `undefined` where the store cannot be asked. */
  #currentSequence(): MaybePromise<Sequence | undefined> {
    if (this.#restCache === undefined) return undefined;
    const { provider, config } = this.#restCache;
    if (provider.knownSequence !== undefined) return this.#knownSequence();
    return withDeadline((async () => provider.sequence())(), config.provider.getTimeout).catch(() => undefined);
  }

  /** A response that somebody gave a cookie to, be it with the head itself, is not to be stored, whatever made it. */
  async #heedCookies(ctx: Context): Promise<void> {
    const key = exchangeOf(ctx).stored;
    const isKept = key !== undefined || this.#tellsOtherCaches;
    if (responseHeader(ctx, 'Set-Cookie') !== '') {
      keepFromOtherCaches(ctx);
      if (key !== undefined) await this.#withdraw(key);
    } else if (isKept && !ctx.headerSent) {
      watchHeaders(ctx.res, (_change, name) => {
        if (name.toLowerCase() !== 'set-cookie') return;
        keepFromOtherCaches(ctx);
        if (key !== undefined) void this.#withdraw(key);
      });
    }
  }

  get #tellsOtherCaches(): boolean {
    return this.#restCache?.config.strategy.cacheControl.enabled === true;
  }

  /** What a cached route answers without an entry behind it (bypassed, refused, failed) is not for other caches either. */
  #forbidKeeping(ctx: Context): void {
    if (this.#tellsOtherCaches && isCachedRoute(ctx) && responseHeader(ctx, 'Cache-Control') === '')
      ctx.set('Cache-Control', NOT_TO_BE_KEPT);
  }

  async #withdraw(key: CacheKey): Promise<void> {
    try {
      await this.#restCache?.provider.delete(key);
    } catch (error) {
      this.#strapi.log.debug(`[rest-cache] ${String(error)}`);
    }
  }

  /** What `strapi::compression` has made of an entry's bytes, it would make of them again. */
  #learnEncoding(ctx: Context): void {
    const entry = exchangeOf(ctx).unencoded;
    if (entry !== undefined)
      this.bodies.noteChoice(entry, ctx.get('Accept-Encoding'), responseHeader(ctx, 'Content-Encoding'));
  }

  /** The admin panel's writes count as such only with `enableAdminCTBMiddleware`. */
  #isWriteRequest({ method, path }: Context): boolean {
    if (isSafeMethod(method)) return false;
    const prefix = this.#strapi.config.get<string>('api.rest.prefix', '/api');
    return path.startsWith(`${prefix}/`) || this.#restCache?.config.strategy.enableAdminCTBMiddleware === true;
  }

  #choose(): void {
    const restCache = this.#restCache;
    if (restCache === undefined) return;
    try {
      this.#standInFront();
      this.#choice = this.#survey(restCache);
      if (this.#choice.mode === 'front' && !this.#openFront(restCache)) {
        const reason = "a request listener on the HTTP server that is not Strapi's has to see every request";
        this.#choice = { mode: 'router', reason };
      }
      this.#watchOwnMiddlewares();
      if (this.#choice.mode === 'router') this.#openRouter(restCache);
    } catch (error) {
      this.#areSurrounded = true;
      this.#choice = { mode: 'inner', reason: `Strapi's server does not look as expected: ${String(error)}` };
    }
    const { mode, reason } = this.#choice;
    this.#strapi.log.info(`[rest-cache] lane "${mode}": ${reason}`);
  }

  /** What the application's own middlewares read of a request, the handler may make its answer of. */
  #watchOwnMiddlewares(): void {
    const { server } = this.#strapi;
    for (const stack of [stackOf(server), ...routerMiddlewares(server).map((layer) => layer.stack)])
      for (const [place, middleware] of stack.entries()) {
        if (this.#names.of(middleware) !== undefined) continue;
        stack[place] = notingReads(middleware, this.#ownNames.get(middleware) ?? described(middleware));
      }
  }

  #survey({ config, provider }: ServedCache): LaneChoice {
    const { server } = this.#strapi;
    const possible = surveyStack(
      server.app.middleware,
      this.#names,
      configuredMiddlewares(this.#strapi),
      foreignRouterMiddleware(server, this.#names, cachedPathsOf(config.strategy)),
    );
    this.#areSurrounded = possible.mode !== 'front';
    const wanted = config.strategy.lane;
    if (wanted === 'inner') return { mode: 'inner', reason: 'configured' };
    if (config.strategy.honorRequestCacheControl)
      return { mode: 'inner', reason: 'honorRequestCacheControl has the inner lane decide on every request' };
    if (provider.knownSequence === undefined)
      return { mode: 'inner', reason: `the provider "${provider.name}" has no knownSequence()` };
    if (wanted === 'router' && possible.mode !== 'inner') return { mode: 'router', reason: 'configured' };
    if (wanted !== 'auto' && possible.mode !== wanted) {
      return { mode: possible.mode, reason: `"${wanted}" is configured, but ${possible.reason}` };
    }
    return possible;
  }

  /** `false` where the server has another listener than Strapi's own. */
  #openFront({ config, provider, observability }: ServedCache): boolean {
    const { httpServer } = this.#strapi.server;
    const origin = soleListener(httpServer);
    if (origin === undefined) return false;
    // Nothing in front of the router but Strapi's own, none of which gives a request another path.
    this.#cachedPaths = patternsOf(this.#strapi.server, cachedPathsOf(config.strategy));
    const configured = configuredMiddlewares(this.#strapi);
    const find = (name: string): ConfiguredMiddleware | undefined =>
      configured.find((middleware) => middleware.name === name);
    this.#front = new FrontLane({
      lane: new OuterLane(provider, systemClock, config.provider.getTimeout),
      spellings: new RequestSpellings({
        keyedHeaders: keyedHeaders(config.strategy),
        variesOnEncoding: this.bodies.areConfigured,
      }),
      bodies: this.bodies,
      clock: systemClock,
      listener: observability.laneListener,
      log: find('strapi::logger') === undefined ? undefined : requestLog(this.#strapi),
      responseTime: find('strapi::responseTime') !== undefined,
      onFault: this.noteFault,
    });
    const listener: RequestListener = this.#front.listener(origin, () => isSoleListener(httpServer, listener));
    httpServer.removeListener('request', origin);
    httpServer.on('request', listener);
    return true;
  }

  #openRouter({ config, provider }: ServedCache): void {
    const lane = new RouterLane(
      new OuterLane(provider, systemClock, config.provider.getTimeout),
      new RequestSpellings({ keyedHeaders: keyedHeaders(config.strategy), variesOnEncoding: false }),
      this.noteFault,
    );
    const stack = stackOf(this.#strapi.server);
    const router = stack.findIndex((middleware) => this.#names.of(middleware) === "the router's dispatch");
    if (router < 0) return;
    stack.splice(router, 0, lane.middleware);
  }
}

/**
 * A representation that something between here and the route has compressed is not the one its strong entity tag
 * names, so the tag becomes weak (RFC 9110, section 8.8.3.3).
 */
const weakenCompressed = (ctx: Context): void => {
  const etag = responseHeader(ctx, 'ETag');
  if (etag.startsWith('"') && responseHeader(ctx, 'Content-Encoding') !== '') ctx.set('ETag', `W/${etag}`);
};

/** `config/middlewares`, each by name and configuration. */
const configuredMiddlewares = (strapi: Core.Strapi): ConfiguredMiddleware[] =>
  strapi.config.get<unknown[]>('middlewares', []).map((item) => {
    if (typeof item === 'string') return { name: item, config: {} };
    const { name, config } = (typeof item === 'object' && item !== null ? item : {}) as Partial<ConfiguredMiddleware>;
    return { name, config: config ?? {} };
  });

const cachedPathsOf = ({ contentTypes }: ResolvedStrategy): string[] =>
  contentTypes.flatMap(({ routes }) => routes.map(({ path }) => path));

/** The router's own patterns for routes at these paths; `undefined` if it lacks one of them. */
const patternsOf = (server: StrapiServer, paths: readonly string[]): RegExp[] | undefined => {
  const layers = layersOf(server);
  const patterns: RegExp[] = [];
  for (const path of paths) {
    const found = layers.filter((layer) => layer.path === path && layer.methods.includes('GET'));
    if (found.length === 0) return undefined;
    patterns.push(...found.map(({ regexp }) => regexp));
  }
  return patterns;
};

/** The first middleware of a router that stands around a cached route and is not the framework's own. */
const foreignRouterMiddleware = (
  server: StrapiServer,
  names: MiddlewareNames,
  cachedPaths: readonly string[],
): Middleware | undefined =>
  routerMiddlewares(server)
    .filter(({ regexp }) => cachedPaths.some((path) => regexp.test(path)))
    .flatMap(({ stack }) => stack)
    .find((middleware) => names.of(middleware) === undefined);

/** Headers that any route is keyed on. */
const keyedHeaders = ({ contentTypes }: ResolvedStrategy): ReadonlySet<string> =>
  new Set(contentTypes.flatMap(({ routes }) => routes.flatMap(({ keys }) => keys.useHeaders)));
