import { isDeepStrictEqual } from 'node:util';
import type { Context } from 'koa';
import type { ResolvedKeys } from '../config/resolved-config';
import { countedParameters, parsedQuery } from './counted-parameters';

/** Where Koa and the parser of URLs keep what they have made of one; not in their types. */
type Request = Context['request'] & { _querycache?: Record<string, unknown>; memoizedURL?: unknown };
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
  const restore = (): void => {
    req.url = url;
    req._parsedUrl = undefined;
    ctx.originalUrl = originalUrl;
    Object.assign(request, { originalUrl, _querycache, memoizedURL });
  };
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
    restore();
  }
};

const beforeQuery = (url: string): string => url.split('?', 1)[0] ?? '';

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
