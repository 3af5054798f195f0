import { createRequire } from 'node:module';
import type { Core } from '@strapi/strapi';
import type { Middleware } from 'koa';
import Koa from 'koa';
import { describe, expect, it } from 'vitest';
import { Instrumentation, type InstrumentedLayer } from '../../../server/src/stack/instrumentation';

interface KoaRouter {
  readonly stack: InstrumentedLayer[];
  use(...middlewares: Middleware[]): unknown;
  routes(): Middleware;
}

/** Strapi's own copy of the router. */
const core = createRequire(createRequire(import.meta.url).resolve('@strapi/strapi'));
const Router = core('@koa/router') as new () => KoaRouter;

type Wrap = (inner: Middleware) => Middleware;

/** An application and a router with replaced methods, as tracers replace them. */
const instrumented = (wrap: Wrap) => {
  class Application extends Koa {
    override use(middleware: never): never {
      return super.use(wrap(middleware)) as never;
    }
  }
  class Routes extends Router {
    register(...registered: unknown[]): unknown {
      const layer = (Router.prototype as unknown as { register(...all: unknown[]): InstrumentedLayer }).register.apply(
        this,
        registered,
      );
      layer.stack = layer.stack.map(wrap);
      return layer;
    }
  }
  const app = new Application();
  const router = new Routes();
  const nested = new Routes();
  // As Strapi's APIs are made.
  const api = {
    use: (middleware: Middleware) => nested.use(middleware),
    mount: (target: KoaRouter) => target.use(nested.routes()),
  };
  const strapi = { server: { app, router, api: () => api } } as unknown as Core.Strapi;
  return { app, router, api, instrumentation: new Instrumentation(strapi) };
};

const strapis: Middleware = (_ctx, next) => next();

/** Mounts a function of Strapi's, and returns the functions that end up in its place. */
const placed = (wrap: Wrap) => {
  const { app, router, api, instrumentation } = instrumented(wrap);
  api.use(strapis);
  api.mount(router);
  app.use(strapis as never);
  instrumentation.noteLayers(router.stack);
  return {
    instrumentation,
    onApplication: app.middleware.at(-1) as Middleware,
    onRouter: router.stack[0]?.stack[0] as Middleware,
  };
};

const tracing: Wrap = (inner) => async (ctx, next) => {
  void ctx.req;
  return (await inner(ctx, next)) as unknown;
};

describe('what instrumentation puts around a function', () => {
  it('stands for it, on the application and, through copies of its layer, on a router', () => {
    const { instrumentation, onApplication, onRouter } = placed(tracing);
    expect(onApplication).not.toBe(strapis);
    expect(instrumentation.inside(onApplication)).toBe(strapis);
    expect(onRouter).not.toBe(strapis);
    expect(instrumentation.inside(onRouter)).toBe(strapis);
  });

  it('does not where it came to its place in another way', () => {
    const { app, instrumentation } = instrumented(tracing);
    const byHand = tracing(strapis);
    app.middleware.push(byHand as never);
    expect(instrumentation.inside(byHand)).toBeUndefined();
  });

  it('does not in the place of a layer, where nobody puts anything around functions', () => {
    const { app, router, instrumentation } = instrumented((inner) => inner);
    app.use(strapis as never);
    router.use(strapis);
    const other: Middleware = (ctx, next) => (ctx.query.secret === undefined ? next() : undefined);
    for (const layer of router.stack) layer.stack = [other];
    instrumentation.noteLayers(router.stack);
    expect(instrumentation.inside(other)).toBeUndefined();
  });

  it('is nothing where nobody has changed Koa', () => {
    const { instrumentation, onApplication, onRouter } = placed((inner) => inner);
    expect([onApplication, onRouter]).toEqual([strapis, strapis]);
    expect(instrumentation.inside(strapis)).toBeUndefined();
  });
});
