import { createRequire } from 'node:module';
import type { Core } from '@strapi/strapi';
import type { Context, Middleware } from 'koa';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { repeatRouting } from '../../../server/src/lanes/repeat-routing';

/** The part of koa-router that these tests use; its types do not come with Strapi. */
interface Router {
  stack: unknown[];
  get(path: string, ...middlewares: Middleware[]): Router;
  post(path: string, ...middlewares: Middleware[]): Router;
  use(...middlewares: Middleware[]): Router;
  routes(): (ctx: Context, next: () => Promise<unknown>) => Promise<unknown>;
  match(path: string, method: string): { path: unknown[]; pathAndMethod: unknown[]; route: boolean };
}

const fromStrapi = createRequire(createRequire(import.meta.url).resolve('@strapi/core/package.json'));
const makeRouter = (): Router => new (fromStrapi('@koa/router') as new () => Router)();

// Spelled as in Strapi's build.
const nothing = eval('(_, next)=>next()') as Middleware;

describe('routing that is repeated', () => {
  let router: Router;
  let seen: string[];
  const noting =
    (name: string): Middleware =>
    (ctx, next) => {
      seen.push(`${name} ${JSON.stringify((ctx as Context & { params: unknown }).params)}`);
      return next();
    };
  const ask = async (path: string, method = 'GET'): Promise<Context> => {
    const ctx = { path, method, host: 'localhost', request: {} } as unknown as Context;
    await router.routes()(ctx, () => Promise.resolve());
    return ctx;
  };

  beforeEach(() => {
    seen = [];
    router = makeRouter();
    router.use(nothing).use(noting('around')).get('/things/:id', noting('thing')).post('/things', noting('create'));
  });
  const repeat = (): void => repeatRouting({ server: { router } } as unknown as Core.Strapi);

  it('finds and leaves what the router does, the first time and again', async () => {
    const plain = [await ask('/things/1'), await ask('/things/2'), await ask('/things', 'POST'), await ask('/others')];
    const before = seen;
    seen = [];
    repeat();
    for (let time = 0; time < 2; time += 1) {
      const again = [
        await ask('/things/1'),
        await ask('/things/2'),
        await ask('/things', 'POST'),
        await ask('/others'),
      ];
      expect(again).toEqual(plain.map((ctx) => ({ ...ctx, router: expect.anything() as unknown })));
      expect(seen.splice(0)).toEqual(before);
    }
    expect(before).toHaveLength(6);
  });

  it('tries the patterns once for a path and a method', () => {
    const match = vi.spyOn(router, 'match');
    repeat();
    for (const [path, method] of [
      ['/things/1', 'GET'],
      ['/things/1', 'GET'],
      ['/things/1', 'HEAD'],
    ] as const)
      router.match(path, method);
    expect(match.mock.calls).toEqual([
      ['/things/1', 'GET'],
      ['/things/1', 'HEAD'],
    ]);
  });

  it('keeps no path for ever that somebody makes longer and longer', () => {
    const match = vi.spyOn(router, 'match');
    repeat();
    const long = `/things/${'x'.repeat(1000)}`;
    router.match(long, 'GET');
    router.match(long, 'GET');
    expect(match).toHaveBeenCalledTimes(2);
  });

  it('finds routes that are added later', async () => {
    repeat();
    await ask('/later');
    router.get('/later', noting('later'));
    await ask('/later');
    expect(seen).toEqual(['around {}', 'later {}']);
  });

  it('leaves out only what does nothing and captures nothing', () => {
    router = makeRouter();
    router.use(nothing).get('/a', noting('a'));
    const wrapped: Middleware = (ctx, next) => nothing(ctx, next);
    router.use(wrapped);
    (router as unknown as { use(path: string, ...middlewares: Middleware[]): void }).use('/:what', nothing);
    const all = router.match('/a', 'GET').pathAndMethod;
    repeat();
    const left = router.match('/a', 'GET').pathAndMethod;
    expect(left).toEqual(all.slice(1));
    expect(all).toHaveLength(4);
  });

  it('gives each request a list of its own', () => {
    repeat();
    router.match('/things/1', 'GET').path.push('added by another router');
    expect(router.match('/things/1', 'GET').path).not.toContain('added by another router');
  });
});
