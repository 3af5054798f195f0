import { Counter, Gauge, Registry } from 'prom-client';
import type { Provider } from '../cache/provider';
import type { TargetState } from '../edge/edge';
import type { Metrics, RequestCounts } from './metrics';

const OUTCOMES = ['hit', 'miss', 'hitpass'] as const;

type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>];

/**
 * This process's counters as they are now, for Prometheus. They have a registry of their own, because default metrics
 * are the application's business. The registry is made for each scrape: a counter of prom-client looks up its labels
 * with each increment, which would cost every hit too much.
 *
 * @param isObserving whether what requests read and write can be seen.
 * @param targets caches at the edge that are sent purges.
 * @param warnings how many warnings nobody has acknowledged.
 */
export const prometheusRegistry = async (
  metrics: Metrics,
  provider: Provider,
  isObserving = true,
  targets: readonly TargetState[] = [],
  warnings = 0,
): Promise<Registry> => {
  const registry = new Registry();
  const labelNames = ['content_type', 'outcome', 'target'];
  /** A metric without samples is left out. */
  const add = (Metric: typeof Counter | typeof Gauge, name: string, help: string, ...samples: Sample[]): void => {
    if (samples.length === 0) return;
    const metric = new Metric({ name, help, labelNames, registers: [registry] });
    for (const [value, labels = {}] of samples) metric.inc(labels, value);
  };
  const known = (value: number | undefined): Sample[] => (value === undefined ? [] : [[value]]);
  const perContentType = (count: (counts: RequestCounts) => number, labels = {}): Sample[] =>
    [...metrics.byContentType].map(([uid, counts]) => [count(counts), { content_type: uid, ...labels }]);
  const perTarget = (valueOf: (target: TargetState) => number): Sample[] =>
    targets.map((target) => [valueOf(target), { target: target.name }]);

  const requests = OUTCOMES.flatMap((outcome) => perContentType((counts) => counts[outcome], { outcome }));
  const saved = perContentType((counts) => counts.saved / 1000);
  add(Counter, 'rest_cache_requests_total', 'Requests on cached routes, by outcome.', ...requests);
  add(Counter, 'rest_cache_stores_total', 'Responses stored.', ...perContentType(({ store }) => store));
  add(Counter, 'rest_cache_saved_seconds_total', 'Computing time that hits saved, in seconds.', ...saved);
  add(Counter, 'rest_cache_evictions_total', 'Entries evicted to make room.', [metrics.evictions]);
  add(Counter, 'rest_cache_invalidations_total', 'Invalidations by writes of this process.', [metrics.invalidations]);
  add(Counter, 'rest_cache_purges_total', 'Purges by hand.', [metrics.purges]);

  const { stale, warmed, revalidated, audited, auditedStale } = metrics.background;
  const refills: Sample[] = [
    [warmed, { outcome: 'warm' }],
    [revalidated, { outcome: 'revalidate' }],
  ];
  add(Counter, 'rest_cache_stale_hits_total', 'Hits older than their maxAge, by strategy.stale.', [stale]);
  add(Counter, 'rest_cache_refills_total', 'Responses stored in the background, by their purpose.', ...refills);
  add(Counter, 'rest_cache_audits_total', 'Hits that were computed again and compared.', [audited]);
  add(Counter, 'rest_cache_audits_stale_total', 'Audits that found a stale response.', [auditedStale]);

  // Left out while the store cannot be asked.
  const usage = await (async () => provider.usage())().catch(() => undefined);
  const isUp = Number(provider.health().state === 'up');
  add(Gauge, 'rest_cache_entries', 'Entries held; may count dead ones not yet swept.', ...known(usage?.entries));
  add(Gauge, 'rest_cache_bytes', 'Bytes held.', ...known(usage?.bytes));
  add(Gauge, 'rest_cache_max_bytes', 'Bytes that may be held.', ...known(usage?.maxBytes));
  add(Gauge, 'rest_cache_provider_up', '1 if the store is available, 0 if not.', [isUp]);
  const observing =
    '1 if responses may be cached, 0 if nothing is cached because Strapi or knex does not look as expected.';
  add(Gauge, 'rest_cache_observing', observing, [Number(isObserving)]);
  add(Gauge, 'rest_cache_warnings', 'Warnings that nobody has acknowledged.', [warnings]);
  const waiting = perTarget((target) => target.waiting);
  const behind = perTarget((target) => Number(target.behind !== undefined));
  add(Gauge, 'rest_cache_edge_waiting_keys', 'Keys that targets at the edge still have to purge.', ...waiting);
  add(Gauge, 'rest_cache_edge_behind', '1 if a target has not accepted all purges yet.', ...behind);
  return registry;
};
