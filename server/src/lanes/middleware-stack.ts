import type { Core } from '@strapi/strapi';
import type { Context, Middleware } from 'koa';
import { realpathSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import type { Layer, Router } from '../http/koa-router';
import { shownBytes } from '../http/shown-body';
import { notingReads } from '../http/unkeyed-reads';
import type { Adaptations } from './adapted-middlewares';
import { Instrumentation } from './instrumentation';
import { mounterOf, noteMountedBefore } from './mounted-by';

const REQUEST_CONTEXT = "Strapi's request context";
export const TELEMETRY = "Strapi's telemetry";
export const DISPATCH = "the router's dispatch";
/** The outer lanes and what observes requests. */
export const OURS = 'rest-cache';
const PASSPORT = "the admin's passport";

/** Functions with which Strapi itself frames every request, recognised by what they are made of. */
const FRAMING: ReadonlyArray<readonly [name: string, text: string]> = [
  [REQUEST_CONTEXT, 'requestContext.run(ctx'],
  [TELEMETRY, "sendEvent('didReceiveRequest'"],
  [DISPATCH, 'router.opts.routerPath'],
  ["the router's allowed methods", 'implemented.indexOf(ctx.method)'],
  [PASSPORT, 'function passportInitialize('],
  ['nothing', '(_, next)=>next()'],
];

/** A configured global middleware: its name, and its configuration where that decides whether it can be replayed. */
export interface ConfiguredMiddleware {
  readonly name: string | undefined;
  readonly config: Readonly<Record<string, unknown>>;
}

/** What Strapi knows of a plugin that is switched on. */
interface EnabledPlugin {
  readonly pathToPlugin: string;
}

/** Strapi's registry of middlewares by name, each as a function that makes it; its own type is no more than `any`. */
interface MiddlewareRegistry {
  keys(): string[];
  extend(
    name: string,
    wrap: (factory: (...args: never[]) => Middleware | undefined) => (...args: never[]) => Middleware | undefined,
  ): void;
}

/** Everything a request passes in this application on its way to a route: Strapi's middlewares, its routers and others'. */
export class MiddlewareStack {
  readonly #strapi: Core.Strapi;
  readonly #names = new WeakMap<Middleware, string>();
  /** Names of middlewares that are not Strapi's. */
  readonly #ownNames = new WeakMap<Middleware, string>();
  /** What the log calls those that stand in another's place. */
  readonly #descriptions = new WeakMap<Middleware, string>();
  #instrumentation: Instrumentation | undefined;
  #publicFiles: Layer | undefined;

  constructor(strapi: Core.Strapi) {
    this.#strapi = strapi;
  }

  /** In `register`: from here on, what instrumentation puts around a function is known to stand for it. */
  seeThroughInstrumentation(): void {
    this.#instrumentation = new Instrumentation(this.#strapi);
    this.#nameWhatWasThere(this.#instrumentation);
    this.#noteMountedBefore();
  }

  /** What plugins that Strapi registers earlier have mounted. */
  #noteMountedBefore(): void {
    const nameless = this.#mounted.filter((middleware) => this.nameOf(middleware) === undefined);
    // Plugins' files are not looked at where nothing is to be found in them.
    if (nameless.length === 0) return;
    const plugins = this.#strapi.config.get<Readonly<Record<string, EnabledPlugin>>>('enabledPlugins', {});
    const folders = Object.values(plugins).map(({ pathToPlugin }) => realpathSync(pathToPlugin));
    for (const middleware of nameless) noteMountedBefore(middleware, folders);
  }

  /**
   * What Strapi mounts before its plugins, and instrumentation has put something around by now, is known by its place
   * and by what it does.
   */
  #nameWhatWasThere(instrumentation: Instrumentation): void {
    const isHidden = (middleware: Middleware | undefined): middleware is Middleware =>
      middleware !== undefined && instrumentation.isTransparent(middleware);
    const { requestContext, telemetry, server } = this.#strapi;
    const [context, second] = this.middlewares;
    const tried = instrumentation.standIn();
    if (isHidden(context) && leavesBehind(context, tried, () => requestContext.get() === tried))
      this.#names.set(context, REQUEST_CONTEXT);
    if (isHidden(second) && !telemetry.isDisabled) this.#names.set(second, TELEMETRY);
    const layers = server.api('admin').listRoutes() as unknown as Layer[];
    const passport = layers[0]?.methods.length === 0 ? layers[0].stack[0] : undefined;
    if (isHidden(passport) && 'isAuthenticated' in triedOn(passport, instrumentation.standIn()))
      this.#names.set(passport, PASSPORT);
    for (const layer of layers) instrumentation.noteRegistered(layer);
  }

  /** Every middleware on the application, outermost first. */
  get middlewares(): Middleware[] {
    return this.#strapi.server.app.middleware as Middleware[];
  }

  get #layers(): readonly Layer[] {
    return (this.#strapi.server.router as unknown as Router).stack;
  }

  /** Layers without methods are middlewares of a router, such as `strapi.server.api('content-api').use(…)` adds. */
  get #routerMiddlewares(): Layer[] {
    const layers = this.#layers.filter(({ methods }) => methods.length === 0);
    this.#instrumentation?.noteLayers(layers);
    return layers;
  }

  /** On the application and on its routers. */
  get #mounted(): Middleware[] {
    return [...this.middlewares, ...this.#routerMiddlewares.flatMap(({ stack }) => stack)];
  }

  /** Of a function of Strapi's or the plugin's own on the stack, as far as it can be told. */
  readonly nameOf = (middleware: Middleware): string | undefined => {
    const noted = this.#names.get(middleware);
    if (noted !== undefined) return noted;
    const text = Function.prototype.toString.call(middleware);
    const framing = FRAMING.find(([, part]) => text.includes(part))?.[0];
    if (framing !== undefined) return framing;
    const inside = this.#instrumentation?.inside(middleware);
    return inside && this.nameOf(inside);
  };

  /** For the log: a function that is not Strapi's. */
  readonly describe = (middleware: Middleware): string => {
    const known = this.#descriptions.get(middleware);
    if (known !== undefined) return known;
    const inner = this.#instrumentation?.around(middleware);
    const strapis = inner && this.nameOf(inner);
    if (strapis !== undefined) return `what was put around ${strapis}`;
    const described = inner ?? middleware;
    const registered = this.#ownNames.get(described);
    if (registered !== undefined) return registered;
    const mounter = this.#mounterOf(described);
    const called = described.name === '' ? 'a middleware' : `a middleware "${described.name}"`;
    return mounter === undefined ? called : `${called} of ${mounter}`;
  };

  /**
   * Of a middleware that the application or a plugin has registered, and that Strapi or a plugin has mounted; of others
   * the package or file that has mounted them.
   */
  readonly ownNameOf = (middleware: Middleware): string | undefined => {
    const own = this.#ownNames.get(middleware) ?? this.#mounterOf(middleware);
    if (own !== undefined) return own;
    const inside = this.#instrumentation?.inside(middleware);
    return inside && this.ownNameOf(inside);
  };

  #mounterOf(middleware: Middleware): string | undefined {
    const { dist, app } = this.#strapi.dirs;
    return mounterOf(middleware, [dist.root, app.root]);
  }

  /** Names of all these. */
  get ownNames(): string[] {
    return this.#mounted.map(this.ownNameOf).filter((name) => name !== undefined);
  }

  note(middleware: Middleware, name: string): void {
    this.#names.set(middleware, name);
  }

  /** Learns the names of the middlewares that Strapi is about to mount, and has its own see bodies as they are sent. */
  learnNames(adaptations: Adaptations): void {
    const registry = this.#strapi.get<MiddlewareRegistry>('middlewares');
    for (const name of registry.keys())
      registry.extend(name, (factory) => (...args) => {
        if (name.startsWith('strapi::')) {
          const adapt = adaptations.get(name);
          return this.#makeStrapis(
            name,
            () => factory(...args),
            (made) => adapt?.(made, args[0]) ?? made,
          );
        }
        const made = factory(...args);
        if (typeof made === 'function') this.#ownNames.set(made, name);
        return made;
      });
  }

  #makeStrapis(
    name: string,
    make: () => Middleware | undefined,
    adapt: (handler: Middleware) => Middleware,
  ): Middleware | undefined {
    const before = this.middlewares.length;
    const routes = this.#layers.length;
    const made = make();
    const handler = made === undefined ? undefined : adapt(made);
    for (const layer of this.#layers.slice(routes)) {
      layer.stack = layer.stack.map(shownBytes);
      if (layer.path === PUBLIC_FILES) this.#publicFiles = layer;
    }
    // Some mount themselves instead of returning a handler.
    for (const mounted of [...this.middlewares.slice(before), handler])
      if (typeof mounted === 'function') this.#names.set(mounted, name);
    return handler;
  }

  /** Right behind Strapi's request context: what another plugin's middleware reads is read within the recording. */
  standInFront(middleware: Middleware): void {
    const stack = this.middlewares;
    const place = stack.indexOf(middleware);
    if (place >= 0) stack.splice(place, 1);
    const context = stack.findIndex((other) => this.nameOf(other) === REQUEST_CONTEXT);
    stack.splice(context + 1, 0, middleware);
  }

  standBeforeRouter(middleware: Middleware): void {
    const router = this.middlewares.findIndex((other) => this.nameOf(other) === DISPATCH);
    if (router >= 0) this.middlewares.splice(router, 0, middleware);
  }

  /** What makes an answer, without the global middlewares: those that see what the router is given, and the router. */
  get route(): Middleware[] {
    const dispatch = this.middlewares.findIndex((middleware) => this.nameOf(middleware) === DISPATCH);
    const body = this.middlewares.filter((middleware) => this.nameOf(middleware) === 'strapi::body');
    return dispatch < 0 ? [] : [...body, ...this.middlewares.slice(dispatch)];
  }

  /**
   * Public files are a route around all others, and look for a file when those have left nothing. On the way there
   * Strapi asks that route's authentication and policies, of which it has none, on every GET of the API.
   */
  askForFilesLast(): void {
    const layer = this.#publicFiles;
    if (layer !== undefined) layer.stack = layer.stack.map(askedLast);
  }

  /**
   * What the application's own middlewares read of a request, the handler may make its answer of.
   *
   * @param watched makes of a middleware that has a name the same, watched for something else.
   */
  watchOwnMiddlewares(watched: (middleware: Middleware, name: string) => Middleware): void {
    for (const stack of [this.middlewares, ...this.#routerMiddlewares.map((layer) => layer.stack)])
      for (const [place, middleware] of stack.entries()) {
        if (this.nameOf(middleware) !== undefined) continue;
        const who = this.describe(middleware);
        const name = this.ownNameOf(middleware);
        const noting = notingReads(name === undefined ? middleware : watched(middleware, name), who);
        if (name !== undefined) this.#ownNames.set(noting, name);
        this.#descriptions.set(noting, who);
        stack[place] = noting;
      }
  }

  /**
   * Strapi's own listener, where the server has no other: whoever adds one wants to see every request, and whoever puts
   * one in Strapi's place may decide which of them Strapi gets.
   */
  get soleListener(): RequestListener | undefined {
    const [listener, ...others] = this.#strapi.server.httpServer.listeners('request') as RequestListener[];
    if (listener === undefined || others.length > 0) return undefined;
    return Function.prototype.toString.call(listener).includes('koaApp.callback()') ? listener : undefined;
  }

  /** `config/middlewares`, each by name and configuration. */
  get configured(): ConfiguredMiddleware[] {
    return this.#strapi.config.get<unknown[]>('middlewares', []).map((item) => {
      if (typeof item === 'string') return { name: item, config: {} };
      const { name, config } = (typeof item === 'object' && item !== null ? item : {}) as Partial<ConfiguredMiddleware>;
      return { name, config: config ?? {} };
    });
  }

  /** `undefined` where it is not configured. */
  configurationOf(name: string): ConfiguredMiddleware['config'] | undefined {
    return this.configured.find((middleware) => middleware.name === name)?.config;
  }

  /** The router's own patterns for routes at these paths; `undefined` if it lacks one of them. */
  patternsOf(paths: readonly string[]): RegExp[] | undefined {
    const patterns: RegExp[] = [];
    for (const path of paths) {
      const found = this.#layers.filter((layer) => layer.path === path && layer.methods.includes('GET'));
      if (found.length === 0) return undefined;
      patterns.push(...found.map(({ regexp }) => regexp));
    }
    return patterns;
  }

  /** Middlewares of routers that stand around one of these paths and are not the framework's own. */
  foreignOnRouter(paths: readonly string[]): Middleware[] {
    return this.#routerMiddlewares
      .filter(({ regexp }) => paths.some((path) => regexp.test(path)))
      .flatMap(({ stack }) => stack)
      .filter((middleware) => this.nameOf(middleware) === undefined);
  }
}

/** The path `strapi::public` gives its route. */
const PUBLIC_FILES = '/((?!uploads/).+)';

/** For a handler that does nothing until all others are done, and then only where they have left nothing. */
const askedLast =
  (handler: Middleware): Middleware =>
  async (ctx, next) => {
    await next();
    if (ctx.status === 404 && ctx.body == null) await handler(ctx, () => Promise.resolve());
  };

/** What a middleware has put on a context by the time it goes on, or has failed. */
const triedOn = (middleware: Middleware, ctx: Context): Context => {
  leavesBehind(middleware, ctx, () => true);
  return ctx;
};

/** Whether something holds when a middleware that was called with this context calls the next one. */
const leavesBehind = (middleware: Middleware, ctx: Context, holds: () => boolean): boolean => {
  let held = false;
  try {
    const ended: unknown = middleware(ctx, () => Promise.resolve(void (held = holds())));
    Promise.resolve(ended).catch(() => undefined);
  } catch {
    return false;
  }
  return held;
};
