import { isDeepStrictEqual } from 'node:util';
import { serialize } from 'node:v8';
import type { AuthState } from '../http/caller-identity';
import { abilityLike, type Ability } from './repeat-abilities';

/** What authentication has left about one request. */
export interface Left {
  /** Puts the same on another request. */
  putOn(state: CallerLeft): void;
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
export const leftByAuthentication = ({ auth, user, session, isAuthenticated }: CallerLeft): Left | undefined => {
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
    return isDeepStrictEqual(copy, value) && hidesNothing(value) ? copy : undefined;
  } catch {
    return undefined;
  }
};

/** Whether no part of it has a property that is not enumerable: neither a copy nor the comparison includes these. */
const hidesNothing = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  ((Array.isArray(value) || Object.getOwnPropertyNames(value).length === Object.keys(value).length) &&
    Object.values(value).every(hidesNothing));
