import type { Core } from '@strapi/strapi';
import type { Middleware } from 'koa';
import type { Layer } from '../http/koa-router';
import { noteMounted } from './mounted-by';

/** Where a layer of koa-router holds its functions as they were registered, before anything was put around them. */
const REGISTERED = Symbol('rest-cache registered');

export type InstrumentedLayer = Pick<Layer, 'stack' | 'methods'> & { [REGISTERED]?: readonly Middleware[] };

/** A router of koa-router, whose types Strapi does not include. */
interface NotedRouter {
  readonly stack: readonly InstrumentedLayer[];
  use(...given: unknown[]): unknown;
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
    this.#app = server.app;
    noteRegistered(server.router as NotedRouter);
    for (const api of [server.api('content-api'), server.api('admin')]) {
      const router = routerOf(api);
      if (router !== undefined) noteRegistered(router);
    }
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

/** The router of one of Strapi's APIs: what the API mounts on another router knows it. */
const routerOf = (api: { mount(router: never): unknown }): NotedRouter | undefined => {
  let router: NotedRouter | undefined;
  const use = (dispatch: { readonly router?: NotedRouter }): void => void (router = dispatch.router);
  api.mount({ use } as never);
  return router;
};

/**
 * From now on, each layer that `use` adds for a function holds that function. When a router takes in the layers of
 * another, it copies them together with this note.
 */
const noteRegistered = (router: NotedRouter): void => {
  const { use } = router;
  router.use = (...given) => {
    const before = router.stack.length;
    const result = use.apply(router, given);
    // A function with a router brings that router's layers, which have their own notes.
    const functions = given.filter((each): each is Middleware => typeof each === 'function' && !('router' in each));
    for (const each of functions) noteMounted(each);
    const added = router.stack.slice(before).filter(isUnnoted);
    if (added.length === functions.length)
      for (const [place, layer] of added.entries()) layer[REGISTERED] = functions.slice(place, place + 1);
    return result;
  };
};

/** A layer without methods is a middleware. */
const isUnnoted = ({ methods, [REGISTERED]: registered }: InstrumentedLayer): boolean =>
  registered === undefined && methods.length === 0;
