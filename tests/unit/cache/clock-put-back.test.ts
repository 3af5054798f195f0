import { describe, expect, it } from 'vitest';
import { sampleEntry } from '../../../provider-suite';
import { Flights } from '../../../server/src/cache/flights';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { RecentKeys } from '../../../server/src/cache/recent-keys';
import { type Computation, ResponseCache } from '../../../server/src/cache/response-cache';
import { sequence } from '../../../server/src/cache/sequence';
import { Metrics } from '../../../server/src/monitor/metrics';
import { prometheusRegistry } from '../../../server/src/monitor/prometheus';
import { MemoryProvider } from '../../../server/src/providers/memory';
import { anEntry, aRoute } from '../monitor/route';

it('a clock that is put back during a computation makes no negative cost, which no counter takes', async () => {
  let hour = 10;
  const clock = { now: () => milliseconds(hour * 3_600_000) };
  const provider = new MemoryProvider({ clock });
  const cache = new ResponseCache({ provider, clock, getTimeout: milliseconds(500), onStoreError: () => undefined });
  const { response, labels, tags, maxAge, key } = anEntry();
  const metrics = new Metrics();
  const computed: Computation[] = [
    { response, labels, tags, maxAge },
    { unstorable: { code: 'status', detail: 'status 500' } },
  ];
  for (const computation of computed) {
    const resolution = await cache.resolve(key, () => {
      hour -= 1;
      return Promise.resolve(computation);
    });
    if (resolution.kind === 'uncached')
      metrics.answered({ ...resolution, kind: 'miss', stored: false }, aRoute(), undefined);
    if (resolution.kind !== 'miss') continue;
    metrics.answered({ kind: 'hit', collapsed: false, timeToLive: maxAge }, aRoute(), resolution.entry);
    provider.delete(key);
  }
  expect(await (await prometheusRegistry(metrics, provider)).metrics()).toContain('rest_cache_saved_seconds_total');
  expect(metrics.byContentType.get('api::article.article')).toMatchObject({ saved: 0, missTime: 0, hit: 1, miss: 1 });
});

it('an entry from before the clock was put back is not kept for as much longer than its maxAge', () => {
  let now = milliseconds(10 * 3_600_000);
  const clock = { now: () => now };
  const provider = new MemoryProvider({ clock });
  const entry = { ...sampleEntry(provider.knownSequence(), clock), keptFor: milliseconds(60_000) };
  for (const putBack of [1_000, 3_600_000]) {
    expect(provider.store(entry)).toBe(true);
    now = milliseconds(entry.createdAt - putBack);
    const served = [provider.lookupExpired(entry.key), provider.lookup(entry.key).entry].map((found) => found?.key);
    expect(served).toEqual([undefined, putBack === 1_000 ? entry.key : undefined]);
    now = entry.createdAt;
  }
});

describe('after a clock was put back by an hour', () => {
  let now = milliseconds(10 * 3_600_000);
  const clock = { now: () => now };
  const putBack = (): void => void (now = milliseconds(now - 3_600_000));
  const { response, labels, tags, maxAge, key } = anEntry();

  it('what is computed after an entry was purged by hand is stored', async () => {
    const provider = new MemoryProvider({ clock });
    const cache = new ResponseCache({ provider, clock, getTimeout: milliseconds(500), onStoreError: () => undefined });
    await cache.delete(key);
    putBack();
    await cache.resolve(key, () => Promise.resolve({ response, labels, tags, maxAge }));
    expect(provider.lookup(key).entry?.key).toBe(key);
  });

  it('nobody waits for a computation that began before', () => {
    const flights = new Flights(clock);
    flights.open(key, sequence(3));
    putBack();
    expect(flights.joinable(key, sequence(3))).toBeUndefined();
  });

  it('a key that was to be remembered for a minute is remembered no more', () => {
    const keys = new RecentKeys(clock, milliseconds(60_000));
    keys.add(key);
    expect(keys.has(key)).toBe(true);
    putBack();
    expect(keys.has(key)).toBe(false);
  });
});
