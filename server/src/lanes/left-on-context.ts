import type { Context } from 'koa';
import { serialize } from 'node:v8';
import type { AuthState } from '../http/caller-identity';
import { equalCopy } from './equal-copy';
import { abilityLike, type Ability } from './repeat-abilities';

/** What a route leaves on its context about the caller and the route, where global middlewares may look for it. */
export interface LeftOnContext {
  /** Puts the same on the context of another request. */
  putOn(ctx: Context): void;
  /** The memory that this takes. */
  readonly bytes: number;
}

interface State {
  auth?: AuthState & { readonly ability?: unknown };
  user?: unknown;
  session?: unknown;
  isAuthenticated?: unknown;
  route?: unknown;
}

/**
 * The properties that Strapi's router sets on a context, besides `params`. Their values are lists, or objects that are
 * the same for every request to a route.
 */
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

/**
 * What the router and Strapi's service `auth` have left on a context; `undefined` if any part of it cannot be copied to
 * an equal value. Rows are copied again for each request that looks at them.
 */
export const leftOnContext = (ctx: Context): LeftOnContext | undefined => {
  const { auth, user, session, isAuthenticated, route } = ctx.state as State;
  const { params } = ctx as { params?: Record<string, string> };
  const isUser = user !== undefined && user === auth?.credentials;
  const copies = equalCopy([auth?.credentials, isUser ? undefined : user, session]);
  if (copies === undefined) return undefined;
  const ofRouter = OF_ROUTER.flatMap((name) => (Object.hasOwn(ctx, name) ? [[name, ownList(ctx[name])] as const] : []));

  const putOn = (other: Context): void => {
    const state = other.state as State;
    for (const [name, value] of ofRouter) other[name] = ownList(value);
    if (params !== undefined) other.params = (other.request as { params?: unknown }).params = { ...params };
    if (route !== undefined) state.route = route;
    if (isAuthenticated !== undefined) state.isAuthenticated = isAuthenticated;
    let own: unknown[] | undefined;
    const ownCopy = (at: number) => (): unknown => (own ??= structuredClone(copies))[at];
    if (user !== undefined) whenAsked(state, 'user', ownCopy(isUser ? 0 : 1));
    if (session !== undefined) whenAsked(state, 'session', ownCopy(2));
    if (auth === undefined) return;
    const { strategy, ability } = auth;
    state.auth = { strategy, credentials: undefined, ability: isAbility(ability) ? abilityLike(ability) : ability };
    whenAsked(state.auth, 'credentials', ownCopy(0));
  };
  const pointers = 8 * ofRouter.flatMap(([, value]) => value).length;
  return { putOn, bytes: 2 * serialize([copies, params]).byteLength + pointers };
};

const isAbility = (ability: unknown): ability is Ability => typeof ability === 'object' && ability !== null;

/** Defines an ordinary property whose value is made when it is first read. */
const whenAsked = (target: object, name: string, make: () => unknown): void => {
  const set = (value: unknown): void => {
    Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
  };
  const get = (): unknown => {
    const value = make();
    set(value);
    return value;
  };
  Object.defineProperty(target, name, { get, set, enumerable: true, configurable: true });
};
