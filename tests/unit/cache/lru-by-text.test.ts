import { expect, it } from 'vitest';
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
