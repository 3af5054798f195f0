import { Counter, Gauge, Registry } from 'prom-client';
import type { Provider } from '../cache/provider';
import type { Metrics, RequestCounts } from './metrics';

type Usage = Awaited<ReturnType<Provider['usage']>>;

type Outcome = Extract<keyof RequestCounts, 'hit' | 'miss' | 'hitpass'>;

const OUTCOMES: readonly Outcome[] = ['hit', 'miss', 'hitpass'];

/**
 * This process's counters in Prometheus' text format. The registry is its own and holds nothing else: the
 * application's default metrics are the application's business.
 *
 * @param metrics is only read, when a scrape asks.
 * @param isObserving whether what requests read and write can be seen.
 */
export const prometheusRegistry = (
  metrics: Metrics,
  provider: Provider,
  isObserving: () => boolean = () => true,
): Registry => {
  const registry = new Registry();
  const registers = [registry];

  /** A counter that takes its values from elsewhere. */
  const counter = <Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    values: () => Iterable<readonly [labels: Record<Label, string>, value: number]>,
  ): void => {
    new Counter({
      name,
      help,
      labelNames: [...labelNames],
      registers,
      collect() {
        this.reset();
        for (const [labels, value] of values()) this.inc(labels, value);
      },
    });
  };

  const perContentType = (count: (counts: RequestCounts) => number) => () =>
    [...metrics.byContentType].map(([uid, counts]) => [{ content_type: uid }, count(counts)] as const);

  counter('rest_cache_requests_total', 'Requests on cached routes, by outcome.', ['content_type', 'outcome'], () =>
    [...metrics.byContentType].flatMap(([uid, counts]) =>
      OUTCOMES.map((outcome) => [{ content_type: uid, outcome }, counts[outcome]] as const),
    ),
  );
  counter(
    'rest_cache_stores_total',
    'Responses kept.',
    ['content_type'],
    perContentType(({ store }) => store),
  );
  counter(
    'rest_cache_saved_seconds_total',
    "What the hits' original responses had taken to compute.",
    ['content_type'],
    perContentType(({ saved }) => saved / 1000),
  );
  counter('rest_cache_evictions_total', 'Entries that left for want of room.', [], () => [[{}, metrics.evictions]]);
  counter('rest_cache_invalidations_total', 'Writes that were stamped.', [], () => [[{}, metrics.invalidations]]);
  counter('rest_cache_purges_total', 'Purges by hand.', [], () => [[{}, metrics.purges]]);

  /** A gauge that is absent while the store cannot be asked. */
  const usageGauge = (name: string, help: string, value: (usage: Usage) => number | undefined): void => {
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.remove();
        const current = await Promise.resolve(provider.usage()).then(value, () => undefined);
        if (current !== undefined) this.set(current);
      },
    });
  };

  usageGauge('rest_cache_entries', 'Entries held; may count dead ones not yet swept.', ({ entries }) => entries);
  usageGauge('rest_cache_bytes', 'Bytes held.', ({ bytes }) => bytes);
  usageGauge('rest_cache_max_bytes', 'Bytes that may be held.', ({ maxBytes }) => maxBytes);
  new Gauge({
    name: 'rest_cache_provider_up',
    help: '1 while the store can be asked, 0 while it is away.',
    registers,
    collect() {
      this.set(provider.health().state === 'up' ? 1 : 0);
    },
  });
  new Gauge({
    name: 'rest_cache_observing',
    help: '1 while responses may be cached, 0 where Strapi or knex is made otherwise than expected and nothing is.',
    registers,
    collect() {
      this.set(isObserving() ? 1 : 0);
    },
  });
  return registry;
};
