import type { Context, Middleware } from 'koa';
import { expect, it } from 'vitest';
import type { ResolvedRoute } from '../../../server/src/config/resolved-config';
import { exchangeOf } from '../../../server/src/http/exchange';
import { noteParameters } from '../../../server/src/http/parameters-in-front';
import { hidingParameters, uncountedParameters } from '../../../server/src/http/query-parameters';
import { notingReads } from '../../../server/src/http/unkeyed-reads';
import { koaContext } from './koa-context';

const aRoute = () => ({ keys: { useQueryParams: ['page'] } }) as unknown as ResolvedRoute;

const querystringSeen = (target: string, change: (query: Record<string, unknown>) => void): Promise<string> => {
  const ctx = koaContext(target);
  change(ctx.query);
  return hidingParameters(ctx, aRoute(), () => Promise.resolve(ctx.querystring));
};

it.each<[description: string, change: (query: Record<string, unknown>) => void]>([
  ['as it came', () => undefined],
  ['to which a middleware has added a parameter in place', (query) => (query.populate = '*')],
])('the query string of a request %s keeps what is in the key', async (_description, change) => {
  expect(await querystringSeen('/api/articles?page=2&utm=x', change)).toBe('page=2');
});

/** Replaces a getter of a request by one that keeps what it has given once, in a place that nobody else knows. */
const keeping = (holder: object, name: string): void => {
  const kept: unknown = Reflect.get(holder, name);
  Object.defineProperty(holder, name, { configurable: true, get: () => kept, set: () => undefined });
};

const reasonOn = async (ctx: Context, route: ResolvedRoute): Promise<string | undefined> => {
  await hidingParameters(ctx, route, () => Promise.resolve());
  return uncountedParameters(ctx, route)?.detail;
};

it.each<[way: string, break_: (ctx: Context) => void]>([
  ['ctx.query', (ctx) => keeping(ctx.request, 'query')],
  ['ctx.query', (ctx) => keeping(ctx, 'query')],
  ['ctx.querystring', (ctx) => keeping(ctx, 'querystring')],
  ['ctx.search', (ctx) => keeping(ctx, 'search')],
  ['ctx.url', (ctx) => keeping(ctx, 'url')],
  ['ctx.originalUrl', (ctx) => keeping(ctx, 'originalUrl')],
  ['ctx.href', (ctx) => keeping(ctx, 'href')],
  ['ctx.URL', (ctx) => keeping(ctx, 'URL')],
])('nothing is stored where the handler goes on seeing hidden parameters in %s', async (way, break_) => {
  const route = aRoute();
  const ctx = koaContext('/api/articles?page=2&utm=x', { host: 'example.com' });
  break_(ctx);
  expect(await reasonOn(ctx, route)).toContain(way);
  // Another request of this route is looked at again.
  expect(await reasonOn(koaContext('/api/articles?page=2&utm=x', { host: 'example.com' }), route)).toBeUndefined();
});

/** What is said of a policy that reads a request whose parameter `preview` is not in the key. */
const notedOf = (read: (ctx: Context) => unknown): string | undefined => {
  const ctx = koaContext('/api/articles?page=2&preview=1', { host: 'example.com' });
  // Strapi leaves a plain object there.
  Object.assign(ctx.request, { _querycache: { [ctx.querystring]: { page: '2', preview: '1' } } });
  const end = noteParameters(ctx, 'its policy');
  read(ctx);
  end();
  return uncountedParameters(ctx, aRoute())?.detail;
};

it.each<[way: string, read: (ctx: Context) => unknown]>([
  ['ctx.query', (ctx) => ctx.query.preview],
  ['ctx.querystring', (ctx) => ctx.querystring.includes('preview')],
  ['ctx.querystring, before ctx.query', (ctx) => [ctx.querystring, ctx.query.page]],
  ['ctx.querystring, after ctx.query', (ctx) => [ctx.query.page, ctx.querystring]],
  ['ctx.search', (ctx) => ctx.search],
])('nothing is stored where a policy reads a hidden parameter by %s', (_way, read) => {
  expect(notedOf(read)).toContain('reads the parameter preview (in its policy)');
});

it('a policy may read the parameters in the key, and log the URL', () => {
  expect(notedOf((ctx) => [(ctx.query = { page: '3' }), ctx.query.page, ctx.querystring])).toBeUndefined();
  expect(notedOf((ctx) => [ctx.query.page, ctx.request.query.page, ctx.url, ctx.path])).toBeUndefined();
});

/** A request whose query cannot be parsed: `strapi::query` may be told to throw. */
const unparsable = (): Context => {
  const ctx = koaContext('/_health?a[b][c]=1');
  Object.defineProperty(ctx.request, 'query', {
    get(this: Context['request']): never {
      throw new RangeError(this.querystring);
    },
  });
  return ctx;
};

const passing: Middleware = (_ctx, next) => next();

it('a query that cannot be parsed is parsed only for code that asks for it', async () => {
  const ctx = unparsable();
  await expect(notingReads(passing, 'a middleware')(ctx, () => Promise.resolve('answer'))).resolves.toBe('answer');
  const reading: Middleware = ({ querystring, query }) => [querystring, query];
  await expect(notingReads(reading, 'a middleware')(ctx, () => Promise.resolve())).rejects.toThrow(RangeError);
});

it('a middleware whose reads cannot be noted runs all the same, and counts as one that reads everything', async () => {
  const ctx = koaContext('/api/articles');
  Object.defineProperty(ctx, 'cookies', { get: () => expect.fail('no cookies') });
  await expect(notingReads(passing, 'a middleware')(ctx, () => Promise.resolve('answer'))).resolves.toBe('answer');
  expect(exchangeOf(ctx).readsInFront).toEqual(new Map([['*', 'a middleware']]));
});
