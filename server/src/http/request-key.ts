import type { Context } from 'koa';
import type { IncomingHttpHeaders } from 'node:http';
import { cacheKey, type CacheKey } from '../cache/key';
import type { ResolvedKeys } from '../config/resolved-config';
import type { Identity } from './caller-identity';
import { exchangeOf } from './exchange';
import type { Layer } from './koa-router';
import { beforeQuery, besideQuery, countedParameters } from './query-parameters';
import { headerIn, sentHeader } from './request-message';

/** Request headers by which Strapi's core controllers shape their bodies, without naming them in `Vary`. */
export const BODY_SHAPING_HEADERS: readonly string[] = ['strapi-response-format', 'strapi-encode-source-maps'];

/** The key of a request on a matched route. */
export const requestKey = (ctx: Context, keys: ResolvedKeys, identity: Identity): CacheKey => {
  const path = matchedPath(ctx);
  return cacheKey({
    path: encodeReserved(path),
    query: countedParameters(ctx, keys.useQueryParams),
    headers: [...selectHeaders(countedHeaders(ctx), keys.useHeaders), ...rewritten(ctx, path, keys.useQueryParams)],
    identity: keys.useAuth === false ? '' : identity.name,
  });
};

/** The path of a request on a matched route, in its canonical spelling. */
export const matchedPath = (ctx: Context): string => spelledOnce(ctx, routedPath(ctx));

/** The path that the router matches: a middleware in front may have set another path than the request's. */
export const routedPath = (ctx: Context): string => (ctx as RoutedContext).newRouterPath || ctx.path;

const spelledOnce = (ctx: Context, path: string): string => {
  const layer = matchedLayer(ctx);
  return layer === undefined ? path : canonicalPath(path, layer.regexp);
};

/**
 * The path (`/acme/api/articles`) and the parameters that the client asked for, if a middleware in front has changed
 * them: it may have left on the context what they said. Also a query of which only a part was parsed: a handler may show
 * the URL. They stand in the key among the headers, under the name `:url`, which no header can have.
 */
const rewritten = (
  ctx: Context,
  path: string,
  selection: ResolvedKeys['useQueryParams'],
): ReadonlyArray<readonly [name: string, value: string]> => {
  const asked = beforeQuery(ctx.originalUrl);
  const isSamePath = asked === routedPath(ctx) || spelledOnce(ctx, asked) === path;
  const beside = besideQuery(ctx, selection);
  if (isSamePath && beside === undefined) return [];
  return [[':url', `${isSamePath ? '' : asked}${beside === undefined ? '' : `?${beside}`}`]];
};

/** A path may hold `&` unencoded, but `&` and `?` separate the parts of a key. */
const encodeReserved = (path: string): string => path.replace(/[&?]/g, (character) => encodeURIComponent(character));

/**
 * The request's headers as keys are made of them. What code in front has read and then changed or removed counts as the
 * client sent it, too: the code may have left it on the context (a tenant's name, for example). The two values stand on
 * lines of their own, which no header can have.
 */
export const countedHeaders = (ctx: Context): IncomingHttpHeaders =>
  withSent(ctx, (sent, now) => [...(now === undefined ? [] : [now]), '', sent].join('\n'));

/** The headers with which to ask for the same response again: code in front then finds what it has changed or removed. */
export const originalHeaders = (ctx: Context): IncomingHttpHeaders => withSent(ctx, (sent) => sent);

/** The request's headers, with other values of those that code in front has read and then changed or removed. */
const withSent = (ctx: Context, valueOf: (sent: string, now: string | undefined) => string): IncomingHttpHeaders => {
  const { req } = ctx;
  const { readsInFront, readsOfStrategies } = exchangeOf(ctx);
  let { headers } = req;
  for (const name of [...(readsInFront?.keys() ?? []), ...(readsOfStrategies ?? [])]) {
    const now = headerIn(req.headers, name);
    const sent = sentHeader(req, name);
    if (sent !== undefined && sent !== now) headers = { ...headers, [name]: valueOf(sent, now) };
  }
  return headers;
};

export const selectHeaders = (
  headers: IncomingHttpHeaders,
  selection: readonly string[],
): Array<readonly [string, string]> => {
  const selected: Array<readonly [string, string]> = [];
  for (const name of [...selection, ...BODY_SHAPING_HEADERS]) {
    const value = headerIn(headers, name);
    if (value !== undefined && !selected.some(([known]) => known === name)) selected.push([name, value]);
  }
  return selected;
};

/** By pattern, the same pattern with the flag `d`, which reports where groups matched. */
const withIndices = new WeakMap<RegExp, RegExp>();

/**
 * One spelling for all paths that the router treats alike. Outside of parameters the case does not matter, nor does a
 * trailing slash, where the pattern says so itself; inside, `%61` and `a` are the same. A slash at the end of a parameter
 * (`:rest(.*)`) is part of its value.
 *
 * @param pattern the matched route's regular expression, whose groups are the route's parameters.
 */
export const canonicalPath = (path: string, pattern: RegExp): string => {
  let indexed = withIndices.get(pattern);
  if (indexed === undefined) {
    indexed = new RegExp(pattern.source, `${pattern.flags.replace('d', '')}d`);
    withIndices.set(pattern, indexed);
  }
  const folded = (text: string): string => (pattern.ignoreCase ? text.toLowerCase() : text);
  const groups = indexed.exec(path)?.indices?.slice(1) ?? [];
  let canonical = '';
  let position = 0;
  for (const group of groups) {
    // Optional parameters may be absent; nested groups lie inside a group that is done already.
    if (group === undefined || group[0] < position) continue;
    const [start, end] = group;
    canonical += folded(path.slice(position, start)) + canonicalParameter(path.slice(start, end));
    position = end;
  }
  const end = folded(path.slice(position));
  const isOptional = end.endsWith('/') && pattern.test(path.slice(0, -1));
  return canonical + (isOptional ? end.slice(0, -1) : end);
};

/**
 * In a repeatable parameter (`:slug+`), slashes separate the values. A parameter that is not valid UTF-8 once decoded is
 * passed on undecoded by the router, as a whole, and so it is by the key, where its `%` becomes `%25`, which keeps it
 * apart from other values.
 */
const canonicalParameter = (text: string): string => {
  try {
    return text
      .split('/')
      .map((segment) => encodeURIComponent(decodeURIComponent(segment)))
      .join('/');
  } catch {
    return text.split('/').map(encodeURIComponent).join('/');
  }
};

/** What the router, or a middleware in front of it, has left on the context. */
type RoutedContext = Context & {
  readonly matched?: readonly Layer[];
  readonly routerPath?: string;
  readonly newRouterPath?: string;
  readonly params?: Readonly<Record<string, string>>;
};

/** The router's layer whose handlers are running. Others may have matched as well, such as the one for public files. */
const matchedLayer = (ctx: Context): Layer | undefined => {
  const { matched, routerPath } = ctx as RoutedContext;
  return matched?.find(({ path }) => path === routerPath);
};

/**
 * The parameters of the running route, decoded.
 *
 * @param names for the parameters, in order.
 */
export const matchedParams = (ctx: Context, names: readonly string[]): Record<string, string> => {
  const { params = {} } = ctx as RoutedContext;
  const matched: Record<string, string> = {};
  for (const [index, { name }] of (matchedLayer(ctx)?.paramNames ?? []).entries()) {
    const value = params[name];
    if (value !== undefined) matched[names[index] ?? String(name)] = value;
  }
  return matched;
};
