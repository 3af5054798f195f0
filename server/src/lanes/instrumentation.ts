import type { Core } from '@strapi/strapi';
import type { Middleware } from 'koa';
import type { Layer } from '../http/koa-router';
import { noteMounted } from './mounted-by';

/** Where a layer of koa-router holds its functions as they were registered, before anything was put around them. */
const REGISTERED = Symbol('rest-cache registered');

export type InstrumentedLayer = Pick<Layer, 'stack'> & { [REGISTERED]?: readonly Middleware[] };

interface RouterPrototype {
  register?(path: unknown, methods: unknown, middleware: unknown, options?: unknown): unknown;
}

type Application = Core.Strapi['server']['app'];

/**
 * Recognises the wrappers that OpenTelemetry, dd-trace, Sentry and the like put around middlewares. These all change
 * Koa's `use` and the layers of its router. Strapi's own functions are then no longer found on the stack, but wrappers
 * around them.
 *
 * What `app.use` puts on the stack for a function is that function's wrapper, and stands for it. Where it does so, what is
 * found in the place of a router's function is taken for its wrapper as well.
 */
export class Instrumentation {
  readonly #wrapped = new WeakMap<Middleware, Middleware>();
  readonly #app: Application;
  /** Whether `app.use` has put anything else on the stack than it was given. */
  #isThere = false;

  constructor({ server }: Core.Strapi) {
    const { app } = server;
    // Strapi does not include koa-router's types.
    const router = server.router as unknown as object;
    this.#app = app;
    noteRegistered(router);
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
      if (pushed !== undefined && pushed !== middleware && others.length === 0) {
        this.#wrapped.set(pushed, middleware);
        this.#isThere = true;
      }
      return result;
    }) as unknown as Application['use'];
  }

  /** Notes the wrappers in the layers of a router, as they are now. */
  noteLayers(layers: readonly InstrumentedLayer[]): void {
    if (!this.#isThere) return;
    for (const { stack, [REGISTERED]: registered = [] } of layers)
      if (stack.length === registered.length)
        for (const [place, wrapper] of stack.entries()) {
          const inner = registered[place];
          if (inner !== undefined && inner !== wrapper) this.#wrapped.set(wrapper, inner);
        }
  }

  /** The function inside a wrapper; `undefined` if this is not a known wrapper. */
  inside(middleware: Middleware): Middleware | undefined {
    return this.#wrapped.get(middleware);
  }

  /** Notes the functions of a layer that was there before the plugin: wrappers may be put around them later. */
  noteRegistered(layer: InstrumentedLayer): void {
    layer[REGISTERED] = [...layer.stack];
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
