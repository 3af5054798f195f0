import type { Core } from '@strapi/strapi';
import type { Clock } from '../cache/clock';
import { type Entry, sizeOf } from '../cache/entry';
import type { Provider, ProviderEvents } from '../cache/provider';
import type { Reason } from '../cache/response-cache';
import { EVERYTHING, type Tag } from '../cache/tag';
import type { LaneListener } from '../lanes/serve-entry';
import type { InvalidationSink } from '../observe/commit-and-stamp';
import { Activity } from './activity';
import { currentActor } from './actor';
import { evictChannel, invalidateChannel, lookupChannel, providerStateChannel, storeChannel } from './diagnostics';
import { Metrics } from './metrics';
import { MetricsRecorder } from './metrics-recorder';
import { Notices, unkeyedReadsLog } from './notices';

/** Reports each answered request to counters, activity and channels. A hit costs its counters and three comparisons. */
export const laneListener = (
  metrics: Metrics,
  activity: Activity,
  onUnkept: (path: string, reason: Reason) => void = () => undefined,
): LaneListener => ({
  answered: (outcome, route, entry, key = entry?.key, target, isAlone) => {
    const isStored = outcome.kind === 'miss' && outcome.stored && entry !== undefined;
    metrics.answered(outcome, route, entry, target, isAlone, isStored ? activity.stored(entry) : undefined);
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
    if (isStored) publishStored(entry);
    if (outcome.stored || outcome.reason === undefined) return;
    activity.refused(key, outcome.reason);
    onUnkept(route.path, outcome.reason);
  },
  refilled: (entry, purpose) => {
    metrics.background[purpose === 'warm' ? 'warmed' : 'revalidated'] += 1;
    activity.stored(entry);
    publishStored(entry);
  },
});

const publishStored = (entry: Entry): void => {
  if (!storeChannel.hasSubscribers) return;
  const { key, labels, cost, maxAge } = entry;
  const { contentType, route } = labels;
  storeChannel.publish({ key, contentType, route, size: sizeOf(entry), cost, maxAge });
};

/** Interval, in milliseconds, at which counters become history and activity records are sent to the store. */
const RECORDING_INTERVAL = 10_000;

/** Everything that only watches: counters, their history, the activity log, diagnostics channels, the log. */
export class Observability {
  readonly metrics: Metrics;
  readonly recorder: MetricsRecorder;
  readonly activity: Activity;
  readonly notices: Notices;
  /** Counts and notes how requests were answered. */
  readonly laneListener: LaneListener;
  readonly #log: Core.Strapi['log'];
  readonly #onStampedElsewhere: ((tags: readonly Tag[]) => void) | undefined;
  #provider: Provider | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param onStampedElsewhere called with the tags that another process has stamped. */
  constructor(strapi: Core.Strapi, clock: Clock, onStampedElsewhere?: (tags: readonly Tag[]) => void) {
    this.#onStampedElsewhere = onStampedElsewhere;
    this.#log = strapi.log;
    this.metrics = new Metrics();
    this.recorder = new MetricsRecorder({ metrics: this.metrics, clock, shared: () => this.#provider?.counters });
    this.activity = new Activity({
      clock,
      currentActor: () => currentActor(strapi),
      // A record that was sent to other processes is not updated any more, so its entries are not counted.
      countsSwept: () => this.#provider?.reportsSwept === true && this.#provider.lists === undefined,
      shared: () => this.#provider?.lists,
    });
    this.notices = new Notices(strapi.log);
    const onUnkept = unkeyedReadsLog((line) => strapi.log.warn(line));
    this.laneListener = laneListener(this.metrics, this.activity, onUnkept);
  }

  /** The callbacks that the provider is created with. */
  readonly providerEvents: ProviderEvents = {
    evict: (keys) => {
      this.metrics.evictions += keys.length;
      this.activity.evicted(keys);
      if (evictChannel.hasSubscribers) evictChannel.publish({ keys });
    },
    swept: (entry) => this.activity.swept(entry),
    invalidated: (tags) => {
      // Tags reported while the provider is being created were stamped before this process had any entry to lose.
      if (this.#provider === undefined) return;
      this.activity.wroteElsewhere(tags);
      this.#onStampedElsewhere?.(tags ?? [EVERYTHING]);
    },
    state: (health) => {
      const { state, reason } = health;
      if (state === 'up') this.#log.info('[rest-cache] the store is available');
      else this.#log.warn(`[rest-cache] the store is unavailable, answering from Strapi: ${reason ?? ''}`);
      if (providerStateChannel.hasSubscribers) providerStateChannel.publish(health);
    },
  };

  /**
   * Begins to watch the provider that has been created.
   *
   * @returns the provider for the SQL observer: what is stamped is also counted, noted and published.
   */
  watch(provider: Provider): InvalidationSink {
    this.#provider = provider;
    this.#timer = setInterval(() => void this.#record(), RECORDING_INTERVAL).unref();
    return {
      announce: (tags) => provider.announce(tags),
      invalidate: async (tags, announcement) => {
        const sequence = await provider.invalidate(tags, announcement);
        this.metrics.invalidations += 1;
        try {
          this.activity.wrote(tags, sequence);
          if (invalidateChannel.hasSubscribers) invalidateChannel.publish({ cause: 'write', tags });
        } catch {
          // A write must not fail because it could not be noted in the activity log.
        }
        return sequence;
      },
    };
  }

  /** Notes a purge by hand; see {@link Activity.purged}. */
  purged(...noted: Parameters<Activity['purged']>): void {
    const [, tags] = noted;
    this.metrics.purges += 1;
    this.activity.purged(...noted);
    if (tags.length > 0 && invalidateChannel.hasSubscribers) invalidateChannel.publish({ cause: 'purge', tags });
  }

  /** Records for the last time. To be called while the provider can still be reached. Never rejects. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#record();
  }

  async #record(): Promise<void> {
    await Promise.all([this.recorder.record(), this.activity.share()]);
  }
}
