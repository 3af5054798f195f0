import type { Context } from 'koa';
import { isDeepStrictEqual } from 'node:util';
import { serialize } from 'node:v8';
import type { AuthState } from '../http/caller-identity';
import { abilityLike, type Ability } from './repeat-abilities';

/** What was left about one request on its way, where code that sees another request may look for it. */
export interface Left<Target> {
  /** Puts the same on another request. */
  putOn(target: Target): void;
  /** The memory that this takes. */
  readonly bytes: number;
}

/** The part of `ctx.state` that Strapi's own strategies and its service `auth` set. */
export interface CallerLeft {
  auth?: AuthState & { readonly ability?: unknown };
  user?: unknown;
  /** Set by users-permissions in its mode `refresh`. */
  session?: unknown;
  isAuthenticated?: unknown;
}

/** Each request gets rows of its own. Returns `undefined` if any part cannot be copied to an equal value. */
export const leftByAuthentication = ({
  auth,
  user,
  session,
  isAuthenticated,
}: CallerLeft): Left<CallerLeft> | undefined => {
  const rows = equalCopy([auth?.credentials, user, session]);
  if (rows === undefined) return undefined;
  const putOn = (state: CallerLeft): void => {
    // If the user is the very object that is in the credentials, so are the copies.
    const [credentials, ownUser, ownSession] = structuredClone(rows);
    if (user !== undefined) state.user = ownUser;
    if (session !== undefined) state.session = ownSession;
    if (isAuthenticated !== undefined) state.isAuthenticated = isAuthenticated;
    if (auth === undefined) return;
    const { strategy, ability } = auth;
    state.auth = { strategy, credentials, ability: isAbility(ability) ? abilityLike(ability) : ability };
  };
  return { putOn, bytes: 2 * serialize(rows).byteLength };
};

export const isAbility = (ability: unknown): ability is Ability => typeof ability === 'object' && ability !== null;

/** A copy that equals the value; `undefined` if there is none, because the value holds more than data. */
const equalCopy = <T>(value: T): T | undefined => {
  try {
    const copy = structuredClone(value);
    return isDeepStrictEqual(copy, value) ? copy : undefined;
  } catch {
    return undefined;
  }
};

/** What Strapi's router sets on a context, besides `params`: lists, or objects that all requests to a route share. */
const OF_ROUTER = [
  'matched',
  'router',
  'captures',
  'routerPath',
  'routerName',
  '_matchedRoute',
  '_matchedRouteName',
] as const;

const ownList = (value: unknown): unknown => (Array.isArray(value) ? [...(value as unknown[])] : value);

/** What the router and authentication have left on a context; `undefined` if any part of it cannot be copied. */
export const leftOnContext = (ctx: Context): Left<Context> | undefined => {
  const { route } = ctx.state as { route?: unknown };
  const { params } = ctx as { params?: Record<string, string> };
  const caller = leftByAuthentication(ctx.state);
  if (caller === undefined) return undefined;
  const ofRouter = OF_ROUTER.flatMap((name) => (Object.hasOwn(ctx, name) ? [[name, ownList(ctx[name])] as const] : []));
  const putOn = (other: Context): void => {
    for (const [name, value] of ofRouter) other[name] = ownList(value);
    if (params !== undefined) other.params = (other.request as { params?: unknown }).params = { ...params };
    if (route !== undefined) (other.state as { route?: unknown }).route = route;
    caller.putOn(other.state);
  };
  const pointers = 8 * ofRouter.flatMap(([, value]) => value).length;
  return { putOn, bytes: caller.bytes + 2 * serialize(params).byteLength + pointers };
};
