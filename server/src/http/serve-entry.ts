import type { Context } from 'koa';
import type { Clock } from '../cache/clock';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { ResolvedRoute, ResolvedStrategy } from '../config/resolved-config';
import { cacheControlHeader } from './cache-control';
import { cacheStatus, xCache, type CacheOutcome } from './cache-status';
import { ageHeader, answerConditionally, replayResponse, timeToLive } from './replay';

/** Told how each request on a cached route was answered; must not throw. */
export interface LaneListener {
  /** `key`: of a response that made no entry. */
  answered(outcome: CacheOutcome, route: ResolvedRoute, entry: Entry | undefined, key?: CacheKey): void;
}

export interface ServingSettings {
  readonly route: ResolvedRoute;
  readonly strategy: ResolvedStrategy;
  readonly clock: Clock;
  readonly listener: LaneListener;
  /** Whether middlewares of others surround the route and may expect the controller's own body. */
  readonly restoreBody: boolean;
}

/** Puts entries, and the news of how a request was answered, on Koa contexts. */
export class EntryServer {
  readonly #settings: ServingSettings;

  constructor(settings: ServingSettings) {
    this.#settings = settings;
  }

  /** Answers with an entry from the store. */
  hit(ctx: Context, entry: Entry, collapsed: boolean): void {
    const { strategy, clock, restoreBody } = this.#settings;
    const now = clock.now();
    replayResponse(ctx, entry.response, restoreBody);
    if (strategy.enableXCacheHeaders || strategy.cacheControl.enabled) ctx.set('Age', ageHeader(entry, now));
    this.dress(ctx, entry, true);
    this.report(ctx, { kind: 'hit', collapsed, timeToLive: timeToLive(entry, now) }, entry);
  }

  /**
   * Adds what a response carries because an entry stands behind it.
   *
   * @param mayBeKept `false` for one that was refused by the store: other caches are not to keep it either.
   */
  dress(ctx: Context, entry: Entry, mayBeKept: boolean): void {
    const { route, strategy } = this.#settings;
    if (route.keys.useHeaders.length > 0) ctx.vary([...route.keys.useHeaders]);
    const cacheControl = mayBeKept
      ? cacheControlHeader(strategy.cacheControl, entry.maxAge, entry.origin.identity !== '')
      : undefined;
    if (cacheControl !== undefined && ctx.response.get('Cache-Control') === '') ctx.set('Cache-Control', cacheControl);
    answerConditionally(ctx, entry.response);
  }

  /** Says how the request was answered. */
  report(ctx: Context, outcome: CacheOutcome, entry?: Entry, key?: CacheKey): void {
    const { route, strategy, listener } = this.#settings;
    if (strategy.enableXCacheHeaders) {
      ctx.set('X-Cache', xCache(outcome));
      ctx.append('Cache-Status', cacheStatus(outcome));
    }
    listener.answered(outcome, route, entry, key);
  }
}
