import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../../server/src/cache/clock';
import { cacheKey, sampleEntry, type Looked } from './looked-at-entry';
import { MemoryProvider } from '../../../server/src/providers/memory';
import { tag } from '../../../server/src/cache/tag';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const filled = (count: number): { provider: MemoryProvider; looked: Looked } => {
  const provider = new MemoryProvider({ clock: systemClock, maxSize: 200_000 });
  const looked: Looked = { times: 0 };
  for (let number = 0; number < count; number += 1) provider.store(sampleEntry(number, looked));
  looked.times = 0;
  return { provider, looked };
};

it.each([1_000, 100_000])('a purge with %i entries looks at none of them', (count) => {
  const { provider, looked } = filled(count);
  provider.invalidate([tag('type:api::article.article')]);
  expect(looked.times).toBe(0);
  expect(provider.lookup(cacheKey(count - 1)).entry).toBeUndefined();
});

it.each([1_000, 20_000])('what a purge of %i entries leaves is freed a few hundred at a time', (count) => {
  const { provider, looked } = filled(count);
  provider.invalidate([tag('type:api::article.article')]);
  let longest = 0;
  for (let turns = 0; provider.usage().entries > 0 && turns < count; turns += 1) {
    looked.times = 0;
    vi.advanceTimersToNextTimer();
    longest = Math.max(longest, looked.times);
  }
  expect(provider.usage().entries).toBe(0);
  expect(longest).toBeLessThanOrEqual(200);
});
