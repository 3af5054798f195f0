import { expect, it } from 'vitest';
import type { CacheKey } from '../../../server/src/cache/key';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { UnsharedKeys } from '../../../server/src/cache/unshared-keys';
import { Variants } from '../../../server/src/http/variants';
import { EncodedBodies, type EncodedName } from '../../../server/src/lanes/encoded-bodies';
import { Metrics } from '../../../server/src/monitor/metrics';
import { anEntry, aRoute } from '../monitor/route';

/** Keys as long as URLs may be. Callers choose them, so what is remembered of them is limited by their length as well. */

const clock = { now: () => milliseconds(0) };
const HIT = { kind: 'hit', collapsed: false, timeToLive: milliseconds(1) } as const;

const keys = Array.from({ length: 5000 }, (_, index) => `/api/tags?x=${index}${'a'.repeat(16_000)}&&` as CacheKey);
const first = keys[0] as CacheKey;
const last = keys.at(-1) as CacheKey;

it.each<[what: string, remember: () => (key: CacheKey) => boolean]>([
  [
    'the hits of entries',
    () => {
      const metrics = new Metrics(clock);
      for (const key of keys) metrics.answered(HIT, aRoute(), anEntry({ key }));
      return (key) => metrics.hitsOf(anEntry({ key })) === 1;
    },
  ],
  [
    'variants',
    () => {
      const variants = new Variants();
      for (const key of keys) variants.learn(key, ['accept-language'], {});
      return (key) => variants.fieldsOf(key).length === 1;
    },
  ],
  [
    'responses that cannot be shared',
    () => {
      const unshared = new UnsharedKeys(clock);
      for (const key of keys) unshared.add(key);
      return (key) => unshared.has(key);
    },
  ],
  [
    'content codings',
    () => {
      const { choices } = new EncodedBodies();
      for (const key of keys) choices.set(key as string as EncodedName, 'gzip');
      return (key) => choices.get(key as string as EncodedName) === 'gzip';
    },
  ],
])('%s: of many long keys, the latest are remembered', (_what, remember) => {
  const remembers = remember();
  expect([remembers(first), remembers(last)]).toEqual([false, true]);
});
