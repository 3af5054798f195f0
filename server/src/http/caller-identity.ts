import type { Context } from 'koa';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';

/** What Strapi's authentication leaves in `ctx.state.auth`; absent on routes with `auth: false`. */
export interface AuthState {
  readonly strategy?: { readonly name?: unknown };
  readonly credentials?: unknown;
}

/** The part of `ctx.state` that identifies the caller. */
export interface CallerState {
  readonly auth?: AuthState;
  /** Set by Strapi's own strategies beside `auth`, and by policies and middlewares that identify callers themselves. */
  readonly user?: unknown;
}

/**
 * The caller, as named in the cache key; never holds a credential. `unknown`: there is a caller, but nothing identifies
 * them with certainty, so no entry can be theirs alone. `role`: all users of a role who share an entry, nobody's own.
 */
export type Identity =
  | { readonly kind: 'public'; readonly name: 'up:public' }
  | { readonly kind: 'unknown'; readonly name: 'unknown' }
  | { readonly kind: 'user' | 'role' | 'token' | 'admin' | 'strategy'; readonly name: string };

/** Kinds of callers that Strapi identifies by the `Authorization` header, or its absence, and by nothing else. */
export const REPEATABLE_CALLERS: ReadonlySet<Identity['kind']> = new Set(['public', 'user', 'token']);

const PUBLIC: Identity = { kind: 'public', name: 'up:public' };
const UNKNOWN: Identity = { kind: 'unknown', name: 'unknown' };

/**
 * The caller's identity from Strapi's own authentication state, never from the credential it was derived from. The
 * strategies are those that Strapi 5.0 to 5.54 registers. All callers of any other strategy share one identity, named
 * after the strategy.
 */
export const callerIdentity = ({ auth, user }: CallerState): Identity => {
  if (auth === undefined || auth === null) return isNothing(user) ? PUBLIC : UNKNOWN;
  const strategy = auth.strategy?.name;
  const { credentials } = auth;
  switch (strategy) {
    // @strapi/plugin-users-permissions, strategies/users-permissions: the user's row, `null` for the public role.
    case 'users-permissions':
      if (credentials === null) return isNothing(user) ? PUBLIC : UNKNOWN;
      return userIdentity(idOf(credentials), user);
    // @strapi/admin, strategies/api-token (to 5.44) and strategies/content-api-token (from 5.45): the token's row.
    case 'api-token':
    case 'content-api-token':
      // An API token identifies a program. If `ctx.state.user` is set as well, the program asks on behalf of that user.
      return isNothing(user) ? tokenIdentity(idOf(credentials), credentials) : UNKNOWN;
    // @strapi/admin, strategies/admin: the admin's row.
    case 'admin':
      return adminIdentity(idOf(credentials), user);
    // @strapi/admin, strategies/admin-token (from 5.45): the token's row, whose owner is an admin or an admin's id.
    case 'admin-token': {
      const owner = isRecord(credentials) ? credentials.adminUserOwner : undefined;
      return adminIdentity(isRecord(owner) ? idOf(owner) : idText(owner), user);
    }
    // Includes @strapi/admin, strategies/data-transfer (`strapi transfer`), which does not read the content API.
    default:
      // A route's own strategy may lack a name (@strapi/core, services/auth).
      return typeof strategy === 'string' && strategy !== ''
        ? { kind: 'strategy', name: `strategy:${strategy}` }
        : UNKNOWN;
  }
};

const userIdentity = (id: string | undefined, user: unknown): Identity =>
  // `up:public` is the identity of anonymous callers.
  id === undefined || id === 'public' || !isSame(id, user) ? UNKNOWN : { kind: 'user', name: `up:${id}` };

const tokenIdentity = (id: string | undefined, credentials: unknown): Identity => {
  const type = isRecord(credentials) ? idText(credentials.type) : undefined;
  return id === undefined || type === undefined ? UNKNOWN : { kind: 'token', name: `token:${id}:${type}` };
};

const adminIdentity = (id: string | undefined, user: unknown): Identity =>
  id === undefined || !isSame(id, user) ? UNKNOWN : { kind: 'admin', name: `admin:${id}` };

/** Whether `ctx.state.user` is the caller whom the credentials name: a policy may have put somebody else there. */
const isSame = (id: string, user: unknown): boolean => isNothing(user) || idOf(user) === id;

export const idOf = (row: unknown): string | undefined => (isRecord(row) ? idText(row.id) : undefined);

/** Accepts digits, UUIDs and the like. An id that holds a separator (`:`) could spell another identity. */
const idText = (id: unknown): string | undefined => {
  if (typeof id === 'string') return /^[\w-]+$/.test(id) ? id : undefined;
  return Number.isSafeInteger(id) ? String(id) : undefined;
};

const isNothing = (value: unknown): value is null | undefined => value === undefined || value === null;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** The longest time for which the decision on a credential is repeated, whatever its own expiry. */
const LONGEST_REPETITION = milliseconds(60_000);

/**
 * The time (milliseconds since the epoch) until which the decision that this caller may see a response may be repeated:
 * one minute from `now`, or the credential's own expiry if that is earlier, because no write announces it. Anonymous
 * callers have nothing that expires.
 */
export const callerExpiry = (ctx: Context, identity: Identity, now: Milliseconds): number => {
  if (identity.kind === 'public') return Number.POSITIVE_INFINITY;
  const authorization = ctx.get('Authorization');
  // A credential that was not sent in `Authorization` may expire at any time.
  if (authorization === '') return 0;
  const auth = (ctx.state as { auth?: AuthState }).auth;
  const expiries = [now + LONGEST_REPETITION, tokenExpiry(auth), jwtExpiry(authorization)];
  return Math.min(...expiries.filter((expiry) => expiry !== undefined));
};

/** API tokens carry their expiry in their row. */
const tokenExpiry = (auth: AuthState | undefined): number | undefined => {
  const expiresAt = (auth?.credentials as { expiresAt?: unknown } | null | undefined)?.expiresAt;
  if (expiresAt === null || expiresAt === undefined) return undefined;
  const time = new Date(expiresAt as string | number | Date).getTime();
  return Number.isNaN(time) ? 0 : time;
};

/** `exp` of a JWT that Strapi has just verified, in milliseconds (RFC 7519, section 4.1.4, gives it in seconds). */
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
