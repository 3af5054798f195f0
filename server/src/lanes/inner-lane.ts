import type { Context, Next } from 'koa';
import { contentTypeTag, narrowingTags } from '../cache/bookkeeping-tags';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { Computation, ResponseCache, StorableComputation, UnstorableComputation } from '../cache/response-cache';
import { EVERYTHING, type Tag } from '../cache/tag';
import { tableOf } from '../dependencies/dependency-tags';
import { earliest, type ReadsElsewhere } from '../observe/reads-elsewhere';
import { currentRecording, type Recording } from '../observe/recording';
import { refusesStored } from '../http/cache-control';
import { callerIdentity, type Identity, verdictExpiry } from '../http/caller-identity';
import { captureResponse, serialisedBody } from '../http/stored-response';
import { hidingParameters, uncountedParameters } from '../http/query-parameters';
import { hitpassReason } from '../http/hitpass';
import { LazyBody, setBytes } from '../http/lazy-body';
import { matchedParams, requestKey } from '../http/request-key';
import { unstorableReason, watchMethods, watchSession } from '../http/storability';
import { describeReads, endReadsOfRoute, readsInFront, unkeyedReads, type WhereRead } from '../http/unkeyed-reads';
import { noteReads, type ReadName } from '../http/request-reads';
import { watchRouteHeaders } from '../http/response-headers';
import { exchangeOf } from '../http/exchange';
import { shownByAuthentication } from './answer-sources';
import { EntryServer, type ServingSettings } from './serve-entry';
import { orTheOrigin, type OnFault } from './undo-answer';

export interface InnerLaneSettings extends ServingSettings {
  readonly cache: ResponseCache;
  /** Whether an outer lane may repeat this route's hits: nothing on the route has to see every request. */
  readonly repeatable: boolean;
  /** `clearRelatedCache: false`: the only tables whose changes matter; otherwise all that were read. */
  readonly ownTables: ReadonlySet<string> | undefined;
  readonly onFault: OnFault;
  /** What other work reads while an answer is made. */
  readonly readsElsewhere: ReadsElsewhere;
  /** Whether the route's handler may wait for work that others have begun; Strapi's own do not. */
  readonly mayJoinOthers: (ctx: Context) => boolean;
  readonly onHitpassError: (error: unknown) => void;
  /** Told what the handler, or what stands in front of it, has read of a request that the key does not hold. */
  readonly onUnkeyedReads: (names: readonly ReadName[], where: WhereRead) => void;
}

type Sources = Pick<StorableComputation, 'tags' | 'since' | 'readElsewhere'>;

/** Callers whom Strapi knows by the `Authorization` header or its absence, and by nothing else. */
const REPEATABLE_CALLERS: ReadonlySet<Identity['kind']> = new Set(['public', 'user', 'token']);

/**
 * The middleware on a cached route, after authentication, authorisation and policies. It alone decides: hitpass, key,
 * identity, storability.
 */
