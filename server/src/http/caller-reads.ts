import type { Core } from '@strapi/strapi';
import type { Context } from 'koa';
import { types } from 'node:util';
import { type CacheKey, keyOfCaller } from '../cache/key';
import { lruByText } from '../cache/lru-by-text';
import type { ResolvedRoute } from '../config/resolved-config';
import { callerIdentity, type CallerState, idOf, type Identity } from './caller-identity';
import { type CallerWatch, exchangeOf } from './exchange';
import { ALL_HEADERS, type ReadName } from './request-reads';
import { StandIn } from './stand-in';

/** It cannot be seen what is read of the caller. */
export const UNSEEN = '';

type Holder = Record<string, unknown>;
type Model = ReturnType<Core.Strapi['db']['metadata']['get']>;

/** What may be read of a user without telling users of one role apart. JavaScript itself asks objects for the last two. */
const SAME_IN_ROLE: ReadonlySet<string> = new Set(['role', 'then', 'toJSON']);

/**
 * Watches what is read of a user from the moment when Strapi has authenticated them: by policies, middlewares, the
 * handler, and all code that they call, however it finds the context. Strapi's own authorisation and sanitising look
 * whether there is a user, and at the ability, which is the same for all users of a role. Neither counts.
 *
 * The row and nothing else of the user must be on the context, in properties whose values can be replaced. Otherwise they
 * are not watched, and answers are theirs alone.
 */
export const watchCaller = (ctx: Context, models: { get(uid: string): Model }): void => {
  const state: Holder = ctx.state;
  const auth = state.auth as Holder;
  // users-permissions sets a session in its mode `refresh` only.
  const { user, session } = state;
  if (callerIdentity(ctx.state).kind !== 'user' || user !== auth.credentials) return;
  const model = models.get('plugin::users-permissions.user');
  if (!isRow(user, model) || !isRow(user.role, models.get('plugin::users-permissions.role'))) return;
  const id = idOf(user.role);
  if (id === undefined) return;
  if (session !== undefined && !isPlain(session)) return;
  if (!areReplaceable(state, 'user', 'auth', 'session') || !areReplaceable(auth, 'credentials')) return;
  const note = (looked: string): void => void (watch.lookedAt ??= looked);
  const standIn = (value: object, path: string, harmless: ReadonlySet<string>): object =>
    new StandIn(value, {
      read: (name) => (harmless.has(name) ? undefined : note(`${path}.${name}`)),
      readAll: () => note(path),
      // Which properties there are is the same for all users of a role: see `isRow`.
      mayHaveAskedFor: () => undefined,
    }).take(false);
  const shown = standIn(user, 'ctx.state.user', SAME_IN_ROLE);
  // Nor can it be heard which relations code asks for, so only users whose rows have the same ones share.
  const populated = Object.keys(user).filter((name) => name !== 'role' && isRelation(model, name));
  const role = { kind: 'role', name: ['role', id, ...populated].join(':') } as const;
  const watch: CallerWatch = { shown, role, lookedAt: undefined };
  state.user = auth.credentials = shown;
  if (session !== undefined) state.session = standIn(session, 'ctx.state.session', new Set());
  exchangeOf(ctx).callerWatch = watch;
};

/** Whether the object does nothing by itself: it is no proxy, and inherits neither methods nor accessors. */
const isPlain = (value: unknown): value is Holder =>
  typeof value === 'object' && !types.isProxy(value) && Object.getPrototypeOf(value ?? '') === Object.prototype;

/**
 * Whether this is a row with the properties of all rows. It cannot be heard which properties code asks for (`'vip' in
 * user`), so a row with others, which a lifecycle of the application may have added or deleted, is not watched.
 */
const isRow = (value: unknown, model: Model): value is Holder =>
  isPlain(value) &&
  Reflect.ownKeys(value).every((name) => Object.hasOwn(model.attributes, name)) &&
  Object.keys(model.attributes).every((name) => isRelation(model, name) || Object.hasOwn(value, name));

const isRelation = ({ attributes }: Model, name: string): boolean => attributes[name]?.type === 'relation';

