import type { Context } from 'koa';
import type { ResolvedRoute } from '../config/resolved-config';
import type { HitpassFunction } from '../config/user-config';
import type { Identity } from './caller-identity';
import { carriesBody } from './request-message';

const carriesCredentials = ({ headers }: Context['request']): boolean =>
  headers.authorization !== undefined || headers.cookie !== undefined;

/**
 * Whether this request bypasses the cache, and why; `undefined` when it does not.
 *
 * Beyond what is configured, a request bypasses
 * - with a body, which no key holds;
 * - by default, whose caller is known by other means than these two headers (a strategy that reads `x-api-key`, say);
 * - where callers are to be kept apart, whose caller has no sure identity, and which carries credentials to a route with
 *   `auth: false`: nobody but its handler knows who is asking there.
 *
 * A promise only where there is a hitpass function, rejected with whatever that throws.
 */
export const hitpassReason = (
  ctx: Context,
  route: ResolvedRoute,
  identity: Identity,
): string | undefined | Promise<string | undefined> => {
  const { hitpass, alsoHitpass } = route;
  if (carriesBody(ctx.req)) return 'request with a body';
  if (typeof hitpass === 'function') return askHitpass(ctx, route, identity, hitpass);
  if (hitpass) {
    if (carriesCredentials(ctx.request)) return 'authorization or cookie header';
    if (identity.kind !== 'public') return 'authenticated caller';
    return alsoHitpass === undefined ? undefined : askHitpass(ctx, route, identity, alsoHitpass);
  }
  return unknownCaller(ctx, route, identity);
};

const askHitpass = async (
  ctx: Context,
  route: ResolvedRoute,
  identity: Identity,
  hitpass: HitpassFunction,
): Promise<string | undefined> => ((await hitpass(ctx)) ? 'hitpass function' : unknownCaller(ctx, route, identity));

const unknownCaller = (ctx: Context, { keys }: ResolvedRoute, identity: Identity): string | undefined => {
  if (!keys.useAuth) return undefined;
  if (identity.kind === 'unknown') return 'caller without an identity';
  const isUnauthenticatedRoute = (ctx.state as { auth?: unknown }).auth === undefined;
  return isUnauthenticatedRoute && carriesCredentials(ctx.request)
    ? 'credentials on a route without authentication'
    : undefined;
};
