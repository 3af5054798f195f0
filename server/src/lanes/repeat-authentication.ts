import type { Context, Next } from 'koa';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../cache/clock';
import { withDeadline } from '../cache/deadline';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import type { Guard, MaybePromise, Provider } from '../cache/provider';
import { callerIdentity, REPEATABLE_CALLERS, callerExpiry } from '../http/caller-identity';
import { UNSEEN, watchCaller } from '../http/caller-reads';
import { exchangeOf } from '../http/exchange';
import type { ParsedRequest } from '../http/parameters-in-front';
import { ALL_HEADERS, type ReadName } from '../http/request-reads';
import { beginReadsOfStrategies } from '../http/unkeyed-reads';
import type { AuthStandIn } from '../observe/authentication';
import type { PermissionRead, Recording } from '../observe/recording';
import { type RouteConfig, routeOf } from '../handlers/chosen-route';
import { laneOn } from './attach-lanes';
import { type CallerLeft, isAbility, type Left, leftByAuthentication } from './left-by-authentication';
import { SharedTags } from './remembered-hits';
import { sharedAbility } from './repeat-abilities';
import { authenticateAs, trialOf } from './trial-request';
import { ifPossible, type OnFault } from './undo-answer';

/** A caller who was authenticated for an exact request. */
interface Caller {
  readonly fingerprint: string;
  /** The route's configuration, by which Strapi chooses strategies and authorises; `undefined` for an endpoint. */
  readonly routeConfig: RouteConfig | undefined;
  readonly left: Left;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

interface Remembered extends Caller {
  /** Everything that was read to authenticate and authorise the caller. */
  readonly read: PermissionRead;
  readonly guard: Guard;
}

/** The names of {@link CallerLeft}. */
const LEFT = ['auth', 'user', 'session', 'isAuthenticated'];

/** Maximum memory for callers, in bytes. Beyond it, the least recently used are dropped. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Memory of a caller besides its texts, in bytes: its own objects, and its place in the map. */
const OVERHEAD = 800;

/** Maximum memory for requests that an entry has answered once, in characters of their fingerprints. */
const MAX_ANSWERED = 2 * 1024 * 1024;

/** How long a caller is remembered at most. Writes that are not observed take effect then; all others do at once. */
const LONGEST = milliseconds(60_000);

/**
 * Authenticates and authorises a caller without asking again, on the way to the route: for a request with the same
 * fingerprint as one that was authenticated and then answered by an entry, as long as nothing that was read for that
 * decision has been stamped. What Strapi's service `auth` had left on the context is put there again. Everything behind
 * it runs as always.
 *
 * To look at what authentication leaves is a part of a miss that would be wasted if the request never comes again. So
 * the first hit of a request is only noted; at the next, what authentication leaves is kept.
 */
export class RepeatedAuthentication implements AuthStandIn {
  readonly #known = new LRUCache<string, Remembered>({ maxSize: MAX_BYTES });
  /** The fingerprints of requests that an entry has answered, and whose callers are not known yet. */
  readonly #answered = new LRUCache<string, true>({ maxSize: MAX_ANSWERED });
  readonly #tags = new SharedTags();
  /** By what was put in `ctx.state.auth` here, the `config.auth` of the route on which its caller is authorised. */
  readonly #authorised = new WeakMap<object, unknown>();
  readonly #clock: Clock;
  readonly #onRead: (name: ReadName) => void;
  readonly #onFault: OnFault;
  /** Describes all content types. Set where users of a role share answers. */
  metadata: Parameters<typeof watchCaller>[1] | undefined;
  /**
   * If it is not 0, callers are remembered at the first answer, anonymous ones for this long: who has asked may be let
   * in while the database is away.
   */
  outlasts = milliseconds(0);
  #holds: ((guard: Guard) => MaybePromise<boolean>) | undefined;
  #fingerprintOf: ((ctx: Context) => string | undefined) | undefined;

  /**
   * @param onRead called with what authentication strategies other than Strapi's own read of a request, so that all
   * lanes tell apart requests that differ in it.
   */
  constructor(clock: Clock, onRead: (name: ReadName) => void, onFault: OnFault) {
    this.#clock = clock;
    this.#onRead = onRead;
    this.#onFault = onFault;
  }

