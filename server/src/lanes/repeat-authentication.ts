import type { Context } from 'koa';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../cache/clock';
import { milliseconds } from '../cache/milliseconds';
import type { Guard, Provider } from '../cache/provider';
import { callerIdentity, type AuthState, REPEATABLE_CALLERS, verdictExpiry } from '../http/caller-identity';
import { exchangeOf } from '../http/exchange';
import { isSafeMethod } from '../http/request-message';
import type { AuthService } from '../observe/authentication';
import type { PermissionRead, Recording } from '../observe/recording';
import { isCachedRoute, type RouteConfig, routeOf } from './attach-lanes';
import { SharedTags } from './outer-lane';
import { isPlain } from './plain-copy';
import { abilityLike, type Ability, sharedAbility } from './repeat-abilities';
import { ifPossible, type OnFault } from './undo-answer';

/** What Strapi's own strategies leave, beside what they refuse. */
interface CallerLeft {
  readonly strategy: AuthState['strategy'];
  /** `null` for an anonymous caller. */
  readonly credentials: unknown;
  readonly ability: Ability | null;
  /** Whether `ctx.state.user` is the very object that is in `ctx.state.auth.credentials`. */
  readonly isUser: boolean;
  /** `ctx.state.session`: of users-permissions in its mode `refresh`. */
  readonly session: unknown;
}

/** A caller who was let in, and the exact request. */
interface LetIn {
  readonly spelling: string;
  /** By which Strapi chooses strategies and authorises. */
  readonly routeConfig: RouteConfig;
  readonly left: CallerLeft;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

interface Remembered extends LetIn {
  /** All that was read to let them in. */
  readonly read: PermissionRead;
  readonly guard: Guard;
}

interface State {
  auth?: AuthState & { readonly ability?: unknown };
  user?: unknown;
  session?: unknown;
  isAuthenticated?: unknown;
}

/** What of `ctx.state` Strapi's own strategies and its service `auth` set. */
const LEFT: ReadonlySet<string> = new Set(['auth', 'user', 'session', 'isAuthenticated']);

/** Memory for callers before the least recently repeated go. */
const MAX_BYTES = 16 * 1024 * 1024;

/** What one takes beside its texts: its own objects, and its place in the map. */
const OVERHEAD = 800;

/** Not because it would go stale: whoever writes past the plugin is heard of in a minute, as with verdicts. */
const LONGEST = milliseconds(60_000);

/**
 * Lets a caller in again as before, on the way to the route: for a request that is spelled exactly like one that was let
 * in and then answered by an entry, as long as nothing has been stamped that was read to decide that. What Strapi's
 * service `auth` had left on the context is put there again; what comes behind it runs as ever.
 */
export class RepeatedAuthentication {
  readonly #known = new LRUCache<string, Remembered>({ maxSize: MAX_BYTES });
  readonly #tags = new SharedTags();
  /** What authorisation has to find in order to find again what it has found before. */
  readonly #authorised = new WeakMap<object, { readonly config: unknown }>();
  readonly #clock: Clock;
  readonly #onFault: OnFault;
  #provider: Provider | undefined;
  #spelled: ((ctx: Context) => string | undefined) | undefined;

  constructor(clock: Clock, onFault: OnFault) {
    this.#clock = clock;
    this.#onFault = onFault;
  }

  /** Until then, and with a provider that cannot tell at once whether a guard holds, everybody is asked every time. */
  open(provider: Provider, spelled: (ctx: Context) => string | undefined): void {
    if (provider.holds === undefined) return;
    this.#provider = provider;
    this.#spelled = spelled;
  }

  attach(service: AuthService): void {
    const { authenticate, verify } = service;
    service.authenticate = (ctx, next) => {
      let isLetIn = false;
      let lookAt: (() => void) | undefined;
      ifPossible(() => {
        const spelling = this.#spellingOf(ctx as Context);
        if (spelling === undefined) return;
        isLetIn = this.#letInAgain(ctx as Context, spelling);
        if (!isLetIn) lookAt = this.#looking(ctx as Context, spelling);
      }, this.#onFault);
      if (isLetIn) return next();
      return authenticate.call(service, ctx, () => {
        if (lookAt !== undefined) ifPossible(lookAt, this.#onFault);
        return next();
      });
    };
    service.verify = async (auth, config) => {
      const known = this.#authorised.get(auth as object);
      if (known === undefined || known.config !== config) return verify.call(service, auth, config);
      // Whoever asks later may have changed what there is to find.
      this.#authorised.delete(auth as object);
    };
  }

  /** Begins to look at what authentication leaves. */
  #looking(ctx: Context, spelling: string): () => void {
    const before = footprint(ctx);
    return () => {
      const exchange = exchangeOf(ctx);
      const letIn = this.#lookAt(ctx, spelling, before);
      if (letIn === undefined) return;
      exchange.rememberCaller = () => void ifPossible(() => this.#remember(letIn, exchange.recording), this.#onFault);
    };
  }

  #remember(letIn: LetIn, recording: Recording | undefined): void {
    if (recording?.since === undefined) return;
    const reads = recording.permissionReads;
    const tables = [...new Set(reads.flatMap((read) => read.tables))];
    const { tags, bytes } = this.#tags.share([...new Set(reads.flatMap((read) => read.tags()))]);
    const { credentials, session } = letIn.left;
    const texts = letIn.spelling.length + 2 * JSON.stringify([credentials, session]).length;
    this.#known.set(
      letIn.spelling,
      { ...letIn, read: { tables, tags: () => tags }, guard: { tags, since: recording.since } },
      { size: OVERHEAD + texts + bytes },
    );
  }

