import type { Context } from 'koa';
import { systemClock } from '../cache/clock';
import type { EdgeKey } from '../cache/edge-purge';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { Milliseconds } from '../cache/milliseconds';
import type { Guard, MaybePromise } from '../cache/provider';
import type { ResolvedRoute, ResolvedStrategy } from '../config/resolved-config';
import type { Edge, HandedOut } from '../edge/edge';
import { cacheControlHeader, edgeLifetime, isSharedByCaches, toldMaxAge, variedOn } from '../http/cache-control';
import { afterOthers, cacheStatus, xCache, type CacheOutcome } from '../http/cache-status';
import { exchangeOf, type HitServer } from '../http/exchange';
import { responseHeader } from '../http/response-headers';
import { ageHeader, lastModifiedOf, replayResponse, timeToLive } from '../http/stored-response';

/** Told how each request on a cached route was answered; must not throw. */
export interface LaneListener {
  /**
   * @param key of a response that made no entry.
   * @param target the request's path and query; `undefined` in the front lane.
   */
  answered(
    outcome: CacheOutcome,
    route: ResolvedRoute,
    entry: Entry | undefined,
    key?: CacheKey,
    target?: string,
  ): void;
}

export interface ServingSettings {
  readonly route: ResolvedRoute;
  readonly strategy: ResolvedStrategy;
  readonly listener: LaneListener;
  readonly edge: Edge | undefined;
}

const NO_KEYS: readonly EdgeKey[] = [];

/** Puts entries, and the news of how a request was answered, on Koa contexts. */
export class EntryServer implements HitServer {
  readonly #settings: ServingSettings;

  constructor(settings: ServingSettings) {
    this.#settings = settings;
  }

  /** Before an answer that an entry stands behind is given: notes what the edge is going to be told with it. */
  handOut(entry: Entry, guardOf: () => Guard | undefined): MaybePromise<HandedOut> {
    const { edge, route } = this.#settings;
    if (edge === undefined || !isSharedByCaches(route)) return NO_KEYS;
    const guard = guardOf();
    return guard && edge.handOut(entry, guard);
  }

  /** Answers with an entry from the store. */
  hit(ctx: Context, entry: Entry, collapsed: boolean, handedOut: HandedOut): void {
    const { strategy } = this.#settings;
    const now = systemClock.now();
    replayResponse(ctx, entry.response);
    exchangeOf(ctx).entry = entry;
    this.dress(ctx, entry, handedOut);
    if (strategy.enableXCacheHeaders || strategy.cacheControl.enabled || responseHeader(ctx, 'Age') !== '')
      ctx.set('Age', ageHeader(entry, now, exchangeOf(ctx).answer?.toldMaxAge));
    this.report(ctx, { kind: 'hit', collapsed, timeToLive: timeToLive(entry, now) }, entry);
  }

  /**
   * Adds what a response carries because an entry stands behind it.
   *
   * @param handedOut `undefined` for one that was refused by the store as well: other caches are not to keep it.
   */
  dress(ctx: Context, entry: Entry, handedOut: HandedOut): void {
    const { route, strategy } = this.#settings;
    const mayBeKept = handedOut !== undefined;
    const varied = variedOn(strategy.cacheControl, route.keys);
    if (varied.length > 0) ctx.vary([...varied]);
    const cacheControl =
      mayBeKept && responseHeader(ctx, 'Cache-Control') === ''
        ? cacheControlHeader(strategy, route, entry.maxAge)
        : undefined;
    if (cacheControl !== undefined) ctx.set('Cache-Control', cacheControl);
    const told = cacheControl === undefined ? undefined : toldMaxAge(strategy, route, entry.maxAge);
    const toldEdge = this.#tellEdge(ctx, handedOut ?? NO_KEYS, told);
    exchangeOf(ctx).answer = {
      // Copied: what cannot be read of it fails here, where the origin can still be asked.
      response: { ...entry.response },
      cacheControl: cacheControl === undefined ? undefined : responseHeader(ctx, 'Cache-Control'),
      toldEdge,
      toldMaxAge: told,
      lastModified: lastModifiedOf(entry),
    };
  }

  /**
   * Says the keys of what the answer was made of, and of what was read to let everybody have it. An edge that is behind
   * with its purges is not told to keep more.
   *
   * @returns the names of the headers that only the edge is to see something in.
   */
  #tellEdge(ctx: Context, keys: readonly EdgeKey[], told: Milliseconds | undefined): readonly string[] {
    const { edge, strategy } = this.#settings;
    if (edge === undefined || strategy.edge === null || keys.length === 0) return [];
    ctx.set(edge.header, edge.format(keys, responseHeader(ctx, edge.header)));
    if (told === undefined || edge.isBehind) return [edge.header];
    const [name, value] = edgeLifetime(strategy.edge, told);
    ctx.set(name, value);
    return [edge.header, name];
  }

  /** Says how the request was answered. */
  report(ctx: Context, outcome: CacheOutcome, entry?: Entry, key?: CacheKey): void {
    const { route, strategy, listener } = this.#settings;
    if (strategy.enableXCacheHeaders) {
      ctx.set('X-Cache', xCache(outcome));
      ctx.set('Cache-Status', afterOthers(responseHeader(ctx, 'Cache-Status'), cacheStatus(outcome)));
    }
    listener.answered(outcome, route, entry, key, ctx.originalUrl);
  }
}
