import type { Context, Next } from 'koa';
import { contentTypeTag, narrowingTags } from '../cache/bookkeeping-tags';
import type { Clock } from '../cache/clock';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { Computation, ResponseCache } from '../cache/response-cache';
import { EVERYTHING, type Tag } from '../cache/tag';
import type { ResolvedRoute, ResolvedStrategy } from '../config/resolved-config';
import { substanceTag, tableOf, tableTag } from '../observe/dependency-tags';
import { currentRecording, type Recording } from '../observe/recording';
import { cacheControlHeader, refusesStored } from './cache-control';
import { cacheStatus, xCache, type CacheOutcome } from './cache-status';
import { callerIdentity, type AuthState, type Identity } from './caller-identity';
import { bodyBytes, captureResponse } from './capture';
import { hitpassReason } from './hitpass';
import { ageHeader, answerConditionally, replayResponse, timeToLive } from './replay';
import { requestKey } from './request-key';
import { headersBefore, routeHeaders } from './response-headers';
import { unstorableReason } from './storability';

/** Told how each request on a cached route was answered; must not throw. */
export interface LaneListener {
  answered(outcome: CacheOutcome, route: ResolvedRoute, entry: Entry | undefined): void;
}

export interface InnerLaneSettings {
  readonly route: ResolvedRoute;
  readonly strategy: ResolvedStrategy;
  readonly cache: ResponseCache;
  readonly clock: Clock;
  readonly listener: LaneListener;
  /** Whether middlewares of others surround this one on the route and may expect the controller's own body. */
  readonly restoreBody: boolean;
  /** `clearRelatedCache: false`: the only tables whose changes matter; otherwise all that were read. */
  readonly ownTables: ReadonlySet<string> | undefined;
  readonly onHitpassError: (error: unknown) => void;
}

/**
 * The middleware on a cached route, after authentication, authorisation and policies. It alone decides: hitpass, key,
 * identity, storability.
 */
export const createInnerLane = (settings: InnerLaneSettings) => {
  const { route, strategy, cache, clock } = settings;
  const reportsOutcome = strategy.enableXCacheHeaders;

  const report = (ctx: Context, outcome: CacheOutcome, entry?: Entry): void => {
    if (reportsOutcome) {
      ctx.set('X-Cache', xCache(outcome));
      ctx.append('Cache-Status', cacheStatus(outcome));
    }
    settings.listener.answered(outcome, route, entry);
  };

  /** What a response carries because an entry stands behind it. */
  const dress = (ctx: Context, entry: Entry): void => {
    if (route.keys.useHeaders.length > 0) ctx.vary([...route.keys.useHeaders]);
    const cacheControl = cacheControlHeader(strategy.cacheControl, entry.maxAge, entry.origin.identity !== '');
    if (cacheControl !== undefined && ctx.response.get('Cache-Control') === '') ctx.set('Cache-Control', cacheControl);
    answerConditionally(ctx, entry.response);
  };

  const serve = (ctx: Context, entry: Entry, collapsed: boolean): void => {
    const now = clock.now();
    replayResponse(ctx, entry.response, settings.restoreBody);
    if (reportsOutcome || strategy.cacheControl.enabled) ctx.set('Age', ageHeader(entry, now));
    dress(ctx, entry);
    report(ctx, { kind: 'hit', collapsed, timeToLive: timeToLive(entry, now) }, entry);
  };

  const compute = async (ctx: Context, next: Next, identity: Identity): Promise<Computation> => {
    const recording = currentRecording();
    const before = headersBefore(ctx);
    recording?.beginContent();
    await next();
    const produced = routeHeaders(ctx, before);
    const reason = unstorableReason(ctx, produced, route.keys.useHeaders) ?? unobservedReason(recording);
    if (reason !== undefined) return { unstorable: reason };
    const bytes = bodyBytes(ctx.body);
    if (bytes === undefined) return { unstorable: 'a body that is not serialisable' };
    const response = captureResponse(ctx, produced, bytes, strategy.enableEtag);
    if (!settings.restoreBody) putBytes(ctx, response.body);
    return {
      response,
      origin: {
        contentType: route.contentType,
        route: route.path,
        params: routeParams(ctx, route),
        identity: route.keys.useAuth ? identity.name : '',
      },
      tags: tagsOf(ctx, recording, identity),
      maxAge: route.maxAge,
    };
  };

  const tagsOf = (ctx: Context, recording: Recording | undefined, identity: Identity): Tag[] => {
    const { ownTables } = settings;
    const content = [...(recording?.content ?? [])];
    const tags = ownTables === undefined ? content : content.filter((name) => ownTables.has(tableOf(name)));
    tags.push(EVERYTHING, contentTypeTag(route.contentType), ...narrowingTags(route.contentType, routeParams(ctx, route)));
    // Controllers may answer from `ctx.state.user`, which was read before them.
    if (identity.kind === 'user') tags.push(tableTag('up_users'), substanceTag('up_users', identity.name.slice('up:'.length)));
    return tags;
  };

  const answerHead = async (ctx: Context, next: Next, key: CacheKey): Promise<void> => {
    const entry = await cache.peek(key);
    if (entry !== undefined) {
      serve(ctx, entry, false);
      return;
    }
    await next();
    report(ctx, { kind: 'miss', stored: false, detail: 'HEAD' });
  };

  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    const identity = callerIdentity((ctx.state as { auth?: AuthState }).auth);
    const bypass = await hitpassReason(ctx, route, identity).catch((error: unknown) => {
      settings.onHitpassError(error);
      return 'hitpass function failed';
    });
    const refusal = strategy.honorRequestCacheControl
      ? refusesStored(ctx.get('Cache-Control') || undefined, ctx.get('Pragma') || undefined)
      : undefined;
    if (bypass !== undefined || refusal !== undefined) {
      await next();
      report(ctx, { kind: 'hitpass', detail: bypass ?? `request Cache-Control: ${refusal ?? ''}` });
      return;
    }

    const key = requestKey(ctx, route.keys, identity);
    if (ctx.method === 'HEAD') return answerHead(ctx, next, key);
    const resolution = await cache.resolve(key, () => compute(ctx, next, identity));
    switch (resolution.kind) {
      case 'hit':
        serve(ctx, resolution.entry, resolution.collapsed);
        return;
      case 'miss':
        dress(ctx, resolution.entry);
        report(
          ctx,
          { kind: 'miss', stored: resolution.stored, ...(resolution.stored ? {} : { detail: 'changed meanwhile' }) },
          resolution.entry,
        );
        return;
      case 'uncached':
        report(ctx, { kind: 'miss', stored: false, detail: resolution.reason });
    }
  };
};

/** Nothing is stored whose dependencies are not known. */
const unobservedReason = (recording: Recording | undefined): string | undefined =>
  recording === undefined ? 'its reads were not observed' : recording.unstorable;

/** Koa drops `Content-Type` when it guesses one for a Buffer; the route's own is kept. */
const putBytes = (ctx: Context, bytes: Buffer): void => {
  const type = ctx.response.get('Content-Type');
  ctx.body = bytes;
  if (type !== '') ctx.set('Content-Type', type);
};

/** The matched parameters under the names the configuration gives them. */
const routeParams = (ctx: Context, route: ResolvedRoute): Record<string, string> => {
  const params = Object.entries((ctx as Context & { params?: Record<string, string> }).params ?? {});
  return Object.fromEntries(params.map(([name, value], index) => [route.paramNames?.[index] ?? name, value]));
};
