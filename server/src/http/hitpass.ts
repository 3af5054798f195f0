import type { Context } from 'koa';
import type { ResolvedRoute } from '../config/resolved-config';
import type { Identity } from './caller-identity';

const carriesCredentials = ({ headers }: Context['request']): boolean =>
  headers.authorization !== undefined || headers.cookie !== undefined;

/**
 * Whether this request bypasses the cache, and why; `undefined` when it does not.
 *
 * Beyond what is configured, a request bypasses whose caller is known to Strapi by other means than these two headers
 * (a strategy that reads `x-api-key`, say), and a credentialed request to a route with `auth: false`: nobody but its
 * handler knows who is asking there, so no identity could keep callers apart.
 *
 * A promise only where there is a hitpass function, rejected with whatever that throws.
 */
export const hitpassReason = (
  ctx: Context,
  route: ResolvedRoute,
  identity: Identity,
): string | undefined | Promise<string | undefined> => {
  const { hitpass, keys } = route;
  if (typeof hitpass === 'function') return askHitpass(ctx, route, hitpass);
  if (hitpass) {
    if (carriesCredentials(ctx.request)) return 'authorization or cookie header';
    return identity.kind === 'public' || keys.useAuth ? undefined : 'authenticated caller';
  }
  return unknownCaller(ctx, route);
};

const askHitpass = async (
  ctx: Context,
  route: ResolvedRoute,
  hitpass: Extract<ResolvedRoute['hitpass'], (ctx: Context) => unknown>,
): Promise<string | undefined> => ((await hitpass(ctx)) ? 'hitpass function' : unknownCaller(ctx, route));

const unknownCaller = (ctx: Context, { keys }: ResolvedRoute): string | undefined => {
  const isUnauthenticatedRoute = (ctx.state as { auth?: unknown }).auth === undefined;
  return keys.useAuth && isUnauthenticatedRoute && carriesCredentials(ctx.request)
    ? 'credentials on a route without authentication'
    : undefined;
};
