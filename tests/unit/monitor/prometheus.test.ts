import { expect, it } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { MemoryProvider } from '../../../server/src/providers/memory';
import { Metrics } from '../../../server/src/monitor/metrics';
import { prometheusRegistry } from '../../../server/src/monitor/prometheus';
import type { TargetState } from '../../../server/src/edge/edge';
import { anEntry, aRoute } from './route';

const clock = { now: () => milliseconds(1000) };

it('exposes the counters as they are at each scrape, not adding them up twice', async () => {
  const metrics = new Metrics();
  const provider = new MemoryProvider({ clock, maxBytes: 1_000_000 });
  provider.store(anEntry({ createdAt: 1000 }));
  const scrape = async () => (await prometheusRegistry(metrics, provider)).metrics();
  const hit = { kind: 'hit', collapsed: false, timeToLive: milliseconds(1) } as const;
  metrics.answered(hit, aRoute(), anEntry({ cost: 1500 }));
  await scrape();
  metrics.answered(hit, aRoute(), anEntry({ cost: 500 }));
  const text = await scrape();
  expect(text).toContain('rest_cache_requests_total{content_type="api::article.article",outcome="hit"} 2');
  expect(text).toContain('rest_cache_saved_seconds_total{content_type="api::article.article"} 2');
  expect(text).toContain('rest_cache_entries 1');
  expect(text).toContain('rest_cache_max_bytes 1000000');
  expect(text).toContain('rest_cache_provider_up 1');
});

it('says how far targets at the edge are, where there are some', async () => {
  const provider = new MemoryProvider({ clock, maxBytes: 1_000_000 });
  const scrape = async (targets?: readonly TargetState[]) =>
    (await prometheusRegistry(new Metrics(), provider, true, targets)).metrics();
  const text = await scrape([
    { name: 'varnish', behind: 'it answered 503', waiting: 7 },
    { name: 'fastly', behind: undefined, waiting: 0 },
  ]);
  expect(text).toContain('rest_cache_edge_behind{target="varnish"} 1');
  expect(text).toContain('rest_cache_edge_waiting_keys{target="varnish"} 7');
  expect(text).toContain('rest_cache_edge_behind{target="fastly"} 0');
  expect(await scrape()).not.toContain('rest_cache_edge');
});

it('leaves out what a store that is away cannot tell, and says that it is away', async () => {
  const away = {
    usage: () => Promise.reject(new Error('away')),
    health: () => ({ state: 'down', since: 0 }) as const,
  } as unknown as MemoryProvider;
  const text = await (await prometheusRegistry(new Metrics(), away)).metrics();
  expect(text).toContain('rest_cache_provider_up 0');
  expect(text).not.toMatch(/^rest_cache_entries /m);
});
