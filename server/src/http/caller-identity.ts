import type { Context } from 'koa';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';

/** What Strapi's authentication leaves in `ctx.state.auth`; absent on routes with `auth: false`. */
export interface AuthState {
  readonly strategy?: { readonly name?: unknown };
  readonly credentials?: unknown;
}

/** What of `ctx.state` tells who is asking. */
export interface CallerState {
  readonly auth?: AuthState;
  /** Set by Strapi's own strategies beside `auth`, and by policies and middlewares that know a caller of their own. */
  readonly user?: unknown;
}

/**
 * Who is asking, in the words of the cache key; never holds a credential. `unknown`: somebody, but nothing that is there
 * is surely an identity. No entry can be theirs alone.
 */
export type Identity =
  | { readonly kind: 'public'; readonly name: 'up:public' }
  | { readonly kind: 'unknown'; readonly name: 'unknown' }
  | { readonly kind: 'user' | 'token' | 'admin' | 'strategy'; readonly name: string };

/** Callers whom Strapi knows by the `Authorization` header or its absence, and by nothing else. */
export const REPEATABLE_CALLERS: ReadonlySet<Identity['kind']> = new Set(['public', 'user', 'token']);

const PUBLIC: Identity = { kind: 'public', name: 'up:public' };
const UNKNOWN: Identity = { kind: 'unknown', name: 'unknown' };

/**
 * The caller's identity from Strapi's own authentication state, never from the credential it was derived from. The
 * strategies are those that Strapi 5.0 to 5.54 registers. One that the plugin does not know gives all its callers one
 * identity.
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
      // A token stands for a program. Where something has put a user beside it, the program asks for that user.
      return isNothing(user) ? tokenIdentity(idOf(credentials), credentials) : UNKNOWN;
    // @strapi/admin, strategies/admin: the admin's row.
    case 'admin':
      return adminIdentity(idOf(credentials), user);
    // @strapi/admin, strategies/admin-token (from 5.45): the token's row, whose owner is an admin or an admin's id.
    case 'admin-token': {
      const owner = isRecord(credentials) ? credentials.adminUserOwner : undefined;
      return adminIdentity(isRecord(owner) ? idOf(owner) : idText(owner), user);
    }
    // @strapi/admin, strategies/data-transfer (`strapi transfer`) is one of these; it reads no content API.
    default:
      // `strategy.name` is not required of a route's own strategy (@strapi/core, services/auth).
      return typeof strategy === 'string' && strategy !== ''
        ? { kind: 'strategy', name: `strategy:${strategy}` }
        : UNKNOWN;
  }
};

const userIdentity = (id: string | undefined, user: unknown): Identity =>
  // An identity of that name would be the anonymous callers'.
  id === undefined || id === 'public' || !isSame(id, user) ? UNKNOWN : { kind: 'user', name: `up:${id}` };

const tokenIdentity = (id: string | undefined, credentials: unknown): Identity => {
  const type = isRecord(credentials) ? idText(credentials.type) : undefined;
  return id === undefined || type === undefined ? UNKNOWN : { kind: 'token', name: `token:${id}:${type}` };
};

const adminIdentity = (id: string | undefined, user: unknown): Identity =>
  id === undefined || !isSame(id, user) ? UNKNOWN : { kind: 'admin', name: `admin:${id}` };

/** Whether `ctx.state.user` is the caller whom the credentials name: a policy may have put somebody else there. */
const isSame = (id: string, user: unknown): boolean => isNothing(user) || idOf(user) === id;

const idOf = (row: unknown): string | undefined => (isRecord(row) ? idText(row.id) : undefined);

/** Digits, UUIDs and the like. What holds a separator could spell another identity. */
const idText = (id: unknown): string | undefined => {
  if (typeof id === 'string') return /^[\w-]+$/.test(id) ? id : undefined;
  return Number.isSafeInteger(id) ? String(id) : undefined;
};

const isNothing = (value: unknown): value is null | undefined => value === undefined || value === null;

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

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
