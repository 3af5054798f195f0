import type { Context } from 'koa';
import { expect, it } from 'vitest';
import type { ResolvedRoute } from '../../../server/src/config/resolved-config';
import { noteParameters } from '../../../server/src/http/parameters-in-front';
import { hidingParameters, uncountedParameters } from '../../../server/src/http/query-parameters';
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
