import type { Context } from 'koa';
import { ownRequest, type Purpose } from '../background/own-requests';
import { systemClock } from '../cache/clock';
import type { EdgeKey } from '../cache/edge-purge';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import type { Guard, MaybePromise } from '../cache/provider';
import type { Hit } from '../cache/response-cache';
import type { ResolvedRoute, ResolvedStrategy } from '../config/resolved-config';
import type { Edge, IssuedKeys } from '../edge/edge';
import {
  advertisedMaxAge,
  cacheControlHeader,
  edgeLifetime,
  isSharedByCaches,
  NOT_TO_BE_KEPT,
  directAllCaches,
  variedOn,
} from '../http/cache-control';
import { afterOthers, cacheStatus, xCache, type CacheOutcome } from '../http/cache-status';
import { exchangeOf } from '../http/exchange';
import { DIRECTIVE_FIELDS } from '../http/handlers-freshness';
import { responseHeader } from '../http/response-headers';
import { ageHeader, lastModifiedOf, replayResponse, timeToLive } from '../http/stored-response';

/** Notified of how each request on a cached route was answered. Must not throw. */
export interface LaneListener {
  /**
   * @param key the key of a response that did not become an entry.
   * @param target the request's path and query; `undefined` in the front lane.
   * @param isAlone whether it neither waited for another request nor was waited for.
   */
  answered(
    outcome: CacheOutcome,
    route: ResolvedRoute,
    entry: Entry | undefined,
    key?: CacheKey,
    target?: string,
    isAlone?: boolean,
  ): void;
  /** A request of the plugin's own has stored an entry. */
  refilled?(entry: Entry, purpose: Purpose): void;
}

export interface ServingSettings {
  readonly route: ResolvedRoute;
  readonly strategy: ResolvedStrategy;
  readonly listener: LaneListener;
  readonly edge: Edge | undefined;
  /** A value of `Cache-Control` that every answer has and nobody has chosen for this one. */
  readonly impliedCacheControl?: string;
}

const NO_KEYS: readonly EdgeKey[] = [];

/** Puts entries on Koa contexts, and reports how requests were answered. */
export class EntryServer {
  readonly #settings: ServingSettings;

  constructor(settings: ServingSettings) {
    this.#settings = settings;
  }

  /** Called before a response with an entry is sent: notes the keys that the edge is given with it. */
  issueKeys(entry: Entry, guardOf: () => Guard | undefined): MaybePromise<IssuedKeys> {
    const { edge, route } = this.#settings;
    if (edge === undefined || !isSharedByCaches(route)) return NO_KEYS;
    const guard = guardOf();
    return guard && edge.issueKeys(entry, guard);
  }

  /**
   * Answers with an entry from the store. One that is older than its `maxAge` may not be used by other caches without
   * asking again.
   */
  hit(ctx: Context, { entry, collapsed, expired = false }: Hit, issued: IssuedKeys): void {
    const { strategy, route } = this.#settings;
    const now = systemClock.now();
    replayResponse(ctx, entry.response);
    exchangeOf(ctx).entry = entry;
    this.addCacheHeaders(ctx, entry, issued);
    const isDirected = expired && [...DIRECTIVE_FIELDS, 'Expires'].some((name) => responseHeader(ctx, name) !== '');
    const isAdvertised = strategy.cacheControl.enabled || isDirected;
    if (expired && isAdvertised) directAllCaches(ctx, isSharedByCaches(route) ? 'no-cache' : 'private, no-cache');
    if (strategy.enableXCacheHeaders || isAdvertised || responseHeader(ctx, 'Age') !== '')
      ctx.set('Age', ageHeader(entry, now, exchangeOf(ctx).answer?.advertisedMaxAge));
    const left = expired ? milliseconds(Math.min(-1, entry.createdAt + entry.maxAge - now)) : timeToLive(entry, now);
    this.report(ctx, { kind: 'hit', collapsed, timeToLive: left }, entry);
  }

  /**
   * Adds the headers that a response carries because there is an entry for it.
   *
   * @param issued the keys for the edge; `undefined` if other caches must not keep the response, because the edge
   * must not, or because the store has refused the entry.
   */
  addCacheHeaders(ctx: Context, entry: Entry, issued: IssuedKeys): void {
    const { edge, route, strategy, impliedCacheControl = '' } = this.#settings;
    const isPost = ctx.method === 'POST';
    const mayBeKept = issued !== undefined;
    // No purge would name it at the edge, whatever lifetime its handler gives it.
    if (!mayBeKept && !isPost && edge !== undefined && isSharedByCaches(route)) directAllCaches(ctx, NOT_TO_BE_KEPT);
    const varied = variedOn(strategy.cacheControl, route.keys);
    if (varied.length > 0) ctx.vary([...varied]);
    const cacheControl =
      mayBeKept && ['', impliedCacheControl].includes(responseHeader(ctx, 'Cache-Control'))
        ? cacheControlHeader(strategy, route, entry.maxAge)
        : undefined;
    if (cacheControl !== undefined) ctx.set('Cache-Control', cacheControl);
    const usual = cacheControl === undefined ? undefined : advertisedMaxAge(strategy, route, entry.maxAge);
    const advertised = usual === undefined || edge === undefined ? usual : edge.lifetimeOf(usual);
    const edgeHeaders = this.#setEdgeHeaders(ctx, issued ?? NO_KEYS, advertised);
    exchangeOf(ctx).answer = {
      // Copied: if a property cannot be read, that fails here, where the origin can still be asked.
      // A POST is not conditional (RFC 9110, section 13.2.1), so its response has no validators.
      response: isPost ? { ...entry.response, etag: undefined } : { ...entry.response },
      cacheControl: cacheControl === undefined ? undefined : responseHeader(ctx, 'Cache-Control'),
      edgeHeaders,
      advertisedMaxAge: advertised,
      lastModified: isPost ? undefined : lastModifiedOf(entry),
    };
  }

  /**
   * Sets the headers for the edge: the keys of what the answer was made of and of what was read to authorise every
   * caller, and how long the edge may keep the answer.
   *
   * @returns the names of the headers that are meant for the edge alone.
   */
  #setEdgeHeaders(ctx: Context, keys: readonly EdgeKey[], advertised: Milliseconds | undefined): readonly string[] {
    const { edge, strategy } = this.#settings;
    if (edge === undefined || strategy.edge === null || keys.length === 0) return [];
    ctx.set(edge.header, edge.format(keys, responseHeader(ctx, edge.header)));
    if (advertised === undefined) return [edge.header];
    const [name, value] = edgeLifetime(strategy.edge, advertised);
    ctx.set(name, value);
    return [edge.header, name];
  }

  /** Reports how the request was answered, in the response's headers and to the listener, or to the plugin itself. */
  report(ctx: Context, outcome: CacheOutcome, entry?: Entry, key?: CacheKey): void {
    const { route, strategy, listener } = this.#settings;
    if (strategy.enableXCacheHeaders) {
      ctx.set('X-Cache', xCache(outcome));
      ctx.set('Cache-Status', afterOthers(responseHeader(ctx, 'Cache-Status'), cacheStatus(outcome)));
    }
    const own = ownRequest(ctx.req);
    if (own === undefined)
      return listener.answered(outcome, route, entry, key, ctx.originalUrl, exchangeOf(ctx).isComputedAlone);
    own.outcome = 'reason' in outcome ? { reason: outcome.reason } : { made: entry };
    if (outcome.kind === 'miss' && outcome.stored && entry !== undefined) listener.refilled?.(entry, own.purpose);
  }
}
