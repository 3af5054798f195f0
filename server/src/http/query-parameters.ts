import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import { isDeepStrictEqual } from 'node:util';
import { queryComponent } from '../cache/key';
import type { Reason } from '../cache/response-cache';
import type { ResolvedKeys } from '../config/resolved-config';
import { watchedValues } from './watched-values';

type Query = Readonly<Record<string, unknown>>;

/** Parses a URL's query as this application does. */
export const parsedQuery = (app: Context['app'], url: string): Query => {
  const request = Object.create(app.request) as Context['request'];
  request.req = { url } as Context['req'];
  return request.query;
};

/** By application, the queries of recent URLs: hits behind its own middlewares need the same few again and again. */
const parsedLately = new WeakMap<Context['app'], LRUCache<string, Query>>();
const MAX_PARSED = 200;

/** The query as the client sent it, whatever middlewares have made of it. The object is shared: never change it. */
const sentQuery = ({ app, originalUrl }: Context): Query => {
  const lately = parsedLately.get(app) ?? new LRUCache<string, Query>({ max: MAX_PARSED });
  parsedLately.set(app, lately);
  let query = lately.get(originalUrl);
  if (query === undefined) {
    query = parsedQuery(app, originalUrl);
    lately.set(originalUrl, query);
  }
  return query;
};

const isSelected = (selection: ResolvedKeys['useQueryParams'], name: string): boolean =>
  typeof selection === 'boolean' ? selection : selection.includes(name);

/**
 * The selected parameters that a middleware in front has removed from the query or changed, with the values that the
 * client sent; `undefined` if there are none. The middleware may have left these values on the context (a tenant's
 * name, for example).
 */
export const takenParameters = (ctx: Context, selection: ResolvedKeys['useQueryParams']): Query | undefined => {
  if (selection === false || !ctx.originalUrl.includes('?')) return undefined;
  const { query } = ctx;
  const sent = sentQuery(ctx);
  let taken: Record<string, unknown> | undefined;
  for (const name of Object.keys(sent))
    if (isSelected(selection, name) && !isDeepStrictEqual(query[name], sent[name])) (taken ??= {})[name] = sent[name];
  return taken;
};

/**
 * The parameters that are part of the key: those selected, and those that the application's own middlewares have set.
 * What a middleware sets in the query (a `populate`, for example) reaches the handler, so it has to be part of the key.
 * What the client sent and is not selected neither reaches the handler nor is part of the key.
 */
export const countedParameters = (ctx: Context, selection: ResolvedKeys['useQueryParams']): Query => {
  const { query } = ctx;
  if (selection === true) return query;
  const counts = (name: string): boolean => isSelected(selection, name);
  const names = Object.keys(query);
  if (names.every(counts)) return query;
  const sent = sentQuery(ctx);
  const isAsSent = (name: string): boolean => Object.hasOwn(sent, name) && isDeepStrictEqual(query[name], sent[name]);
  return Object.fromEntries(names.filter((name) => counts(name) || !isAsSent(name)).map((name) => [name, query[name]]));
};

/** Properties in which Strapi, Koa and the URL parser keep what they have parsed; missing from their types. */
type Request = Context['request'] & { _querycache?: Record<string, object | undefined>; memoizedURL?: unknown };
type Message = Context['req'] & { _parsedUrl?: unknown };

/**
 * Runs the handler on a request without the parameters that are not part of its key: what the handler cannot see cannot
 * change a response that other callers are given. Its URL spells the others as the key does. Middlewares around the
 * route, the request log among them, see the URL as it was sent.
 */
export const hidingParameters = async <T>(
  ctx: Context,
  selection: ResolvedKeys['useQueryParams'],
  work: () => Promise<T>,
): Promise<T> => {
  const request = ctx.request as Request;
  const req = ctx.req as Message;
  const { url } = req;
  const { originalUrl } = ctx;
  if (selection === true || (request.querystring === '' && !originalUrl.includes('?'))) return work();
  const counted = countedParameters(ctx, selection);
  const selected = Object.entries(counted).filter(([name]) => isSelected(selection, name));
  const querystring = queryComponent(Object.fromEntries(selected));
  const withQuery = (target: string): string => `${beforeQuery(target)}${querystring === '' ? '' : `?${querystring}`}`;
  if (querystring === request.querystring && originalUrl === withQuery(originalUrl)) return work();

  const { _querycache, memoizedURL } = request;
  req.url = withQuery(url ?? '');
  req._parsedUrl = undefined;
  ctx.originalUrl = withQuery(originalUrl);
  Object.assign(request, {
    originalUrl: ctx.originalUrl,
    _querycache: { [querystring]: counted },
    memoizedURL: undefined,
  });
  try {
    return await work();
  } finally {
    req.url = url;
    req._parsedUrl = undefined;
    ctx.originalUrl = originalUrl;
    Object.assign(request, { originalUrl, _querycache, memoizedURL });
  }
};

export const beforeQuery = (url: string): string => url.split('?', 1)[0] ?? '';

/** Parameters that were read in front of the lane, each with the function that read it first. */
const readInFront = new WeakMap<Context, Map<string, string>>();

/**
 * Notes which parameters of `ctx.query` are read from now on. Code that parses the URL itself is not noticed.
 *
 * @param where the function that is about to read, in words.
 * @returns ends it. Code that still holds the query object goes on being noted.
 */
export const noteParameters = (ctx: Context, where: string): (() => void) => {
  const request = ctx.request as Request;
  const { querystring, query } = request;
  const { _querycache: cache } = request;
  if (querystring === '' || cache?.[querystring] !== query) return () => undefined;
  const names = readInFront.get(ctx) ?? new Map<string, string>();
  readInFront.set(ctx, names);
  const note = (name: string | symbol): void => {
    if (typeof name === 'string' && Object.hasOwn(query, name) && !names.has(name)) names.set(name, where);
  };
  const shown = watchedValues(query, { note, noteAll: () => Object.keys(query).forEach(note) });
  cache[querystring] = shown;
  return () => {
    if (cache[querystring] === shown) cache[querystring] = query;
  };
};

/**
 * The reason not to store a response if a function in front of the handler has read a parameter that is not part of the
 * key: other callers who are given the response may have sent another value. Such parameters are hidden from the
 * handler only.
 */
export const uncountedParameters = (ctx: Context, selection: ResolvedKeys['useQueryParams']): Reason | undefined => {
  const names = readInFront.get(ctx);
  if (selection === true || names === undefined) return undefined;
  const sent = sentQuery(ctx);
  for (const [name, where] of names)
    if (!isSelected(selection, name) && Object.hasOwn(sent, name))
      return { code: 'parameter', detail: `reads the parameter ${name} (in ${where}), not in keys.useQueryParams` };
  return undefined;
};
