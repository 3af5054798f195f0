import { expect, it } from 'vitest';
import { systemClock } from '../../../server/src/cache/clock';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { ResponseCache } from '../../../server/src/cache/response-cache';
import { MemoryProvider } from '../../../server/src/providers/memory';
import { Variants } from '../../../server/src/http/variants';
import { EncodedBodies, encodedName } from '../../../server/src/stack/encoded-bodies';
import { Metrics } from '../../../server/src/monitor/metrics';
import { anEntry, aRoute } from '../monitor/route';

/** Node accepts request lines of 16 KB, and a quote takes three characters in a key. */
const longKey = (index: number): string => `/api/articles?a=${'%22'.repeat(15_000)}${index}&&`;

/** Keys of 14 MB in all. */
const FLOOD = Array.from({ length: 300 }, (_, index) => anEntry({ key: longKey(index) }));
const [first = anEntry(), last = anEntry()] = [FLOOD[0], FLOOD.at(-1)];

it('a flood of long URLs pushes out what is remembered of the earliest', () => {
  const metrics = new Metrics();
  const variants = new Variants();
  const { choices, bodies } = new EncodedBodies();
  for (const entry of FLOOD) {
    metrics.answered({ kind: 'hit', collapsed: false, timeToLive: entry.maxAge }, aRoute(), entry);
    variants.learn(entry.key, ['accept-language'], {});
    choices.set(encodedName(entry, 'gzip'), 'gzip');
    bodies.set(encodedName(entry, 'gzip'), Buffer.alloc(100));
  }
  expect([metrics.hitsOf(first), metrics.hitsOf(last)]).toEqual([0, 1]);
  expect([variants.fieldsOf(first.key), variants.fieldsOf(last.key)]).toEqual([[], ['accept-language']]);
  expect([choices.has(encodedName(first, 'gzip')), choices.has(encodedName(last, 'gzip'))]).toEqual([false, true]);
  // Their limit is in bytes, and their names count.
  expect(bodies.calculatedSize).toBeGreaterThan(FLOOD.length * first.key.length);
});

it('where too much text was purged by hand to remember, everything that was being computed counts as purged', async () => {
  const provider = new MemoryProvider({ clock: systemClock });
  const settings = { clock: systemClock, getTimeout: milliseconds(500), onStoreError: () => undefined };
  const cache = new ResponseCache({ ...settings, provider });
  const { response, labels, tags, maxAge, key } = anEntry();
  for (const [count, outdated] of [
    [1, false],
    [FLOOD.length, true],
  ] as const) {
    const resolved = await cache.replace(key, async () => {
      for (const { key: other } of FLOOD.slice(0, count)) void cache.delete(other);
      return { response, labels, tags, maxAge };
    });
    expect(resolved).toMatchObject({ kind: 'miss', outdated });
  }
});
