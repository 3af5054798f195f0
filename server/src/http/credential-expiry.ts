import type { Context } from 'koa';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import type { AuthState, Identity } from './caller-identity';

/** A verdict on a credential is not repeated longer than this, whatever the credential says. */
const LONGEST_VERDICT = milliseconds(60_000);

/**
 * Until when (milliseconds since the epoch) the decision that this caller may see an answer may be repeated: one
 * minute, or until the credential expires, which no write announces. Anonymous callers have nothing that expires.
 */
export const verdictExpiry = (ctx: Context, identity: Identity, now: Milliseconds): number => {
  if (identity.kind === 'public') return Number.POSITIVE_INFINITY;
  const authorization = ctx.get('Authorization');
  // A credential that came by another way may expire at any time.
  if (authorization === '') return 0;
  const auth = (ctx.state as { auth?: AuthState }).auth;
  const expiries = [now + LONGEST_VERDICT, tokenExpiry(auth), jwtExpiry(authorization)];
  return Math.min(...expiries.filter((expiry) => expiry !== undefined));
};

/** API tokens carry their expiry in their row. */
const tokenExpiry = (auth: AuthState | undefined): number | undefined => {
  const expiresAt = (auth?.credentials as { expiresAt?: unknown } | null | undefined)?.expiresAt;
  if (expiresAt === null || expiresAt === undefined) return undefined;
  const time = new Date(expiresAt as string | number | Date).getTime();
  return Number.isNaN(time) ? 0 : time;
};

/** `exp` of a JWT that Strapi has verified a moment ago (RFC 7519, section 4.1.4: seconds). */
const jwtExpiry = (authorization: string): number | undefined => {
  const payload = authorization.split('.')[1];
  if (payload === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
};