  /** `undefined` for requests of which nothing is remembered. */
  #spellingOf(ctx: Context): string | undefined {
    if (this.#spelled === undefined || !isSafeMethod(ctx.method) || !isCachedRoute(ctx)) return undefined;
    return routeOf(ctx)?.config?.auth === false ? undefined : this.#spelled(ctx);
  }

  #letInAgain(ctx: Context, spelling: string): boolean {
    const known = this.#known.get(spelling);
    const { recording } = exchangeOf(ctx);
    if (known === undefined || recording === undefined || known.routeConfig !== routeOf(ctx)?.config) return false;
    if (known.until <= this.#clock.now() || this.#provider?.holds?.(known.guard) !== true) {
      this.#known.delete(spelling);
      return false;
    }
    recording.readPermission(known.read);
    const { strategy, ability, isUser, session } = known.left;
    const credentials = structuredClone(known.left.credentials);
    const state = ctx.state as State;
    const auth = { strategy, credentials, ability: ability === null ? null : abilityLike(ability) };
    if (isUser) state.user = credentials;
    if (session !== undefined) state.session = structuredClone(session);
    state.isAuthenticated = true;
    state.auth = auth;
    this.#authorised.set(auth, { config: known.routeConfig.auth });
    return true;
  }

  /** What there is to remember of a caller whom authentication has just let in; `undefined` if it may not be all. */
  #lookAt(ctx: Context, spelling: string, before: Footprint): LetIn | undefined {
    const routeConfig = routeOf(ctx)?.config;
    const state = ctx.state as State;
    const { auth } = state;
    // What a strategy has read it may have left somewhere else than on the context.
    if (exchangeOf(ctx).readsOfStrategies !== undefined) return undefined;
    if (routeConfig === undefined || auth === undefined || !isLikeBefore(footprint(ctx), before)) return undefined;
    const identity = callerIdentity(state);
    if (!REPEATABLE_CALLERS.has(identity.kind)) return undefined;
    const { credentials } = auth;
    const isUser = state.user !== undefined && state.user === credentials;
    const session = state.session === before.state.session ? undefined : state.session;
    // Of an engine that somebody has hooked into nothing is known.
    const ability = isAbility(auth.ability) ? sharedAbility(auth.ability) : null;
    if (ability === undefined || (!isUser && state.user !== before.state.user)) return undefined;
    if (!isPlain(credentials) || !isPlain(session)) return undefined;
    const now = this.#clock.now();
    const left = { strategy: auth.strategy, credentials: structuredClone(credentials), ability, isUser };
    return {
      spelling,
      routeConfig,
      left: { ...left, session: structuredClone(session) },
      until: Math.min(now + LONGEST, verdictExpiry(ctx, identity, now)),
    };
  }
}

const isAbility = (ability: unknown): ability is Ability => typeof ability === 'object' && ability !== null;

/** What somebody may have left on a request and its response. */
interface Footprint {
  readonly state: Readonly<Record<string, unknown>>;
  /** Names of properties and headers, and values of the headers. */
  readonly texts: readonly string[];
}

const footprint = (ctx: Context): Footprint => {
  const headers = ctx.res.getHeaders();
  return {
    state: { ...(ctx.state as Record<string, unknown>) },
    texts: [
      ...Object.keys(ctx),
      ...Object.keys(ctx.request),
      ...Object.keys(ctx.response),
      ...Object.keys(headers),
      ...Object.values(headers).map(String),
    ],
  };
};

/** Whether nothing was left but what is put there again: a strategy of others may leave more before it declines. */
const isLikeBefore = (now: Footprint, before: Footprint): boolean =>
  now.texts.length === before.texts.length &&
  now.texts.every((text, place) => text === before.texts[place]) &&
  Object.keys({ ...before.state, ...now.state }).every(
    (name) => LEFT.has(name) || now.state[name] === before.state[name],
  );