  /**
   * Begins to repeat authentication. Before that, and with a provider that cannot tell whether a guard holds, the
   * strategies are asked every time.
   *
   * @param getTimeout how long the provider may take to tell whether a guard holds.
   * @param fingerprint returns the fingerprint of a request; `undefined` if its authentication must not be repeated.
   */
  open(provider: Provider, getTimeout: Milliseconds, fingerprint: (ctx: Context) => string | undefined): void {
    if (provider.holds === undefined) return;
    this.#fingerprintOf = fingerprint;
    this.#holds = (guard) => {
      const holds = provider.holds?.(guard) ?? false;
      // If the store fails, the strategies are asked, and the lane asks the store once more.
      return holds instanceof Promise ? withDeadline(holds, getTimeout).catch(() => false) : holds;
    };
  }

  /** Authenticates the caller of a request, and asks the strategies only if it is not known what they would find. */
  async authenticate(asked: unknown, strategies: (next: Next) => Promise<unknown>, rest: Next): Promise<unknown> {
    const ctx = asked as Context;
    const exchange = exchangeOf(ctx);
    // An endpoint asks by itself, behind a route with `auth: false`. Whatever answers its operations comes next.
    const endpoint = routeOf(ctx)?.config === undefined ? exchange.endpoint : undefined;
    // Code that authenticates once more gets the row itself.
    if (exchange.callerWatch !== undefined) exchange.callerWatch.lookedAt ??= UNSEEN;
    const next = (isAllKnown: boolean): Promise<unknown> => {
      if (isAllKnown) this.#ifPossible(() => this.#watchCaller(ctx));
      return endpoint === undefined ? rest() : endpoint.answer(ctx, rest);
    };
    const trial = trialOf(ctx.req);
    if (trial !== undefined && endpoint !== undefined) trial.hasAskedAuthentication = true;
    if (trial?.caller !== undefined) return authenticateAs(trial.caller, ctx, () => next(true));
    const isOfRoute = (): boolean => ['GET', 'HEAD'].includes(ctx.method) && laneOn(ctx) !== undefined;
    if (endpoint === undefined && this.#ifPossible(isOfRoute) !== true) return strategies(() => next(false));
    exchange.isOfCachedRoute = true;
    const isAsked = routeOf(ctx)?.config?.auth !== false;
    const fingerprint = this.#ifPossible(() => (isAsked ? this.#fingerprintOf?.(ctx) : undefined));
    if (fingerprint !== undefined && (await this.#authenticateAgain(ctx, fingerprint))) return next(true);
    const endReads = this.#ifPossible(() => beginReadsOfStrategies(ctx, this.#onRead));
    // What strategies read unnoticed counts as a read of everything.
    if (endReads === undefined) exchange.readsOfStrategies = new Set([ALL_HEADERS]);
    const look = this.#ifPossible(() => endReads && this.#beforeStrategies(ctx, fingerprint));
    try {
      return await strategies(() => {
        this.#ifPossible(() => endReads?.());
        return next(this.#ifPossible(() => look?.()) === true);
      });
    } finally {
      this.#ifPossible(() => endReads?.());
    }
  }

  #ifPossible<T>(step: () => T): T | undefined {
    return ifPossible(step, this.#onFault);
  }

  /**
   * Called before strategies are asked. What it returns is called when they have authenticated the caller, and tells
   * whether all is known that they have left: no more than is put on the context again.
   */
  #beforeStrategies(ctx: Context, fingerprint: string | undefined): (() => boolean) | undefined {
    const mayRemember = fingerprint !== undefined && (this.outlasts !== 0 || this.#answered.has(fingerprint));
    if (fingerprint !== undefined && !mayRemember) {
      const exchange = exchangeOf(ctx);
      exchange.rememberCaller = () => this.#answered.set(fingerprint, true, { size: fingerprint.length });
    }
    if (!mayRemember && laneOn(ctx)?.isByRole !== true) return undefined;
    const before = footprint(ctx);
    return () => {
      // A strategy, or a lifecycle of users, may have left what it knows of the caller elsewhere.
      if (!isLikeBefore(footprint(ctx), before)) return false;
      if (mayRemember) this.#lookAt(ctx, fingerprint, before.state);
      return true;
    };
  }

  /**
   * Watches what is read of the caller from here on, where users of a role share answers. Their permissions must be all
   * that Strapi has made of the role: nothing is known of those that other code has changed.
   */
  #watchCaller(ctx: Context): void {
    const { callerWatch, readsOfStrategies } = exchangeOf(ctx);
    if (laneOn(ctx)?.isByRole !== true || (callerWatch ?? readsOfStrategies) !== undefined) return;
    const { ability } = (ctx.state as CallerLeft).auth ?? {};
    const isOfRole = trialOf(ctx.req) !== undefined || (isAbility(ability) && sharedAbility(ability) !== undefined);
    if (isOfRole && this.metadata !== undefined) watchCaller(ctx, this.metadata);
  }

  async #authenticateAgain(ctx: Context, fingerprint: string): Promise<boolean> {
    try {
      const known = this.#known.get(fingerprint);
      const { recording } = exchangeOf(ctx);
      if (known === undefined || recording === undefined || known.routeConfig !== routeOf(ctx)?.config) return false;
      if (known.until <= this.#clock.now() || (await this.#holds?.(known.guard)) !== true) {
        this.#known.delete(fingerprint);
        return false;
      }
      recording.readPermission(known.read);
      const state = ctx.state as CallerLeft;
      known.left.putOn(state);
      if (state.auth !== undefined) this.#authorised.set(state.auth, known.routeConfig?.auth);
      return true;
    } catch (error) {
      this.#onFault(error);
      return false;
    }
  }

  /** Asks authorisation about a caller, unless it has authorised this caller on this route before. */
  async verify(auth: unknown, routeAuth: unknown, ask: () => Promise<unknown>): Promise<unknown> {
    if (routeAuth === undefined || this.#authorised.get(auth as object) !== routeAuth) return ask();
    // Once only: code that asks later may have changed what authorisation would find.
    this.#authorised.delete(auth as object);
    return undefined;
  }

  /**
   * Prepares to remember a caller who was just authenticated, if it can be seen what authentication has left.
   *
   * @param before `ctx.state` before that.
   */
  #lookAt(ctx: Context, fingerprint: string, before: Footprint['state']): void {
    const exchange = exchangeOf(ctx);
    const routeConfig = routeOf(ctx)?.config;
    const state = ctx.state as CallerLeft & Record<string, unknown>;
    const { auth } = state;
    // A strategy may have left what it has read somewhere else than on the context.
    if (exchange.readsOfStrategies !== undefined || auth === undefined) return;
    const identity = callerIdentity(state);
    if (!REPEATABLE_CALLERS.has(identity.kind)) return;
    // `undefined` if other code has hooked into the permission engine: then nothing is known about its abilities.
    const ability = isAbility(auth.ability) ? sharedAbility(auth.ability) : null;
    if (ability === undefined) return;
    const changed = LEFT.filter((name) => state[name] !== before[name]).map((name) => [name, state[name]]);
    const left = leftByAuthentication({ ...Object.fromEntries(changed), auth: { ...auth, ability } } as CallerLeft);
    if (left === undefined) return;
    const now = this.#clock.now();
    const longest = identity.kind === 'public' ? Math.max(LONGEST, this.outlasts) : LONGEST;
    const until = Math.min(now + longest, callerExpiry(ctx, identity, now));
    const caller = { fingerprint, routeConfig, left, until };
    exchange.rememberCaller = () => this.#ifPossible(() => this.#remember(caller, exchange.recording));
  }

  #remember(caller: Caller, recording: Recording | undefined): void {
    // Whether it still holds what no tag names cannot be told.
    if (recording?.since === undefined || recording.unstorable !== undefined) return;
    const { fingerprint, left } = caller;
    const reads = recording.permissionReads;
    const tables = [...new Set(reads.flatMap((read) => read.tables))];
    const { tags, bytes } = this.#tags.share([...new Set(reads.flatMap((read) => read.tags()))]);
    const size = OVERHEAD + fingerprint.length + left.bytes + bytes;
    const read = { tables, tags: () => tags };
    this.#answered.delete(fingerprint);
    this.#known.set(fingerprint, { ...caller, read, guard: { tags, since: recording.since } }, { size });
  }
}

/** What strategies may have left on a request and its response. */
interface Footprint {
  readonly state: Readonly<Record<PropertyKey, unknown>>;
  /** The names of properties, hidden ones among them, the response headers, the URL and the parsed query, as JSON. */
  readonly text: string;
}

const footprint = (ctx: Context): Footprint => {
  const { request, response, req, res, state } = ctx;
  const names = [...[ctx, request, response].map(Reflect.ownKeys), ...[req, res].map(Object.getOwnPropertyNames)];
  return {
    state: Object.fromEntries(
      Reflect.ownKeys(state as object).map((name) => [name, Reflect.get(state as object, name)]),
    ),
    text: JSON.stringify([...names, res.getHeaders(), req.url, (request as ParsedRequest)._querycache]),
  };
};

/**
 * Whether strategies have left nothing but what is put on the context again. A strategy of the application may leave
 * more before it declines the caller.
 */
const isLikeBefore = (now: Footprint, before: Footprint): boolean =>
  now.text === before.text &&
  Reflect.ownKeys({ ...before.state, ...now.state }).every(
    (name) => LEFT.includes(String(name)) || now.state[name] === before.state[name],
  );
