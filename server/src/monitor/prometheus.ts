import { Counter, Gauge, Registry } from 'prom-client';
import type { Provider } from '../cache/provider';
import type { TargetState } from '../edge/edge';
import type { Metrics, RequestCounts } from './metrics';

const OUTCOMES = ['hit', 'miss', 'hitpass'] as const;

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
  const registers = [registry];

  const counter = (name: string, help: string, value: number): void =>
    new Counter({ name, help, registers }).inc(value);

  const perContentType = (name: string, help: string, count: (counts: RequestCounts) => number): void => {
    const counted = new Counter({ name, help, labelNames: ['content_type'], registers });
    for (const [uid, counts] of metrics.byContentType) counted.inc({ content_type: uid }, count(counts));
  };

  const gauge = (name: string, help: string, value: number | undefined): void => {
    if (value !== undefined) new Gauge({ name, help, registers }).set(value);
  };

  const requests = new Counter({
    name: 'rest_cache_requests_total',
    help: 'Requests on cached routes, by outcome.',
    labelNames: ['content_type', 'outcome'],
    registers,
  });
  for (const [uid, counts] of metrics.byContentType) {
    for (const outcome of OUTCOMES) requests.inc({ content_type: uid, outcome }, counts[outcome]);
  }
  perContentType('rest_cache_stores_total', 'Responses stored.', ({ store }) => store);
  perContentType(
    'rest_cache_saved_seconds_total',
    'Computing time that hits saved, in seconds.',
    ({ saved }) => saved / 1000,
  );
  counter('rest_cache_evictions_total', 'Entries evicted to make room.', metrics.evictions);
  counter('rest_cache_invalidations_total', 'Invalidations by writes of this process.', metrics.invalidations);
  counter('rest_cache_purges_total', 'Purges by hand.', metrics.purges);

  // Left out while the store cannot be asked.
  const usage = await (async () => provider.usage())().catch(() => undefined);
  gauge('rest_cache_entries', 'Entries held; may count dead ones not yet swept.', usage?.entries);
  gauge('rest_cache_bytes', 'Bytes held.', usage?.bytes);
  gauge('rest_cache_max_bytes', 'Bytes that may be held.', usage?.maxBytes);
  gauge('rest_cache_provider_up', '1 if the store is available, 0 if not.', Number(provider.health().state === 'up'));
  gauge(
    'rest_cache_observing',
    '1 if responses may be cached, 0 if nothing is cached because Strapi or knex does not look as expected.',
    Number(isObserving),
  );
  gauge('rest_cache_warnings', 'Warnings that nobody has acknowledged.', warnings);
  if (targets.length === 0) return registry;
  const perTarget = (name: string, help: string, valueOf: (target: TargetState) => number): void => {
    const measured = new Gauge({ name, help, labelNames: ['target'], registers });
    for (const target of targets) measured.inc({ target: target.name }, valueOf(target));
  };
  perTarget(
    'rest_cache_edge_waiting_keys',
    'Keys that targets at the edge still have to purge.',
    ({ waiting }) => waiting,
  );
  perTarget('rest_cache_edge_behind', '1 if a target has not accepted all purges yet.', ({ behind }) =>
    Number(behind !== undefined),
  );
  return registry;
};
