import type { Core } from '@strapi/strapi';
import type { Context, Middleware } from 'koa';
import { restPrefixOf } from '../config/application-facts';
import { type HeaderChange, watchHeaders } from '../http/response-headers';

/**
 * Two of Strapi's own global middlewares make and check their options anew for every request, which takes more than a
 * quarter of the time of a hit behind them. What they do to a plain request of the API is the same each time, so it is
 * learned from the first such request.
 */

/** Whether a request is plain: Strapi's own middlewares do the same to all plain requests. */
type IsPlain = (ctx: Context) => boolean;

/** Returns `undefined` if the API has no prefix of its own: a path then does not show what it is for. */
export const plainRequests = ({ config }: Core.Strapi): IsPlain | undefined => {
  const prefix = `${restPrefixOf({ config })}/`;
  // Pages that load scripts have a content security policy of their own.
  const pages = [
    config.get<string>('admin.path', ''),
    config.get<string>('plugin::graphql.endpoint', ''),
    '/documentation',
  ];
  if (prefix === '/' || pages.some((page) => page.startsWith(prefix))) return undefined;
  return ({ method, path, req }) =>
    (method === 'GET' || method === 'HEAD') && path.startsWith(prefix) && req.headers['content-type'] === undefined;
};

/** Whether a configuration contains a function, which may return something else each time. */
export const holdsFunction = (value: unknown): boolean =>
  typeof value === 'function' ||
  (typeof value === 'object' && value !== null && Object.values(value).some(holdsFunction));

/** For `strapi::security`, which sets headers and does nothing else. */
export const repeatingHeaders = (handler: Middleware, isPlain: IsPlain): Middleware => {
  let known: ReadonlyArray<readonly [HeaderChange, name: string, value: unknown]> | undefined;
  return (ctx, next): unknown => {
    if (!isPlain(ctx)) return handler(ctx, next);
    if (known === undefined) {
      const noted: Array<readonly [HeaderChange, string, unknown]> = [];
      const stop = watchHeaders(ctx.res, (...change) => void noted.push(change));
      return handler(ctx, () => {
        stop();
        known = noted;
        return next();
      });
    }
    for (const [change, name, value] of known) ctx.res[change](name, value as string);
    return next();
  };
};

/** What koa-body leaves on a request. */
type Parsed = Omit<Context['request'], 'body' | 'files'> & { body?: unknown; files?: unknown };

/** For `strapi::body`, which leaves an empty object where there is nothing to parse. */
export const repeatingNoBody = (handler: Middleware, isPlain: IsPlain): Middleware => {
  let isKnown = false;
  return (ctx, next): unknown => {
    if (isKnown && isPlain(ctx)) {
      (ctx.request as Parsed).body = {};
      return next();
    }
    return handler(ctx, () => {
      isKnown ||= isPlain(ctx) && hasNoBody(ctx);
      return next();
    });
  };
};

const hasNoBody = ({ request, req }: Context): boolean => {
  const { body, files } = request as Parsed;
  const isEmpty = typeof body === 'object' && body !== null && Reflect.ownKeys(body).length === 0;
  return isEmpty && files === undefined && (req as { body?: unknown }).body === undefined;
};
