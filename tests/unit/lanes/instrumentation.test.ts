import { createRequire } from 'node:module';
import type { Core } from '@strapi/strapi';
import type { Middleware } from 'koa';
import Koa from 'koa';
import { describe, expect, it } from 'vitest';
import { Instrumentation, type InstrumentedLayer } from '../../../server/src/lanes/instrumentation';

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
  const strapi = { server: { app, router } } as unknown as Core.Strapi;
  return { app, router, Routes, instrumentation: new Instrumentation(strapi) };
};

const strapis: Middleware = (_ctx, next) => next();

/** Mounts a function of Strapi's, and returns the functions that end up in its place. */
const placed = (wrap: Wrap) => {
  const { app, router, Routes, instrumentation } = instrumented(wrap);
  const nested = new Routes();
  nested.use(strapis);
  router.use(nested.routes());
  instrumentation.noteLayers(router.stack);
  app.use(strapis as never);
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

  it.each<readonly [string, Wrap]>([
    ['looks at the address', (inner) => (ctx, next) => (ctx.ip === '10.0.0.1' ? undefined : inner(ctx, next))],
    [
      'looks at the headers of the message',
      (inner) => (ctx, next) => (ctx.req.headers.dnt ? undefined : inner(ctx, next)),
    ],
    ['writes a header', (inner) => (ctx, next) => (ctx.set('X-Wrapped', '1'), inner(ctx, next))],
    ['marks the context', (inner) => (ctx, next) => (Object.assign(ctx, { marked: 1 }), inner(ctx, next))],
    ['decides later', (inner) => async (ctx, next) => (await Promise.resolve(), inner(ctx, next))],
    ['never calls it', () => (_ctx, next) => next()],
    ['calls it with another context', (inner) => (ctx, next) => inner(Object.create(ctx) as typeof ctx, next)],
    ['keeps the rest from being called', (inner) => (ctx) => inner(ctx, async () => undefined)],
    [
      'throws',
      () => () => {
        throw new Error('no');
      },
    ],
  ])('does not where it %s', (_what, wrap) => {
    const { instrumentation, onApplication, onRouter } = placed(wrap);
    expect(instrumentation.inside(onApplication)).toBeUndefined();
    expect(instrumentation.inside(onRouter)).toBeUndefined();
    // For the log it is still known which function is inside.
    expect(instrumentation.around(onApplication)).toBe(strapis);
  });

  it('does not where the same code came to its place in another way', () => {
    const { app, instrumentation } = instrumented(tracing);
    const byHand = tracing(strapis);
    app.middleware.push(byHand as never);
    expect(instrumentation.isTransparent(byHand)).toBe(true);
    expect(instrumentation.inside(byHand)).toBeUndefined();
  });

  it('does not where another function was put in the place of a layer', () => {
    const { router, instrumentation } = instrumented(tracing);
    router.use(strapis);
    const other: Middleware = (ctx, next) => (ctx.query.secret === undefined ? next() : undefined);
    for (const layer of router.stack) layer.stack = [other];
    instrumentation.noteLayers(router.stack);
    expect(instrumentation.inside(other)).toBeUndefined();
  });

  it('is nothing where nobody has changed Koa', () => {
    const { instrumentation, onApplication, onRouter } = placed((inner) => inner);
    expect([onApplication, onRouter]).toEqual([strapis, strapis]);
    expect(instrumentation.isTransparent(strapis)).toBe(false);
  });
});
