import { sizeOf, type Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { ResolvedRoute } from '../config/resolved-config';
import type { CacheOutcome } from '../http/cache-status';
import type { LaneListener } from '../lanes/serve-entry';
import { lookupChannel, storeChannel } from './diagnostics';
import type { Metrics } from './metrics';
import type { Refusals } from './refusals';

/** Everybody who wants to know how a request was answered. A hit pays for the counters and two comparisons. */
export class LaneListeners implements LaneListener {
  readonly #metrics: Metrics;
  readonly #refusals: Refusals;

  constructor(metrics: Metrics, refusals: Refusals) {
    this.#metrics = metrics;
    this.#refusals = refusals;
  }

  answered(outcome: CacheOutcome, route: ResolvedRoute, entry: Entry | undefined, key = entry?.key): void {
    this.#metrics.answered(outcome, route, entry);
    if (lookupChannel.hasSubscribers) {
      lookupChannel.publish({
        outcome: outcome.kind,
        contentType: route.contentType,
        route: route.path,
        key,
        collapsed: outcome.kind === 'hit' && outcome.collapsed,
        detail: outcome.kind === 'hit' ? undefined : outcome.detail,
      });
    }
    if (outcome.kind === 'miss' && key !== undefined) this.#missed(outcome, key, entry);
  }

  #missed(outcome: Extract<CacheOutcome, { kind: 'miss' }>, key: CacheKey, entry: Entry | undefined): void {
    if (!outcome.stored) {
      if (outcome.detail !== undefined) this.#refusals.note(key, outcome.detail);
      return;
    }
    this.#refusals.forget(key);
    if (entry !== undefined && storeChannel.hasSubscribers) {
      const { origin, cost, maxAge } = entry;
      storeChannel.publish({
        key,
        contentType: origin.contentType,
        route: origin.route,
        size: sizeOf(entry),
        cost,
        maxAge,
      });
    }
  }
}