export const createInnerLane = (settings: InnerLaneSettings) => {
  const { route, strategy, cache, clock } = settings;
  const server = new EntryServer(settings);

  const serve = (ctx: Context, entry: Entry, collapsed: boolean, identity: Identity): void => {
    server.hit(ctx, entry, collapsed);
    if (settings.repeatable && REPEATABLE_CALLERS.has(identity.kind)) {
      exchangeOf(ctx).served = { entry, route, expiresAt: verdictExpiry(ctx, identity, clock.now()), server };
    }
  };

  const compute = async (ctx: Context, next: Next, identity: Identity): Promise<Computation> => {
    const recording = currentRecording();
    recording?.beginContent();
    const usedSession = watchSession(ctx);
    const headersOfRoute = watchRouteHeaders(ctx);
    const reads = new Set<ReadName>();
    const endReads = noteReads(ctx, reads);
    const replacedMethod = watchMethods(ctx);
    try {
      await hidingParameters(ctx, route.keys.useQueryParams, next);
    } finally {
      endReads();
      headersOfRoute();
    }
    const replaced = replacedMethod();
    const produced = headersOfRoute();
    const reason =
      unstorableReason(ctx, produced, route.keys.useHeaders) ??
      (replaced === undefined ? undefined : `replaces ${replaced}, so its answer is not final`) ??
      (usedSession() ? 'session' : undefined) ??
      unkeyedReason(ctx, reads, identity) ??
      uncountedParameters(ctx, route.keys.useQueryParams) ??
      recording?.unstorable;
    if (reason !== undefined) return { unstorable: reason };
    // Nothing is stored whose dependencies are not known.
    if (recording === undefined) return { unstorable: 'its reads were not observed' };
    const sources = sourcesOf(ctx, recording, identity);
    if ('unstorable' in sources) return sources;
    const { body } = ctx;
    const serialised = serialisedBody(body);
    if (serialised === undefined) return { unstorable: 'a body that is not serialisable' };
    const response = captureResponse(ctx, produced, serialised, strategy.enableEtag);
    if (settings.restoresBody()) exchangeOf(ctx).lazyBody = new LazyBody(ctx, response.body, () => body);
    else setBytes(ctx, response.body);
    return {
      response,
      origin: {
        contentType: route.contentType,
        route: route.path,
        params: matchedParams(ctx, route.paramNames),
        identity: route.keys.useAuth ? identity.name : '',
      },
      ...sources,
      maxAge: route.maxAge,
    };
  };

  /** What the answer was made of: what was read for it, and what others have read that it may have waited for. */
  const sourcesOf = (ctx: Context, recording: Recording, identity: Identity): Sources | UnstorableComputation => {
    const shown = shownByAuthentication(ctx, recording, identity);
    const early = ofInterest(recording.early).length > 0 || shown.length > 0;
    const joins = !recording.hasReadForAnswer || settings.mayJoinOthers(ctx);
    const elsewhere = joins ? settings.readsElsewhere.beside(recording) : undefined;
    const taken = ofInterest(elsewhere?.tags).filter((name) => !recording.content.has(name));
    if (elsewhere?.unstorable !== undefined) return { unstorable: `beside it, ${elsewhere.unstorable}` };
    const numbers = [...(early ? [recording.since] : []), ...(taken.length > 0 ? [elsewhere?.since] : [])];
    const since = earliest(numbers);
    if (numbers.length > 0 && since === undefined) return { unstorable: EARLIER_UNKNOWN };
    return {
      tags: [
        ...ofInterest(recording.content),
        ...shown,
        ...taken,
        EVERYTHING,
        contentTypeTag(route.contentType),
        ...narrowingTags(route.contentType, matchedParams(ctx, route.paramNames)),
      ],
      since,
      ...(taken.length > 0 ? { readElsewhere: true } : {}),
    };
  };

  /** Another caller's headers might have made another answer. */
  const unkeyedReason = (ctx: Context, reads: ReadonlySet<ReadName>, identity: Identity): string | undefined => {
    const inFront = readsInFront(ctx);
    const unkeyed = unkeyedReads(ctx, new Set([...reads, ...inFront.keys()]), route, identity);
    if (unkeyed.length === 0) return undefined;
    const where: WhereRead = (name) => (reads.has(name) ? undefined : inFront.get(name));
    settings.onUnkeyedReads(unkeyed, where);
    return describeReads(unkeyed, where);
  };

  const ofInterest = (content: ReadonlySet<Tag> = new Set()): Tag[] => {
    const { ownTables } = settings;
    return ownTables === undefined ? [...content] : [...content].filter((name) => ownTables.has(tableOf(name)));
  };

  const answerHead = async (ctx: Context, next: Next, key: CacheKey, identity: Identity): Promise<void> => {
    const entry = await cache.peek(key);
    if (entry !== undefined) {
      serve(ctx, entry, false, identity);
      return;
    }
    await hidingParameters(ctx, route.keys.useQueryParams, next);
    server.report(ctx, { kind: 'miss', stored: false, detail: 'HEAD' });
  };

  const hitpassFailed = (error: unknown): string => {
    settings.onHitpassError(error);
    return 'hitpass function failed';
  };

  const answer = async (ctx: Context, next: Next): Promise<void> => {
    endReadsOfRoute(ctx);
    const identity = callerIdentity(ctx.state);
    const asked = hitpassReason(ctx, route, identity);
    const bypass = asked instanceof Promise ? await asked.catch(hitpassFailed) : asked;
    const refusal = strategy.honorRequestCacheControl
      ? refusesStored(ctx.get('Cache-Control') || undefined, ctx.get('Pragma') || undefined)
      : undefined;
    if (bypass !== undefined || refusal !== undefined) {
      await next();
      server.report(ctx, { kind: 'hitpass', detail: bypass ?? `request Cache-Control: ${refusal ?? ''}` });
      return;
    }

    const key = requestKey(ctx, route.keys, identity);
    if (ctx.method === 'HEAD') return answerHead(ctx, next, key, identity);
    const resolution = await cache.resolve(key, () => compute(ctx, next, identity));
    switch (resolution.kind) {
      case 'hit':
        serve(ctx, resolution.entry, resolution.collapsed, identity);
        return;
      case 'miss':
        server.dress(ctx, resolution.entry, resolution.stored);
        if (resolution.stored) exchangeOf(ctx).stored = key;
        server.report(
          ctx,
          { kind: 'miss', stored: resolution.stored, ...(resolution.stored ? {} : { detail: 'changed meanwhile' }) },
          resolution.entry,
        );
        return;
      case 'uncached':
        server.report(ctx, { kind: 'miss', stored: false, detail: resolution.reason }, undefined, key);
    }
  };

  return async (ctx: Context, next: Next): Promise<unknown> => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    return orTheOrigin(ctx, next, (origin) => answer(ctx, origin), settings.onFault);
  };
};

const EARLIER_UNKNOWN = 'something was read before the route, and the store could not say what was current then';
