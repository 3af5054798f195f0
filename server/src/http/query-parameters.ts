import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import { isDeepStrictEqual } from 'node:util';
import { queryComponent } from '../cache/key';
import type { Reason } from '../cache/response-cache';
import type { ResolvedKeys, ResolvedRoute } from '../config/resolved-config';
import { exchangeOf } from './exchange';
import { type ParsedRequest, touchedInFront } from './parameters-in-front';
import { unnoticed } from './request-reads';

type Query = Readonly<Record<string, unknown>>;

/** Parses a URL's query as this application does. */
export const parsedQuery = (app: Context['app'], url: string): Query => {
  const request = Object.create(app.request) as Context['request'];
  request.req = { url } as Context['req'];
  return request.query;
};

/** A query as the client sent it. The object is shared: never change it. */
interface Sent {
  readonly query: Query;
  /** The text of the query, if code that reads it finds more there than was parsed. */
  readonly unparsed: string | undefined;
}

/**
 * By Koa's prototype of requests, the queries of recent URLs: hits behind the application's own middlewares need the same
 * few again and again. A request of the plugin's own has an application of its own, but the same prototype.
 */
const parsedLately = new WeakMap<Context['app']['request'], LRUCache<string, Sent>>();
const MAX_PARSED = 200;

/** The query as the client sent it, whatever middlewares have made of it. */
const sentQuery = ({ app, originalUrl }: Context): Sent => {
  const lately = parsedLately.get(app.request) ?? new LRUCache<string, Sent>({ max: MAX_PARSED });
  parsedLately.set(app.request, lately);
  let sent = lately.get(originalUrl);
  if (sent === undefined) {
    const query = parsedQuery(app, originalUrl);
    const text = originalUrl.slice(beforeQuery(originalUrl).length + 1);
    const isWhole = !text.includes('#') && text.split('&').filter((pair) => pair !== '').length === valuesIn(query);
    sent = { query, unparsed: isWhole ? undefined : text };
    lately.set(originalUrl, sent);
  }
  return sent;
};

const valuesIn = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, part) => sum + valuesIn(part), 0)
    : 1;

const isSelected = (selection: ResolvedKeys['useQueryParams'], name: string): boolean =>
  typeof selection === 'boolean' ? selection : selection.includes(name);

/**
 * What the client's query says besides the parameters in `ctx.query`, as text; `undefined` if that is nothing.
 *
 * - The parameters that are selected, or read in front, and that a middleware in front has removed or changed, with the
 *   values that the client sent: the middleware may have left them on the context (a tenant's name, for example).
 * - The whole of it, if the parser has left a part of it out (`constructor=1`, `=1`, `#…`) and the handler sees the URL.
 */
export const besideQuery = (ctx: Context, selection: ResolvedKeys['useQueryParams']): string | undefined => {
  const read = touchedInFront(ctx)?.read;
  if ((selection === false && read === undefined) || !ctx.originalUrl.includes('?')) return undefined;
  const { query } = ctx;
  const { query: sent, unparsed } = sentQuery(ctx);
  if (selection === true && unparsed !== undefined) return unparsed;
  let taken: Record<string, unknown> | undefined;
  for (const name of Object.keys(sent))
    if ((isSelected(selection, name) || read?.has(name) === true) && !isDeepStrictEqual(query[name], sent[name]))
      (taken ??= {})[name] = sent[name];
  return taken && queryComponent(taken);
};

/**
 * The parameters that are part of the key: those selected, and those that the application's own code in front has set
 * or read. What a middleware sets in the query (a `populate`, for example) reaches the handler, so it has to be part of
 * the key, also where the client has sent the very same. What it reads may be an object that it has changed, or lead it
 * to anything. What the client sent otherwise and is not selected neither reaches the handler nor is part of the key.
 */
export const countedParameters = (ctx: Context, selection: ResolvedKeys['useQueryParams']): Query => {
  const { query } = ctx;
  if (selection === true) return query;
  const counts = (name: string): boolean => isSelected(selection, name);
  const names = Object.keys(query);
  if (names.every(counts)) return query;
  const sent = sentQuery(ctx).query;
  const touched = touchedInFront(ctx);
  const isMerelySent = (name: string): boolean => touched?.has(name) !== true && isAsSent(query, sent, name);
  return Object.fromEntries(
    names.filter((name) => counts(name) || !isMerelySent(name)).map((name) => [name, query[name]]),
  );
};

