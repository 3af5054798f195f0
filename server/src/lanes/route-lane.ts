import type { Context, Next } from 'koa';
import { askedBy, type KnownRequests } from '../background/known-requests';
import { ownRequest } from '../background/own-requests';
import type { Revalidation } from '../background/revalidation';
import { elapsed, type EpochMilliseconds, systemClock } from '../cache/clock';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { Milliseconds } from '../cache/milliseconds';
import { letsCredentialsIn } from '../config/hitpass';
import { servesStale } from '../config/resolved-config';
import type { Computation, Hit, OnExpired, Reason, ResponseCache } from '../cache/response-cache';
import type { MaybePromise } from '../cache/provider';
import type { IssuedKeys } from '../edge/edge';
import { type Identity, REPEATABLE_CALLERS, callerExpiry } from '../http/caller-identity';
import { identityOf } from '../http/caller-reads';
import { decide } from '../http/decision';
import { exchangeOf } from '../http/exchange';
import { hidingParameters } from '../http/query-parameters';
import { BODY_SHAPING_HEADERS, originalHeaders } from '../http/request-key';
import { thrownReason } from '../http/thrown-answer';
import { endReadsOfRoute } from '../http/unkeyed-reads';
import type { AuthService } from '../observe/authentication';
import { validateOwnQuery } from '../handlers/strapis-handlers';
import { AnswerComputation, askHandler, type ComputationSettings, type Keys } from './compute-answer';
import { EntryServer, type ServingSettings } from './serve-entry';
import { type Trial, trialOf } from './trial-request';
import { orTheOrigin } from './undo-answer';

export interface RouteLaneSettings extends ServingSettings, ComputationSettings {
  readonly cache: ResponseCache;
  /** Computes anew what is older than its `maxAge`; left out for the lane of an operation. */
  readonly revalidation?: Revalidation;
  /** Notes how to ask for each stored response that anybody may have, if they are computed in the background. */
  readonly known?: KnownRequests | undefined;
}

const HEAD: Reason = { code: 'head', detail: 'HEAD' };
const NOT_GRANTED: Reason = {
  code: 'not-granted',
  detail: 'the caller no longer has a permission that the handler had asked for',
};

