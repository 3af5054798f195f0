import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import { types } from 'node:util';
import { type CacheKey, keyOfCaller, keysAtMost } from '../cache/key';
import type { ResolvedKeys, ResolvedRoute } from '../config/resolved-config';
import { callerIdentity, type CallerState, type Identity, roleIdentity } from './caller-identity';
import { CallerWatch, type Holder, type LookedAt } from './caller-watch';
import { exchangeOf } from './exchange';
import { ALL_HEADERS, type ReadName } from './request-reads';

/** It cannot be seen what is read of the caller. */
export const UNSEEN: LookedAt = '';

/**
 * Names that may be read of a user without telling users of one role apart: the role itself, and what JavaScript looks
 * for on any object, which is no column.
 */
const SAME_IN_ROLE: ReadonlySet<string> = new Set(['role', 'then', 'toJSON']);

/** The properties of users' rows, and whether each row has them: only some are read together with what they refer to. */
export type UserColumns = ReadonlyMap<string, boolean>;

/**
 * Watches the user of a request, if that is possible: their row and nothing else of them must be on the context, in
 * properties whose values can be replaced. Otherwise answers are this caller's alone.
 */
export const watchCaller = (ctx: Context, columns: UserColumns): void => {
  const state = ctx.state as CallerState & Holder;
  const { user, session } = state;
  const auth = state.auth as unknown as Holder;
  const identity = callerIdentity(state);
  const role = roleIdentity(state);
  if (identity.kind !== 'user' || role === undefined || !isObject(user) || user !== auth.credentials) return;
  const places: Array<[Holder, string]> = [
    [state, 'user'],
    [auth, 'credentials'],
  ];
  // Set where users-permissions keeps sessions.
  const ofSession: Array<[Holder, string]> = isObject(session) ? [[state, 'session']] : [];
  if (session !== undefined && ofSession.length === 0) return;
  if (![...places, ...ofSession].every(isReplaceable) || !hasColumns(user, columns)) return;
  const watch = new CallerWatch(identity, role);
  watch.show(user, 'ctx.state.user', (name) => SAME_IN_ROLE.has(name), places);
  if (isObject(session)) watch.show(session, 'ctx.state.session', () => false, ofSession);
  // Code that authenticates once more gets the row itself.
  if (exchangeOf(ctx).callerWatch !== undefined) watch.lookedAt = UNSEEN;
  exchangeOf(ctx).callerWatch = watch;
};

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Whether the property is a plain one: an accessor of the application's may have kept the value already. */
const isReplaceable = ([holder, name]: readonly [Holder, string]): boolean =>
  !types.isProxy(holder) && Object.getOwnPropertyDescriptor(holder, name)?.writable === true;

/**
 * Whether the row has the properties of all rows. It cannot be heard which properties code asks for (`'vip' in user`),
 * so a row with others, which a lifecycle of the application may have added or deleted, is not watched.
 */
const hasColumns = (row: object, columns: UserColumns): boolean =>
  Object.keys(row).every((name) => columns.has(name)) &&
  [...columns].every(([name, isAlways]) => !isAlways || Object.hasOwn(row, name));

/** The caller's identity. Reads of the caller for it do not count. */
export const identityOf = (ctx: Context): Identity => {
  const read = (): Identity => callerIdentity(ctx.state);
  const watch = exchangeOf(ctx).callerWatch;
  return watch === undefined ? read() : watch.unnoticed(read);
};

/** The credential says who is asking. `ignoreHeaders` may say of this header alone that this does not matter. */
const tellsCaller = (reads: Iterable<ReadName> | undefined, { ignoreHeaders }: ResolvedKeys): LookedAt | undefined => {
  const name = [...(reads ?? [])].find((each) => each === ALL_HEADERS || each === 'authorization');
  return name === undefined || ignoreHeaders.includes('authorization') ? undefined : 'ctx.headers.authorization';
};

/** How a request by a user may be answered where users of a role share answers (`keys.useAuth: 'role'`). */
export type RoleDecision =
  | { readonly key: CacheKey; readonly role: Identity; readonly lookedAt?: undefined }
  | { readonly key?: undefined; readonly lookedAt: LookedAt };

/** Maximum number of pages that are remembered. Others are learned again, at the price of a miss. */
const MAX_KEYS = 10_000;

/**
 * The pages that are made for each caller, although users of a role share the other pages of their route: code has
 * looked at who is asking. Like the fields of `Vary` ({@link Variants}), each process learns them for itself: as long
 * as it does not know a page, it finds none of its entries, which costs no more than a miss.
 */
export class CallerPages {
  readonly #pages = new LRUCache<CacheKey, LookedAt>(keysAtMost(MAX_KEYS));
  readonly #routes = new Map<string, LookedAt>();

  /** What was read of the caller last on a route; `undefined` if users of a role share all of its answers. */
  ofRoute(path: string): LookedAt | undefined {
    return this.#routes.get(path);
  }

  /**
   * Decides on a request that has come to its handler. Code in front counts as well: the handler may use what that has
   * put on the context or into the query.
   *
   * @param own the key for the caller alone.
   * @returns `undefined` for callers who have no role, and on routes where callers do not share answers by role.
   */
  decide(ctx: Context, { keys, path }: ResolvedRoute, identity: Identity, own: CacheKey): RoleDecision | undefined {
    if (keys.useAuth !== 'role' || identity.kind !== 'user') return undefined;
    const { callerWatch: watch, readsInFront } = exchangeOf(ctx);
    // A policy may have put somebody else in the place of the user who was watched.
    const isWatched = watch !== undefined && watch.identity.name === identity.name;
    const inFront = isWatched ? (watch.lookedAt ?? tellsCaller(readsInFront?.keys(), keys)) : UNSEEN;
    if (inFront !== undefined) {
      this.#routes.set(path, inFront);
      return { lookedAt: inFront };
    }
    const role = watch?.role ?? identity;
    const key = keyOfCaller(own, role.name);
    const known = this.#pages.get(key);
    return known === undefined ? { key, role } : { lookedAt: known };
  }

  /**
   * Called when the body is made.
   *
   * @param key see {@link RoleDecision}.
   * @param reads what the handler has read of the request.
   * @returns whether users of the role may share the answer.
   */
  mayShare(ctx: Context, { keys, path }: ResolvedRoute, key: CacheKey, reads: Iterable<ReadName>): boolean {
    const watch = exchangeOf(ctx).callerWatch;
    const looked = watch === undefined ? UNSEEN : (watch.lookedAt ?? tellsCaller(reads, keys));
    if (looked === undefined) return !this.#pages.has(key);
    this.#pages.set(key, looked);
    this.#routes.set(path, looked);
    return false;
  }
}