const isAsSent = (query: Query, sent: Query, name: string): boolean =>
  Object.hasOwn(sent, name) && isDeepStrictEqual(query[name], sent[name]);

/** Routes on which it was seen that parameters can be hidden. */
const hidesOn = new WeakSet<ResolvedRoute>();

/**
 * Runs the handler on a request without the parameters that are not part of its key: what the handler cannot see cannot
 * change a response that other callers are given. Its URL spells the others as the key does. Middlewares around the
 * route, the request log among them, see the URL as it was sent.
 */
export const hidingParameters = async <T>(ctx: Context, route: ResolvedRoute, work: () => Promise<T>): Promise<T> => {
  const selection = route.keys.useQueryParams;
  const request = ctx.request as ParsedRequest;
  const { req } = ctx;
  const { url } = req;
  const { originalUrl } = ctx;
  if (selection === true || (request.querystring === '' && !originalUrl.includes('?'))) return work();
  const counted = countedParameters(ctx, selection);
  const sent = sentQuery(ctx).query;
  const shown = Object.entries(counted).filter(
    ([name]) => isSelected(selection, name) || isAsSent(counted, sent, name),
  );
  const querystring = queryComponent(Object.fromEntries(shown));
  const withQuery = (target: string): string => `${beforeQuery(target)}${querystring === '' ? '' : `?${querystring}`}`;
  if (querystring === request.querystring && originalUrl === withQuery(originalUrl)) return work();

  const { _querycache, memoizedURL } = request;
  req.url = withQuery(url ?? '');
  ctx.originalUrl = withQuery(originalUrl);
  Object.assign(request, {
    originalUrl: ctx.originalUrl,
    _querycache: { [querystring]: counted },
    memoizedURL: undefined,
  });
  if (!hidesOn.has(route)) {
    const reason = unnoticed(req, () => stillShown(ctx, counted, querystring));
    // Koa has memoised it now: the handler's own read has to be noticed.
    request.memoizedURL = undefined;
    if (reason === undefined) hidesOn.add(route);
    else exchangeOf(ctx).notHidden = reason;
  }
  try {
    return await work();
  } finally {
    req.url = url;
    ctx.originalUrl = originalUrl;
    Object.assign(request, { originalUrl, _querycache, memoizedURL });
  }
};

/** The reason not to store a response if its handler still sees, in one of these ways, what was to be hidden. */
const stillShown = (ctx: Context, counted: Query, querystring: string): Reason | undefined => {
  const { request, req } = ctx;
  const search = querystring === '' ? '' : `?${querystring}`;
  const isHidden = (address = ''): boolean => address.slice(beforeQuery(address).length) === search;
  const ways: Readonly<Record<string, boolean>> = {
    'ctx.query': ctx.query === counted && request.query === counted,
    'ctx.querystring': ctx.querystring === querystring,
    'ctx.search': ctx.search === search,
    'ctx.url': isHidden(ctx.url) && isHidden(req.url),
    'ctx.originalUrl': isHidden(ctx.originalUrl) && isHidden(request.originalUrl),
    'ctx.href': isHidden(ctx.href),
    // Koa leaves an empty object for an address that is not one.
    'ctx.URL': !(ctx.URL instanceof URL) || ctx.URL.search === new URL(search, 'http://localhost').search,
  };
  const shown = Object.keys(ways).find((way) => ways[way] === false);
  return shown === undefined
    ? undefined
    : {
        code: 'parameter',
        detail: `sees parameters that are not in the key: ${shown} could not be changed`,
        about: shown,
      };
};

export const beforeQuery = (url: string): string => url.split('?', 1)[0] ?? '';

/**
 * The reason not to store a response if a function in front of the handler has read a parameter that is not part of the
 * key: other callers who are given the response may have sent another value. Such parameters are hidden from the
 * handler only, if they can be.
 */
export const uncountedParameters = (ctx: Context, route: ResolvedRoute): Reason | undefined => {
  const selection = route.keys.useQueryParams;
  const touched = touchedInFront(ctx);
  const { notHidden } = exchangeOf(ctx);
  if (notHidden !== undefined || selection === true || touched === undefined) return notHidden;
  const sent = sentQuery(ctx).query;
  for (const [name, where] of touched.read)
    if (!isSelected(selection, name) && Object.hasOwn(sent, name))
      return {
        code: 'parameter',
        detail: `reads the parameter ${name} (in ${where}), not in keys.useQueryParams`,
        about: `${name} (${where})`,
      };
  return undefined;
};
