import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import { isDeepStrictEqual } from 'node:util';
import type { Reason } from '../cache/response-cache';
import type { ResolvedKeys } from '../config/resolved-config';
import { exchangeOf } from './exchange';
import { watchedValues } from './watched-values';

type Query = Readonly<Record<string, unknown>>;

/** Parses a URL's query as this application does. */
export const parsedQuery = (app: Pick<Context['app'], 'request'>, url: string): Query => {
  const request = Object.create(app.request) as Context['request'];
  request.req = { url } as Context['req'];
  return request.query;
};

/** Of an application, URLs that were parsed lately: hits behind middlewares of its own ask for the same few. */
const parsedLately = new WeakMap<Context['app'], LRUCache<string, Query>>();
const MAX_PARSED = 200;

/** As the client has sent it, whatever became of it on its way. Not to be changed. */
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
 * Of the parameters that count, those that a middleware in front has taken out of the query, or changed, as they were
 * sent: it may have left on the context what they said, as one does that tells tenants apart.
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
 * The parameters that tell requests apart: those selected, and those that the application's own middlewares have set.
 * What a middleware made of the query (a `populate` of its own, say) reaches the handler, so it has to count. What the
 * client sent, and is not selected, does neither.
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

/** Where Strapi, Koa and the parser of URLs keep what they have made of one; not in their types. */
type Request = Context['request'] & { _querycache?: Record<string, object | undefined>; memoizedURL?: unknown };
type Message = Context['req'] & { _parsedUrl?: unknown };

/**
 * Runs the handler on a request without the parameters that do not count for its key: what it cannot see cannot change
 * an answer that others are given. Whoever stands around the route, the log among them, sees the URL as it was sent.
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
  const querystring = keepParameters(ctx, counted);
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

/** The query string as it is spelled, without what does not count. */
const keepParameters = (ctx: Context, counted: Readonly<Record<string, unknown>>): string => {
  const { querystring } = ctx;
  const kept = querystring
    .split('&')
    .filter((part) => Object.hasOwn(counted, parameterName(part)))
    .join('&');
  if (kept === querystring) return kept;
  // Beyond a number of parameters the parser leaves out the rest, and others than `&` may divide them: without some, the
  // same text may say something else. What cannot be spelled safely is not spelled at all.
  const sent = Object.entries(parsedQuery(ctx, ctx.url)).filter(([name]) => Object.hasOwn(counted, name));
  return isDeepStrictEqual(Object.entries(parsedQuery(ctx, `/?${kept}`)), sent) ? kept : '';
};

/** `filters` of `filters%5Btitle%5D=a`; a name that cannot be decoded as it stands. */
const parameterName = (part: string): string => {
  const spelled = (part.split('=', 1)[0] ?? '').replaceAll('+', ' ');
  try {
    return beforeBracket(decodeURIComponent(spelled));
  } catch {
    return beforeBracket(spelled);
  }
};

const beforeBracket = (name: string): string => name.split('[', 1)[0] ?? '';

/**
 * Notes which parameters of `ctx.query` are read from here on. (What is read of the URL by hand is not noticed.)
 *
 * @returns ends it; whoever still holds the query goes on being noted.
 */
export const noteParameters = (ctx: Context, where: string): (() => void) => {
  const request = ctx.request as Request;
  const { querystring, query } = request;
  const { _querycache: cache } = request;
  if (querystring === '' || cache?.[querystring] !== query) return () => undefined;
  const names = (exchangeOf(ctx).parametersInFront ??= new Map());
  const note = (name: string | symbol): void => {
    if (typeof name === 'string' && Object.hasOwn(query, name) && !names.has(name)) names.set(name, where);
  };
  const shown = watchedValues(query, false, { note, noteAll: () => Object.keys(query).forEach(note) });
  cache[querystring] = shown;
  return () => {
    if (cache[querystring] === shown) cache[querystring] = query;
  };
};

/**
 * What was read in front of the handler although it does not count for the key, if anything: who is given this answer
 * may not have sent it, and it is hidden from the handler alone.
 */
export const uncountedParameters = (ctx: Context, selection: ResolvedKeys['useQueryParams']): Reason | undefined => {
  const names = exchangeOf(ctx).parametersInFront;
  if (selection === true || names === undefined) return undefined;
  const sent = sentQuery(ctx);
  for (const [name, where] of names)
    if (!isSelected(selection, name) && Object.hasOwn(sent, name))
      return { code: 'parameter', detail: `reads the parameter ${name} (in ${where}), not in keys.useQueryParams` };
  return undefined;
};