/** The middleware on a cached route. It alone decides: hitpass, key, identity, storability. */
export const createRouteLane = (settings: RouteLaneSettings) => {
  const { strapi, route, strategy, cache, lanes, operation, revalidation, known } = settings;
  const { variants, callerPages } = lanes;
  const { honorRequestCacheControl } = strategy;
  const rulesOfTrials = { honorRequestCacheControl, variants, callerPages, operation };
  const server = new EntryServer(settings);
  const computation = new AnswerComputation(settings);

  /** Whether the callers of one key always have the same permissions: one caller, one role, or all are anonymous. */
  const haveSamePermissions = route.keys.useAuth !== false || !letsCredentialsIn(route.hitpass);
  const isRepeatable = (): boolean => lanes.isRepeatable(route.path);

  /** What is computed to replace an old response is not answered by it. */
  const onExpired = (ctx: Context): OnExpired | undefined =>
    !servesStale(route) || ownRequest(ctx.req) !== undefined
      ? undefined
      : revalidation?.rule(ctx.originalUrl, originalHeaders(ctx), route.stale);

  const onHitpassError = (error: unknown): void => {
    strapi.log.error(
      `[rest-cache] the hitpass function of ${route.path} failed, so the request bypasses the cache: ${String(error)}`,
    );
  };
  const rules = { ...rulesOfTrials, onHitpassError };

  // Other caches keep no answer to a POST: its body is not in their keys. Nor do they get one to the plugin itself.
  const issueKeys = (ctx: Context, entry: Entry): MaybePromise<IssuedKeys> =>
    ctx.method === 'POST' || ownRequest(ctx.req) !== undefined
      ? undefined
      : server.issueKeys(entry, () => exchangeOf(ctx).recording?.guard());

  const serve = async (ctx: Context, hit: Hit, identity: Identity): Promise<void> => {
    const { entry } = hit;
    const issued = hit.expired === true ? undefined : await issueKeys(ctx, entry);
    server.hit(ctx, hit, issued);
    exchangeOf(ctx).rememberCaller?.();
    // The edge may not keep this response, but a later hit may be issued to it, so this hit is not remembered.
    if (issued === undefined) return;
    // The front lane cannot throw a stored error, so such a hit is not remembered.
    if (!REPEATABLE_CALLERS.has(identity.kind) || exchangeOf(ctx).thrown !== undefined) return;
    const expiresAt = callerExpiry(ctx, identity, systemClock.now());
    exchangeOf(ctx).served = { entry, route, expiresAt, isRepeatable };
  };

  const noteShared = (ctx: Context, primary: CacheKey, entry: Entry, identity: Identity): void => {
    if (known === undefined || identity.kind !== 'public') return;
    const asked = askedBy(ctx, [...route.keys.useHeaders, ...BODY_SHAPING_HEADERS], variants.fieldsOf(primary));
    if (asked !== undefined) known.note(asked, entry);
  };

  const serveMade = async (ctx: Context, entry: Entry, reason: Reason | undefined): Promise<void> => {
    const { cost } = entry;
    const stored = reason === undefined;
    const issuing = stored ? issueKeys(ctx, entry) : undefined;
    server.addCacheHeaders(ctx, entry, issuing instanceof Promise ? await issuing : issuing);
    if (stored) {
      exchangeOf(ctx).stored = entry.key;
      // While the database can be asked, for when it cannot.
      if (route.stale.ifError > 0) exchangeOf(ctx).rememberCaller?.();
    }
    server.report(ctx, { kind: 'miss', stored, cost, ...(stored ? {} : { reason }) }, entry);
  };

  const reportUncached = (ctx: Context, reason: Reason, cost: Milliseconds, key?: CacheKey): void =>
    server.report(ctx, { kind: 'miss', stored: false, reason, cost }, undefined, key);

  const since = (startedAt: EpochMilliseconds): Milliseconds => elapsed(systemClock, startedAt);

  /** Called before the handler; what it returns notes that the handler has failed. */
  const failureOf = (ctx: Context, key: CacheKey): ((reason: Reason) => void) => {
    const startedAt = systemClock.now();
    return (reason) => {
      cache.noteUnstorable(key, reason);
      reportUncached(ctx, reason, since(startedAt), key);
    };
  };

  const compute = (ctx: Context, next: Next, keys: Keys, identity: Identity): Promise<Computation> =>
    computation.compute(ctx, next, keys, identity, failureOf(ctx, keys.key));

  /** Whether the caller is still granted all for which the handler had asked authorisation: it might refuse now. */
  const isGranted = async (ctx: Context, { granted = [] }: Entry): Promise<boolean> => {
    const { auth } = ctx.state as { auth?: unknown };
    const service = strapi.get<AuthService>('auth');
    try {
      for (const asked of granted) await service.verify(auth, JSON.parse(asked));
      return true;
    } catch {
      return false;
    }
  };

  const mayHave = (ctx: Context, { entry }: Hit): MaybePromise<boolean> =>
    entry.granted === undefined || isGranted(ctx, entry);

  const answerUncached = async (ctx: Context, next: Next, key: CacheKey, reason: Reason): Promise<void> => {
    const startedAt = systemClock.now();
    await askHandler(ctx, next, route, failureOf(ctx, key));
    reportUncached(ctx, reason, since(startedAt));
  };

  const answerHead = async (ctx: Context, next: Next, key: CacheKey, identity: Identity): Promise<void> => {
    const hit = await cache.peek(key, onExpired(ctx));
    if (hit === undefined) return answerUncached(ctx, next, key, HEAD);
    return (await mayHave(ctx, hit)) ? serve(ctx, hit, identity) : answerUncached(ctx, next, key, NOT_GRANTED);
  };

  const answer = async (ctx: Context, next: Next): Promise<void> => {
    endReadsOfRoute(ctx);
    const identity = identityOf(ctx);
    const deciding = decide(ctx, route, identity, rules);
    const decided = deciding instanceof Promise ? await deciding : deciding;
    const { bypass, key } = decided;
    const own = ownRequest(ctx.req);
    if (bypass !== undefined) {
      const startedAt = systemClock.now();
      try {
        if (own === undefined) await next();
        else ctx.status = 204;
      } finally {
        server.report(ctx, { kind: 'hitpass', reason: bypass, cost: since(startedAt) });
      }
      return;
    }
    if (own?.purpose === 'audit') {
      const computed = await compute(ctx, next, decided, identity);
      if ('response' in computed) own.outcome = { made: { key: computed.key ?? key, response: computed.response } };
      return;
    }
    if (ctx.method === 'HEAD') return answerHead(ctx, next, key, identity);
    const computeAnswer = (isAlone: boolean): Promise<Computation> => {
      exchangeOf(ctx).isComputedAlone = isAlone;
      return compute(ctx, next, decided, identity);
    };
    let resolution = await (operation?.mayServe() === false
      ? cache.replace(key, computeAnswer)
      : cache.resolve(key, computeAnswer, onExpired(ctx)));
    if (resolution.kind === 'hit' && !(await mayHave(ctx, resolution))) {
      if (!haveSamePermissions) return answerUncached(ctx, next, key, NOT_GRANTED);
      resolution = await cache.replace(key, computeAnswer);
    }
    switch (resolution.kind) {
      case 'hit':
        return serve(ctx, resolution, identity);
      case 'miss':
        if (resolution.refused === undefined) noteShared(ctx, decided.primary, resolution.entry, identity);
        await serveMade(ctx, resolution.entry, resolution.refused);
        return;
      case 'uncached':
        reportUncached(ctx, resolution.reason, resolution.cost, key);
    }
  };

  /** Reports what {@link answer} would do with a trial request, without doing it. */
  const endTrial = async (ctx: Context, trial: Trial): Promise<void> => {
    endReadsOfRoute(ctx);
    const identity = identityOf(ctx);
    const decision = await decide(ctx, route, identity, rulesOfTrials);
    let throws: Reason | undefined;
    try {
      await hidingParameters(ctx, route, () => validateOwnQuery(strapi, ctx));
    } catch (error) {
      throws = thrownReason(error);
    }
    trial.end({ kind: 'decided', decision, identity, throws });
    ctx.status = 204;
  };

  return async (ctx: Context, next: Next): Promise<unknown> => {
    const trial = trialOf(ctx.req);
    if (trial !== undefined) return endTrial(ctx, trial);
    if (operation === undefined && ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    await orTheOrigin(ctx, next, (origin) => answer(ctx, origin), lanes.noteFault);
    const { thrown } = exchangeOf(ctx);
    if (thrown !== undefined) throw thrown.error;
    return undefined;
  };
};
