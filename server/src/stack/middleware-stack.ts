import type { Core } from '@strapi/strapi';
import type { Middleware } from 'koa';
import type { RequestListener } from 'node:http';
import { gatherApplicationFacts } from '../config/application-facts';
import { mayMeet } from '../config/route-matching';
import type { Layer, Router } from '../http/koa-router';
import { shownBytes } from '../http/shown-body';
import { notingReads } from '../http/unkeyed-reads';
import type { Adaptations } from './adapted-middlewares';
import { Instrumentation } from './instrumentation';
import { mounterOf } from './mounted-by';

const REQUEST_CONTEXT = "Strapi's request context";
export const TELEMETRY = "Strapi's telemetry";
export const DISPATCH = "the router's dispatch";
/** The middleware that observes requests. */
export const OURS = 'rest-cache';
const PASSPORT = "the admin's passport";

const textOf = (middleware: Middleware): string => Function.prototype.toString.call(middleware);

/** Whether this is the middleware that Strapi's empty routers have. A wrapper around it may do something. */
export const doesNothing = (middleware: Middleware): boolean => textOf(middleware) === '(_, next)=>next()';

const runsContext = (middleware: Middleware): boolean => textOf(middleware).includes('requestContext.run(ctx');

/**
 * Functions that Strapi itself puts around every request, recognised by a part of their source text. Those that an
 * application may have as well, a router and a request context of its own, are recognised in other ways.
 */
const FRAMING: ReadonlyArray<readonly [name: string, text: string]> = [
  [TELEMETRY, "sendEvent('didReceiveRequest'"],
  ["the router's allowed methods", 'implemented.indexOf(ctx.method)'],
  [PASSPORT, 'function passportInitialize('],
];

/** A configured global middleware: its name, and its configuration where that decides whether it can be replayed. */
export interface ConfiguredMiddleware {
  readonly name: string | undefined;
  readonly config: Readonly<Record<string, unknown>>;
}

/** Strapi's registry of middlewares: functions that make them, by name. In Strapi's types it is `any`. */
interface MiddlewareRegistry {
  keys(): string[];
  extend(
    name: string,
    wrap: (factory: (...args: never[]) => Middleware | undefined) => (...args: never[]) => Middleware | undefined,
  ): void;
}

/** Everything that a request passes on its way to a route, on Koa and on the routers, whoever has mounted it. */
export class MiddlewareStack {
  /** Whether a server of the application's own calls Koa, while Strapi's does not listen. */
  isServedElsewhere = false;
  readonly #strapi: Core.Strapi;
  readonly #names = new WeakMap<Middleware, string>();
  /** Names of middlewares that are not Strapi's. */
  readonly #ownNames = new WeakMap<Middleware, string>();
  /** What the log calls middlewares that the plugin has put in the place of others. */
  readonly #descriptions = new WeakMap<Middleware, string>();
  /** Layers that Strapi's own global middlewares have added: `strapi::public` serves files by them. */
  readonly #layersOfStrapi = new WeakSet<Layer>();
  #instrumentation: Instrumentation | undefined;

  constructor(strapi: Core.Strapi) {
    this.#strapi = strapi;
  }

