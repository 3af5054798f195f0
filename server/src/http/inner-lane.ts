import type { Context, Next } from 'koa';
import { contentTypeTag, narrowingTags } from '../cache/bookkeeping-tags';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { Computation, ResponseCache } from '../cache/response-cache';
import { EVERYTHING, type Tag } from '../cache/tag';
import { substanceTag, tableOf, tableTag } from '../observe/dependency-tags';
import { currentRecording, type Recording } from '../observe/recording';
import { refusesStored } from './cache-control';
import { callerIdentity, type AuthState, type Identity } from './caller-identity';
import { bodyBytes, captureResponse } from './capture';
import { verdictExpiry } from './credential-expiry';
import { hitpassReason } from './hitpass';
import { setBytes, setLazyBody } from './lazy-body';
import { matchedParams } from './matched-layer';
import { requestKey } from './request-key';
import { headersBefore, routeHeaders } from './response-headers';
import { noteServed, noteStored } from './served';
import { EntryServer, type ServingSettings } from './serve-entry';
import { watchSession } from './session-use';
import { unstorableReason } from './storability';

export interface InnerLaneSettings extends ServingSettings {
  readonly cache: ResponseCache;
  /** Whether an outer lane may repeat this route's hits: nothing on the route has to see every request. */
  readonly repeatable: boolean;
  /** `clearRelatedCache: false`: the only tables whose changes matter; otherwise all that were read. */
  readonly ownTables: ReadonlySet<string> | undefined;
  readonly onHitpassError: (error: unknown) => void;
}

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
      noteServed(ctx, { entry, route, expiresAt: verdictExpiry(ctx, identity, clock.now()), server });
    }
  };

  const compute = async (ctx: Context, next: Next, identity: Identity): Promise<Computation> => {
    const recording = currentRecording();
    const before = headersBefore(ctx);
    recording?.beginContent();
    const usedSession = watchSession(ctx);
    await next();
    const produced = routeHeaders(ctx, before);
    const reason =
      unstorableReason(ctx, produced, route.keys.useHeaders) ??
      (usedSession() ? 'session' : undefined) ??
      unobservedReason(recording);
    if (reason !== undefined) return { unstorable: reason };
    const bytes = bodyBytes(ctx.body);
    if (bytes === undefined) return { unstorable: 'a body that is not serialisable' };
    const response = captureResponse(ctx, produced, bytes, strategy.enableEtag);
    const { body } = ctx;
    if (settings.restoresBody()) setLazyBody(ctx, response.body, () => body);
    else setBytes(ctx, response.body);
    return {
      response,
      origin: {
        contentType: route.contentType,
        route: route.path,
        params: matchedParams(ctx, route.paramNames),
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
    tags.push(
      EVERYTHING,
      contentTypeTag(route.contentType),
      ...narrowingTags(route.contentType, matchedParams(ctx, route.paramNames)),
    );
    // Controllers may answer from `ctx.state.user`, which was read before them.
    if (identity.kind === 'user')
      tags.push(tableTag('up_users'), substanceTag('up_users', identity.name.slice('up:'.length)));
    return tags;
  };

  const answerHead = async (ctx: Context, next: Next, key: CacheKey, identity: Identity): Promise<void> => {
    const entry = await cache.peek(key);
    if (entry !== undefined) {
      serve(ctx, entry, false, identity);
      return;
    }
    await next();
    server.report(ctx, { kind: 'miss', stored: false, detail: 'HEAD' });
  };

  const hitpassFailed = (error: unknown): string => {
    settings.onHitpassError(error);
    return 'hitpass function failed';
  };

  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') return next();
    const identity = callerIdentity((ctx.state as { auth?: AuthState }).auth);
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
        if (resolution.stored) noteStored(ctx, key);
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
};

/** Nothing is stored whose dependencies are not known. */
const unobservedReason = (recording: Recording | undefined): string | undefined =>
  recording === undefined ? 'its reads were not observed' : recording.unstorable;
