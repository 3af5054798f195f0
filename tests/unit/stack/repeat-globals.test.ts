import type { Core } from '@strapi/strapi';
import type { Context, Middleware } from 'koa';
import { describe, expect, it } from 'vitest';
import { plainRequests, repeatingHeaders, repeatingNoBody } from '../../../server/src/stack/repeat-globals';
import { koaContext } from '../http/koa-context';

const configured = (config: Record<string, string> = {}) =>
  plainRequests({ config: { get: (name: string, otherwise: string) => config[name] ?? otherwise } } as Core.Strapi);

const isPlain = configured() ?? (() => false);

/** Runs a middleware on a new context. `route` is the route behind it. */
const run = async (middleware: Middleware, ctx: Context, route: () => unknown = () => undefined): Promise<Context> => {
  await middleware(ctx, async () => void (await route()));
  return ctx;
};

describe('plain requests', () => {
  it.each([
    ['/api/tags', {}, 'GET', true],
    ['/api/tags?a=1', {}, 'HEAD', true],
    ['/api/tags', {}, 'POST', false],
    ['/api/tags', { 'content-type': 'multipart/form-data' }, 'GET', false],
    ['/documentation', {}, 'GET', false],
    ['/apis', {}, 'GET', false],
  ])('%s with %o by %s: %s', (url, headers, method, expected) => {
    expect(isPlain(koaContext(url, headers, method))).toBe(expected);
  });

  it.each([
    [{ 'api.rest.prefix': '' }],
    [{ 'plugin::graphql.endpoint': '/api/graphql' }],
    [{ 'admin.path': '/api/admin' }],
  ])('are not known with %o', (config) => {
    expect(configured(config)).toBeUndefined();
  });
});

describe('headers that are the same each time', () => {
  it('are set again without asking, for plain requests alone', async () => {
    const asked: string[] = [];
    const middleware = repeatingHeaders((ctx, next) => {
      asked.push(ctx.url);
      ctx.res.setHeader('X-Frame-Options', 'SAMEORIGIN');
      ctx.res.removeHeader('X-Before');
      return next();
    }, isPlain);
    const behind = (ctx: Context) => () => void ctx.set('X-Of-The-Route', 'yes');
    for (const url of ['/api/a', '/api/b', '/documentation', '/api/c']) {
      const ctx = koaContext(url);
      ctx.set('X-Before', 'yes');
      await run(middleware, ctx, behind(ctx));
      expect(ctx.response.headers).toEqual({ 'x-frame-options': 'SAMEORIGIN', 'x-of-the-route': 'yes' });
    }
    expect(asked).toEqual(['/api/a', '/documentation']);
    // Headers set by the route of the first request are not learned.
    expect((await run(middleware, koaContext('/api/d'))).response.headers).toEqual({ 'x-frame-options': 'SAMEORIGIN' });
  });
});

type Request = Context['request'] & { body?: unknown; files?: unknown };

describe('a request without a body', () => {
  /** Behaves like `strapi::body`. */
  const parser = (left: () => unknown) => {
    const asked: string[] = [];
    const handler: Middleware = async (ctx, next) => {
      asked.push(ctx.url);
      (ctx.request as Request).body = left();
      await next();
    };
    return { asked, middleware: repeatingNoBody(handler, isPlain) };
  };

  it('has an empty object, for which nobody is asked twice', async () => {
    const { asked, middleware } = parser(() => ({}));
    for (const url of ['/api/a', '/api/b', '/elsewhere'])
      expect((await run(middleware, koaContext(url))).request).toMatchObject({ body: {} });
    expect(asked).toEqual(['/api/a', '/elsewhere']);
  });

  it('has an object of its own', async () => {
    const { middleware } = parser(() => ({}));
    const bodies = await Promise.all(
      ['/api/a', '/api/b', '/api/c'].map(
        async (url) => ((await run(middleware, koaContext(url))).request as Request).body,
      ),
    );
    expect(new Set(bodies).size).toBe(3);
  });

  it('is left to a parser that makes something else of it', async () => {
    for (const left of [undefined, { parsed: true }, { [Symbol('raw')]: undefined }]) {
      const { asked, middleware } = parser(() => left);
      for (const url of ['/api/a', '/api/b']) await run(middleware, koaContext(url));
      expect(asked).toEqual(['/api/a', '/api/b']);
    }
  });
});