  /**
   * Called in `register`: from now on, wrappers that instrumentation puts around a function are recognised. If it has put
   * any around what Strapi mounts before it registers plugins, only the places of these are known.
   */
  seeThroughInstrumentation(): void {
    const { telemetry, server } = this.#strapi;
    const instrumentation = new Instrumentation(this.#strapi);
    this.#instrumentation = instrumentation;
    const layers = server.api('admin').listRoutes() as unknown as Layer[];
    for (const layer of layers) instrumentation.noteRegistered(layer);
    const [context, second] = this.middlewares;
    if (context === undefined || this.#requestContext !== undefined) return;
    this.#names.set(context, REQUEST_CONTEXT);
    if (second !== undefined && !telemetry.isDisabled) this.#names.set(second, TELEMETRY);
    const passport = layers[0]?.methods.length === 0 ? layers[0].stack[0] : undefined;
    if (passport !== undefined) this.#names.set(passport, PASSPORT);
  }

  /** Strapi's request context stands in front of those that the application opens. */
  get #requestContext(): Middleware | undefined {
    return this.middlewares.find((each) => this.#names.get(each) === REQUEST_CONTEXT || runsContext(each));
  }

  /** Every middleware on the application, outermost first. */
  get middlewares(): Middleware[] {
    return this.#strapi.server.app.middleware as Middleware[];
  }

  get #layers(): readonly Layer[] {
    return (this.#strapi.server.router as unknown as Router).stack;
  }

  /** Whether Strapi has put the application's routes on the server's router, which it does when all else is mounted. */
  get hasRoutes(): boolean {
    const { routes } = gatherApplicationFacts(this.#strapi);
    return routes.length === 0 || routes.some(({ path }) => this.#layers.some((layer) => layer.path === path));
  }

  /**
   * Layers without methods are middlewares of a router, such as `strapi.server.api('content-api').use(…)` adds. Others
   * that code has added may stand around routes as well: `strapi.server.router.all('/api/(.*)', …)`.
   *
   * @param paths the paths of cached routes.
   */
  #aroundRoutes(paths: readonly string[]): Layer[] {
    const declared = gatherApplicationFacts(this.#strapi).routes.map(({ path }) => path);
    // Where the panel is at the root, Strapi's own route for it matches every path, and passes on.
    const ofStrapi = [`${this.#strapi.config.get('admin.path', '')}/:path*`, '/_health'];
    const isAddedByCode = (layer: Layer): boolean => {
      if (!layer.methods.includes('GET') || this.#layersOfStrapi.has(layer)) return false;
      const place = declared.indexOf(layer.path);
      if (place < 0) return !ofStrapi.includes(layer.path);
      declared.splice(place, 1);
      return false;
    };
    // From the end, because Strapi mounts the declared routes last: code may have added the same path before.
    const layers = this.#layers
      .toReversed()
      .filter((layer) => layer.methods.length === 0 || (isAddedByCode(layer) && matchesAny(layer, paths)))
      .toReversed();
    this.#instrumentation?.noteLayers(layers);
    return layers;
  }

  /** The name of a function of Strapi's or of the plugin's own; `undefined` if it is not recognised as one. */
  readonly nameOf = (middleware: Middleware): string | undefined => {
    const noted = this.#names.get(middleware);
    if (noted !== undefined) return noted;
    if ('router' in middleware && middleware.router === this.#strapi.server.router) return DISPATCH;
    if (doesNothing(middleware)) return 'nothing';
    if (runsContext(middleware) && middleware === this.#requestContext) return REQUEST_CONTEXT;
    const text = textOf(middleware);
    const framing = FRAMING.find(([, part]) => text.includes(part))?.[0];
    if (framing !== undefined) return framing;
    const inside = this.#instrumentation?.inside(middleware);
    return inside && this.nameOf(inside);
  };

  /** Describes, for the log, a function that is not Strapi's. */
  readonly describe = (middleware: Middleware): string => {
    const known = this.#descriptions.get(middleware);
    if (known !== undefined) return known;
    const described = this.#instrumentation?.inside(middleware) ?? middleware;
    const registered = this.#ownNames.get(described);
    if (registered !== undefined) return registered;
    const mounter = this.#mounterOf(described);
    const called = `global middleware ${described.name}`.trim();
    return mounter === undefined ? called : `${called} (${mounter})`;
  };

  /**
   * The name of a middleware that is in Strapi's registry, but is not Strapi's, whether Strapi or a plugin has mounted
   * it. For any other middleware, the package or file that has mounted it; `undefined` if that is not known.
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

  /** The names of all middlewares in front of these paths that {@link ownNameOf} knows. */
  ownNames(paths: readonly string[]): string[] {
    const ofRouters = this.#aroundRoutes(paths).flatMap(({ stack }) => stack);
    return [...this.middlewares, ...ofRouters].map(this.ownNameOf).filter((name) => name !== undefined);
  }

  /**
   * Names the middlewares that `config/middlewares` gives by a path: `{ resolve: './src/middlewares/x' }`. Strapi mounts
   * all that are configured in their order, and these are the only ones among them without a name.
   */
  nameResolved(): void {
    const paths = this.#strapi.config
      .get<unknown[]>('middlewares', [])
      .map((item) => Object(item) as { readonly name?: string; readonly resolve?: string })
      .flatMap(({ name, resolve }) => (name === undefined && resolve !== undefined ? [resolve] : []));
    const nameless = this.middlewares.filter(
      (middleware) => this.nameOf(middleware) === undefined && this.ownNameOf(middleware) === undefined,
    );
    if (nameless.length === paths.length)
      paths.forEach((path, index) => void (nameless[index] && this.#ownNames.set(nameless[index], path)));
  }

  note(middleware: Middleware, name: string): void {
    this.#names.set(middleware, name);
  }

  /** Learns the names of the middlewares that Strapi is about to mount, and adapts Strapi's own ones. */
  learnNames(adaptations: Adaptations): void {
    const registry = this.#strapi.get<MiddlewareRegistry>('middlewares');
    for (const name of registry.keys())
      registry.extend(name, (factory) => (...args) => {
        if (name.startsWith('strapi::')) {
          const adapt = adaptations.get(name) ?? ((made: Middleware) => made);
          return this.#makeStrapis(name, () => {
            const made = factory(...args);
            return made && adapt(made, args[0]);
          });
        }
        const made = factory(...args);
        if (typeof made === 'function') this.#ownNames.set(made, name);
        return made;
      });
  }

  #makeStrapis(name: string, make: () => Middleware | undefined): Middleware | undefined {
    const before = this.middlewares.length;
    const routes = this.#layers.length;
    const handler = make();
    for (const layer of this.#layers.slice(routes)) {
      layer.stack = layer.stack.map(shownBytes);
      this.#layersOfStrapi.add(layer);
    }
    // Some mount themselves instead of returning a handler.
    for (const mounted of [...this.middlewares.slice(before), handler])
      if (typeof mounted === 'function') this.#names.set(mounted, name);
    return handler;
  }

  /** Puts a middleware right behind Strapi's request context, to record what other plugins' middlewares read. */
  mountOutermost(middleware: Middleware): void {
    const stack = this.middlewares;
    const place = stack.indexOf(middleware);
    if (place >= 0) stack.splice(place, 1);
    const context = stack.findIndex((other) => this.nameOf(other) === REQUEST_CONTEXT);
    stack.splice(context + 1, 0, middleware);
  }

  /**
   * Notes what the application's own middlewares read of a request, because the handler may make its answer of it.
   *
   * @param paths the paths of cached routes.
   * @param watched wraps a middleware that has a name, to watch it for something else.
   */
  watchOwnMiddlewares(paths: readonly string[], watched: (middleware: Middleware, name: string) => Middleware): void {
    for (const stack of [this.middlewares, ...this.#aroundRoutes(paths).map((layer) => layer.stack)])
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
   * Strapi's own listener, if it gets the requests and there is no other; `undefined` otherwise. Code that adds a
   * listener wants to see every request, and one in the place of Strapi's may decide which requests Strapi gets.
   */
  get soleListener(): RequestListener | undefined {
    const { httpServer } = this.#strapi.server;
    const [listener, ...others] = httpServer.listeners('request') as RequestListener[];
    if (listener === undefined || others.length > 0 || this.isServedElsewhere) return undefined;
    return Function.prototype.toString.call(listener).includes('koaApp.callback()') ? listener : undefined;
  }

  /** `config/middlewares`, each by name and configuration. */
  get configured(): ConfiguredMiddleware[] {
    return this.#strapi.config.get<unknown[]>('middlewares', []).map((item) => {
      if (typeof item === 'string') return { name: item, config: {} };
      const { name, resolve, config } = Object(item) as Partial<ConfiguredMiddleware> & { readonly resolve?: string };
      return { name: name ?? resolve, config: config ?? {} };
    });
  }

  /** The configuration of a global middleware; `undefined` if it is not configured. */
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
    return this.#aroundRoutes(paths)
      .filter((layer) => matchesAny(layer, paths))
      .flatMap(({ stack }) => stack)
      .filter((middleware) => this.nameOf(middleware) === undefined);
  }
}

const matchesAny = (layer: Layer, paths: readonly string[]): boolean =>
  paths.some((path) => layer.regexp.test(path) || mayMatchAlso(layer, path));

/** Whether a layer may match a path that a route matches. A regular expression of the user's is only tried on the pattern. */
const mayMatchAlso = ({ path, methods }: Layer, route: string): boolean =>
  // What `use` adds for a path stands in front of all below it.
  typeof path === 'string' && mayMeet(methods.length === 0 ? `${path}/(.*)?` : path, route);
