import type { Core } from '@strapi/strapi';
import type { Context, Middleware } from 'koa';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Layer } from '../http/koa-router';
import { noteMounted } from './mounted-by';

/** Where a layer of koa-router holds its functions as they were registered, before anything was put around them. */
const REGISTERED = Symbol('rest-cache registered');

export type InstrumentedLayer = Pick<Layer, 'stack'> & { [REGISTERED]?: readonly Middleware[] };

interface RouterPrototype {
  register?(path: unknown, methods: unknown, middleware: unknown, options?: unknown): unknown;
}

type Application = Core.Strapi['server']['app'];

const textOf = (middleware: Middleware): string => Function.prototype.toString.call(middleware);

/**
 * Recognises the wrappers that OpenTelemetry, dd-trace, Sentry and the like put around middlewares. These all change
 * Koa's `use` and the layers of its router. Strapi's own functions are then no longer found on the stack, but wrappers
 * around them.
 *
 * A function counts as a transparent wrapper of another only if it was put on the stack when the other was mounted, and
 * if it has the same code as a wrapper of one of the plugin's probes: that wrapper was seen to call the probe at once,
 * with the same context, without looking at the request.
 */
export class Instrumentation {
  readonly #wrapped = new WeakMap<Middleware, Middleware>();
  /** Source texts of the wrappers that were seen to pass everything on. */
  readonly #codes = new Set<string>();
  readonly #app: Application;

  constructor({ server }: Core.Strapi) {
    const { app } = server;
    // Strapi does not include koa-router's types.
    const router = server.router as unknown as object;
    this.#app = app;
    noteRegistered(router);
    for (const wrapper of wrappersOfProbes(app, router)) this.#codes.add(textOf(wrapper));
    this.#noteUses();
  }

  /** From now on, `app.use` notes which file mounts a function, and which wrapper is put on the stack for it. */
  #noteUses(): void {
    const app = this.#app;
    const own = Object.hasOwn(app, 'use') ? app.use : undefined;
    app.use = ((middleware: Middleware) => {
      noteMounted(middleware);
      const before = app.middleware.length;
      const use = own ?? (Object.getPrototypeOf(app) as Application).use;
      const result: unknown = use.call(app, middleware as never);
      const [pushed, ...others] = (app.middleware as Middleware[]).slice(before);
      if (pushed !== undefined && others.length === 0) this.#note(pushed, middleware);
      return result;
    }) as unknown as Application['use'];
  }

  /** Notes the wrappers in the layers of a router, as they are now. */
  noteLayers(layers: readonly InstrumentedLayer[]): void {
    for (const { stack, [REGISTERED]: registered = [] } of layers)
      if (stack.length === registered.length)
        for (const [place, middleware] of stack.entries()) this.#note(middleware, registered[place] ?? middleware);
  }

  #note(wrapper: Middleware, inner: Middleware): void {
    if (wrapper !== inner) this.#wrapped.set(wrapper, inner);
  }

  /** The function inside a wrapper that no request could notice; `undefined` for other functions. */
  inside(middleware: Middleware): Middleware | undefined {
    return this.isTransparent(middleware) ? this.#wrapped.get(middleware) : undefined;
  }

  /** The function inside a wrapper, whatever the wrapper does; `undefined` if this is not a known wrapper. */
  around(middleware: Middleware): Middleware | undefined {
    return this.#wrapped.get(middleware);
  }

  /** Whether this is a wrapper that passes everything on to the function inside it. */
  isTransparent(middleware: Middleware): boolean {
    return this.#codes.size > 0 && this.#codes.has(textOf(middleware));
  }

  /** Notes the functions of a layer that was there before the plugin: wrappers may be put around them later. */
  noteRegistered(layer: InstrumentedLayer): void {
    layer[REGISTERED] = [...layer.stack];
  }

  /** A context that a middleware can be tried on. */
  standIn(): Context {
    const message = new IncomingMessage(new Socket());
    return this.#app.createContext(message, { setHeader: () => undefined } as never);
  }
}

const noted = new WeakSet<object>();

/**
 * From now on, each layer holds its functions as they were registered. When a router takes in the layers of another, it
 * copies them together with this note.
 */
const noteRegistered = (router: object): void => {
  const prototype = Object.getPrototypeOf(router) as RouterPrototype;
  const { register } = prototype;
  if (noted.has(prototype) || typeof register !== 'function') return;
  noted.add(prototype);
  prototype.register = function (this: unknown, path, methods, middleware, options) {
    const made = register.call(this, path, methods, middleware, options);
    // A layer without methods is a middleware. Which file has mounted a route does not matter.
    if (Array.isArray(methods) && methods.length === 0)
      for (const each of [middleware as Middleware].flat()) noteMounted(each);
    // For a list of paths, `register` is called again with each of them.
    if (!Array.isArray(path)) (made as InstrumentedLayer)[REGISTERED] = [middleware as Middleware].flat();
    return made;
  };
};

/** The transparent wrappers that are put around two probes, where no request ever comes. */
const wrappersOfProbes = (app: Application, router: object): Middleware[] => {
  const probes = [new Probe(), new Probe()] as const;
  const middlewares: Middleware[] = [];
  const application = Object.create(app, { middleware: { value: middlewares } }) as Application;
  const Router = router.constructor as new () => { use(middleware: Middleware): unknown; routes(): Middleware } & {
    readonly stack: readonly InstrumentedLayer[];
  };
  const scratch = new Router();
  const use = (middleware: Middleware): unknown => application.use(middleware as never);
  use(probes[0].middleware);
  scratch.use(probes[1].middleware);
  const onApplication = [...middlewares];
  use(scratch.routes());
  const onRouter = scratch.stack.flatMap(({ stack }) => stack);
  return [
    ...onApplication.filter((made) => probes[0].isPassedThrough(made)),
    ...onRouter.filter((made) => probes[1].isPassedThrough(made)),
  ];
};

/** A middleware that is mounted only to see what is put around it. */
class Probe {
  #given: unknown[] = [];

  readonly middleware: Middleware = (ctx, next) => {
    this.#given.push(ctx);
    return next();
  };

  /**
   * Whether a wrapper of this function calls it at once and only once, with the same context, and looks at nothing of
   * the request except {@link LOOKED_AT}.
   */
  isPassedThrough(wrapper: Middleware): boolean {
    if (wrapper === this.middleware) return false;
    this.#given = [];
    const touched = new Set<string | symbol>();
    const reached: unknown[] = [];
    const ctx = watched({ req: watched(new IncomingMessage(new Socket()), touched) }, touched);
    try {
      const ended: unknown = wrapper(ctx as never, () => Promise.resolve(void reached.push(true)));
      Promise.resolve(ended).catch(() => undefined);
    } catch {
      return false;
    }
    return this.#given.length === 1 && this.#given[0] === ctx && reached.length === 1 && touched.size === 0;
  }
}

/** The properties in which tracers look for their own data about a request. */
const LOOKED_AT: ReadonlySet<string | symbol> = new Set(['req', 'routePath', '_matchedRoute']);

const watched = <T extends object>(target: T, touched: Set<string | symbol>): T =>
  new Proxy(target, {
    get: (from, name) => {
      if (!LOOKED_AT.has(name)) touched.add(name);
      return Reflect.get(from, name) as unknown;
    },
    // Assignments call this trap as well.
    defineProperty: (_from, name) => {
      touched.add(name);
      return true;
    },
  });