/** Whether the properties that there are are plain ones: an accessor may have kept the value already. */
const areReplaceable = (holder: Holder, ...names: readonly string[]): boolean =>
  isPlain(holder) &&
  names.every((name) => !(name in holder) || Object.getOwnPropertyDescriptor(holder, name)?.writable === true);

/** The caller's identity. Reads of the caller for it do not count. */
export const identityOf = (ctx: Context): Identity => {
  const watch = exchangeOf(ctx).callerWatch;
  const before = watch?.lookedAt;
  const identity = callerIdentity(ctx.state);
  if (watch !== undefined) watch.lookedAt = before;
  return identity;
};

/**
 * What code has looked at that tells who is asking.
 *
 * @param reads what it has read of the request. The credential tells as well. `ignoreHeaders` may say of this header
 * alone that this does not matter.
 */
const whatTells = (ctx: Context, route: ResolvedRoute, reads: Iterable<ReadName> = []): string | undefined => {
  const { user, auth } = ctx.state as CallerState;
  const watch = exchangeOf(ctx).callerWatch;
  // A policy may have put somebody else in the place of the user who was watched.
  if (watch === undefined || user !== watch.shown || auth?.credentials !== watch.shown) return UNSEEN;
  const isCredential = (name: ReadName): boolean => name === ALL_HEADERS || name === 'authorization';
  const isToldByHeader = !route.keys.ignoreHeaders.includes('authorization') && [...reads].some(isCredential);
  return watch.lookedAt ?? (isToldByHeader ? 'ctx.headers.authorization' : undefined);
};

/** Who shares the answer to a request. */
export interface Sharers {
  /** The key of which the one that is looked up is a variant; the same if the response has no variants. */
  readonly primary: CacheKey;
  /** If users of a role share the answer, unless its handler looks at the caller: the key for the caller alone. */
  readonly shared?: { readonly role: Identity; readonly own: CacheKey } | undefined;
  /** What was read of the caller, if that is why users of a role do not share the answer. */
  readonly lookedAt?: string | undefined;
}

/** Maximum number of pages that are remembered. Others are learned again, at the price of a miss. */
const MAX_KEYS = 10_000;

/**
 * The pages that are made for each caller, although users of a role share the other pages of their route: code has
 * looked at who is asking. Like the fields of `Vary` ({@link Variants}), each process learns them for itself: as long
 * as it does not know a page, it finds none of its entries, which costs no more than a miss.
 */
export class CallerPages {
  readonly #pages = lruByText<CacheKey, string>(MAX_KEYS);
  /** What was read of the caller last, by the path of the route. Users of a role share all answers of other routes. */
  readonly ofRoutes = new Map<string, string>();

  /**
   * Decides under which key a request is looked up that has come to its handler. Code in front counts as well: the handler
   * may use what that has put on the context or into the query.
   *
   * @param own the key for the caller alone.
   */
  decide(ctx: Context, route: ResolvedRoute, identity: Identity, own: CacheKey): Sharers {
    if (route.keys.useAuth !== 'role' || identity.kind !== 'user') return { primary: own };
    const { callerWatch, readsInFront } = exchangeOf(ctx);
    const role = callerWatch?.role ?? identity;
    const primary = keyOfCaller(own, role.name);
    const lookedAt = whatTells(ctx, route, readsInFront?.keys()) ?? this.#pages.get(primary);
    if (lookedAt === undefined) return { primary, shared: { role, own } };
    this.ofRoutes.set(route.path, lookedAt);
    return { primary: own, lookedAt };
  }

  /**
   * Whether users of the role may share an answer under this key. Called when the body is made: it may hold the caller,
   * which is heard when it is serialised.
   *
   * @param reads what the handler has read of the request.
   */
  mayShare(ctx: Context, route: ResolvedRoute, key: CacheKey, reads: Iterable<ReadName>): boolean {
    const lookedAt = whatTells(ctx, route, reads);
    if (lookedAt === undefined) return !this.#pages.has(key);
    this.#pages.set(key, lookedAt);
    this.ofRoutes.set(route.path, lookedAt);
    return false;
  }
}
