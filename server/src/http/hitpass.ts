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
 * @throws whatever a hitpass function throws.
 */
export const hitpassReason = async (
  ctx: Context,
  { hitpass, keys }: ResolvedRoute,
  identity: Identity,
): Promise<string | undefined> => {
  if (hitpass === true) {
    if (carriesCredentials(ctx.request)) return 'authorization or cookie header';
    return identity.kind === 'public' || keys.useAuth ? undefined : 'authenticated caller';
  }
  if (typeof hitpass === 'function' && (await hitpass(ctx))) return 'hitpass function';
  const isUnauthenticatedRoute = (ctx.state as { auth?: unknown }).auth === undefined;
  return keys.useAuth && isUnauthenticatedRoute && carriesCredentials(ctx.request)
    ? 'credentials on a route without authentication'
    : undefined;
};
