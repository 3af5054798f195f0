import type { Core } from '@strapi/strapi';
import type { Clock } from '../cache/clock';
import { sizeOf } from '../cache/entry';
import type { Provider, ProviderEvents } from '../cache/provider';
import type { Sequence } from '../cache/sequence';
import type { Tag } from '../cache/tag';
import type { LaneListener } from '../lanes/serve-entry';
import type { InvalidationSink } from '../observe/commit-and-stamp';
import { Activity } from './activity';
import type { PurgeSubject } from './activity-record';
import { currentActor } from './actor';
import { evictChannel, invalidateChannel, lookupChannel, providerStateChannel, storeChannel } from './diagnostics';
import { Metrics } from './metrics';
import { MetricsRecorder } from './metrics-recorder';
import { Notices } from './notices';
import { Refusals } from './refusals';

/** Everybody who wants to know how a request was answered. A hit pays for the counters and two comparisons. */
export const laneListener = (metrics: Metrics, refusals: Refusals): LaneListener => ({
  answered: (outcome, route, entry, key = entry?.key, target) => {
    metrics.answered(outcome, route, entry, target);
    if (lookupChannel.hasSubscribers) {
      lookupChannel.publish({
        outcome: outcome.kind,
        contentType: route.contentType,
        route: route.path,
        key,
        collapsed: outcome.kind === 'hit' && outcome.collapsed,
        detail: outcome.kind === 'hit' ? undefined : outcome.reason?.detail,
      });
    }
    if (outcome.kind !== 'miss' || key === undefined) return;
    if (!outcome.stored) {
      if (outcome.reason !== undefined) refusals.note(key, outcome.reason);
      return;
    }
    refusals.forget(key);
    if (entry === undefined || !storeChannel.hasSubscribers) return;
    const { labels, cost, maxAge } = entry;
    const { contentType, route: path } = labels;
    storeChannel.publish({ key, contentType, route: path, size: sizeOf(entry), cost, maxAge });
  },
});

/** The provider as the SQL observer knows it, with listeners for what was stamped. */
const listenToInvalidations = (provider: Provider, activity: Activity, metrics: Metrics): InvalidationSink => ({
  announce: (tags) => provider.announce(tags),
  invalidate: async (tags, announcement) => {
    const sequence = await provider.invalidate(tags, announcement);
    metrics.invalidations += 1;
    try {
      activity.wrote(tags, sequence);
      if (invalidateChannel.hasSubscribers) invalidateChannel.publish({ cause: 'write', tags });
    } catch {
      // Nobody's write fails for want of a note in the log of activity.
    }
    return sequence;
  },
});

/** How often counters become history, and activity is told to the store, in milliseconds. */
const RECORDING_INTERVAL = 10_000;

/** Everything that only watches: counters, their history, the activity log, diagnostics channels, the log. */
export class Observability {
  readonly metrics: Metrics;
  readonly recorder: MetricsRecorder;
  readonly activity: Activity;
  readonly refusals: Refusals;
  readonly notices: Notices;
  /** To be told how requests are answered. */
  readonly laneListener: LaneListener;
  readonly #log: Core.Strapi['log'];
  #provider: Provider | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(strapi: Core.Strapi, clock: Clock) {
    this.#log = strapi.log;
    this.metrics = new Metrics(clock);
    this.recorder = new MetricsRecorder({ metrics: this.metrics, clock, shared: () => this.#provider?.counters });
    this.activity = new Activity({
      clock,
      currentActor: () => currentActor(strapi),
      // What is told to other processes is not counted on afterwards.
      countsSwept: () => this.#provider?.reportsSwept === true && this.#provider.lists === undefined,
      shared: () => this.#provider?.lists,
    });
    this.refusals = new Refusals(clock);
    this.notices = new Notices(strapi.log);
    this.laneListener = laneListener(this.metrics, this.refusals);
  }

  /** What a provider is built with. */
  readonly providerEvents: ProviderEvents = {
    evict: (keys) => {
      this.metrics.evictions += keys.length;
      this.activity.evicted(keys);
      if (evictChannel.hasSubscribers) evictChannel.publish({ keys });
    },
    swept: (entry) => this.activity.swept(entry),
    invalidated: (tags) => {
      // What is heard while the provider is made was stamped before this process had anything to lose.
      if (this.#provider !== undefined) this.activity.wroteElsewhere(tags);
    },
    state: (health) => {
      const { state, reason } = health;
      if (state === 'up') this.#log.info('[rest-cache] the store is available');
      else this.#log.warn(`[rest-cache] the store is unavailable, answering from Strapi: ${reason ?? ''}`);
      if (providerStateChannel.hasSubscribers) providerStateChannel.publish(health);
    },
  };

  /**
   * Begins to watch the provider, once it is there.
   *
   * @returns the provider as the SQL observer is to know it.
   */
  watch(provider: Provider): InvalidationSink {
    this.#provider = provider;
    this.#timer = setInterval(() => void this.#record(), RECORDING_INTERVAL);
    this.#timer.unref();
    return listenToInvalidations(provider, this.activity, this.metrics);
  }

  /** Notes a purge by hand; see {@link Activity.purged}. */
  purged(subject: PurgeSubject, tags: readonly Tag[], sequence: Sequence | undefined, entries?: number): void {
    this.metrics.purges += 1;
    this.activity.purged(subject, tags, sequence, entries);
    if (tags.length > 0 && invalidateChannel.hasSubscribers) invalidateChannel.publish({ cause: 'purge', tags });
  }

  /** While the provider can still be told. Never rejects. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#record();
  }

  async #record(): Promise<void> {
    await Promise.all([this.recorder.record(), this.activity.share()]);
  }
}
