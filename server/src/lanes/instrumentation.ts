import type { Core } from '@strapi/strapi';
import type { Context, Middleware } from 'koa';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Layer } from '../http/koa-router';
import { noteMounted } from './mounted-by';

/** What the functions of a layer of koa-router were when they were registered, before anybody put something around them. */
const REGISTERED = Symbol('rest-cache registered');

export type InstrumentedLayer = Pick<Layer, 'stack'> & { [REGISTERED]?: readonly Middleware[] };

interface RouterPrototype {
  register?(path: unknown, methods: unknown, middleware: unknown, options?: unknown): unknown;
}

type Application = Core.Strapi['server']['app'];

const textOf = (middleware: Middleware): string => Function.prototype.toString.call(middleware);

/**
 * Tells what OpenTelemetry, dd-trace, Sentry and their like have put around a middleware from a middleware. They all
 * change Koa's `use` and the layers of its router, so that Strapi's own functions are no longer found on the stack, but
 * one of theirs around each.
 *
 * A function is taken for a wrapper of another only if it came to its place when the other was put there, and is the
 * same code that was put around a function of ours, which it was seen to call at once, with the same context, without
 * looking at the request.
 */
export class Instrumentation {
  readonly #wrapped = new WeakMap<Middleware, Middleware>();
  /** Texts of the code that was seen to pass everything on. */
  readonly #codes = new Set<string>();
  readonly #app: Application;

  constructor({ server }: Core.Strapi) {
    const { app } = server;
    // Strapi does not bring koa-router's types along.
    const router = server.router as unknown as object;
    this.#app = app;
    noteRegistered(router);
    for (const wrapper of wrappersOfProbes(app, router)) this.#codes.add(textOf(wrapper));
    this.#noteUses();
  }

  /** From here on it is known who mounts a function, and what is put on the stack for it is known to stand for it. */
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

  /** The same of the layers of a router, as they are now. */
  noteLayers(layers: readonly InstrumentedLayer[]): void {
    for (const { stack, [REGISTERED]: registered = [] } of layers)
      if (stack.length === registered.length)
        for (const [place, middleware] of stack.entries()) this.#note(middleware, registered[place] ?? middleware);
  }

  #note(wrapper: Middleware, inner: Middleware): void {
    if (wrapper !== inner) this.#wrapped.set(wrapper, inner);
  }

  /** The function that this one stands for, where it does nothing else that a request could notice. */
  inside(middleware: Middleware): Middleware | undefined {
    return this.isTransparent(middleware) ? this.#wrapped.get(middleware) : undefined;
  }

  /** The same whatever it does. */
  around(middleware: Middleware): Middleware | undefined {
    return this.#wrapped.get(middleware);
  }

  /** Whether it is a wrapper that passes everything on to whatever it is around. */
  isTransparent(middleware: Middleware): boolean {
    return this.#codes.size > 0 && this.#codes.has(textOf(middleware));
  }

  /** For a layer that was there before anybody noted: whatever is put around its functions stands for these. */
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

/** Copies of a layer, as routers make them of those they take in, carry the note along. */
const noteRegistered = (router: object): void => {
  const prototype = Object.getPrototypeOf(router) as RouterPrototype;
  const { register } = prototype;
  if (noted.has(prototype) || typeof register !== 'function') return;
  noted.add(prototype);
  prototype.register = function (this: unknown, path, methods, middleware, options) {
    const made = register.call(this, path, methods, middleware, options);
    // A middleware has no methods; of routes nobody asks who has mounted them.
    if (Array.isArray(methods) && methods.length === 0)
      for (const each of [middleware as Middleware].flat()) noteMounted(each);
    // Several paths are registered one by one.
    if (!Array.isArray(path)) (made as InstrumentedLayer)[REGISTERED] = [middleware as Middleware].flat();
    return made;
  };
};

/** What is put around functions of ours, on an application and a router that no request ever comes to. */
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

/** A function to see what somebody puts around it. */
class Probe {
  #given: unknown[] = [];

  readonly middleware: Middleware = (ctx, next) => {
    this.#given.push(ctx);
    return next();
  };

  /** Whether a function that was put around this one calls it, once, and looks at nothing of the request. */
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

/** Where tracers look for what they know of a request. */
const LOOKED_AT: ReadonlySet<string | symbol> = new Set(['req', 'routePath', '_matchedRoute']);

const watched = <T extends object>(target: T, touched: Set<string | symbol>): T =>
  new Proxy(target, {
    get: (from, name) => {
      if (!LOOKED_AT.has(name)) touched.add(name);
      return Reflect.get(from, name) as unknown;
    },
    // Assignments end here as well.
    defineProperty: (_from, name) => {
      touched.add(name);
      return true;
    },
  });
