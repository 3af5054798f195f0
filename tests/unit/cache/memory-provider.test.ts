import { describe, expect, it, vi } from 'vitest';
import type { Entry } from '../../../server/src/cache/entry';
import { cacheKey, type CacheKey } from '../../../server/src/cache/key';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { NoRoom } from '../../../server/src/cache/no-room';
import { tag } from '../../../server/src/cache/tag';
import { DEFAULT_MAX_SIZE, MemoryProvider } from '../../../server/src/providers/memory';
import { anEntry } from '../monitor/route';

const clock = { now: () => milliseconds(1_000_000) };

const keyOf = (name: string): CacheKey => cacheKey({ path: `/${name}`, query: {}, headers: [], identity: '' });

const entryOf = (name: string, bytes = 10): Entry =>
  anEntry({ key: keyOf(name), body: Buffer.alloc(bytes), tags: ['*', name], createdAt: clock.now() });

describe('maxSize (specification, "Limits")', () => {
  it('is 32767 entries by default', () => {
    expect(DEFAULT_MAX_SIZE).toBe(32_767);
    const store = new MemoryProvider({ clock });
    for (let index = 0; index < 32_769; index += 1) store.store(entryOf(`n${index}`));
    expect(store.usage().entries).toBe(32_767);
    store.close();
  });

  it('evicts the least recently used first, and tells whom', () => {
    const evicted: string[] = [];
    const store = new MemoryProvider({ clock, maxSize: 2, events: { evict: (keys) => evicted.push(...keys) } });
    store.store(entryOf('one'));
    store.store(entryOf('two'));
    expect(store.lookup(keyOf('one')).entry).toBeDefined();
    store.store(entryOf('three'));
    expect(evicted).toEqual([keyOf('two')]);
    expect(store.lookup(keyOf('one')).entry).toBeDefined();
    expect(store.lookup(keyOf('two')).entry).toBeUndefined();
    store.close();
  });

  it('reserves no memory for more entries than maxBytes can hold', () => {
    const store = new MemoryProvider({ clock, maxSize: 2 ** 32, maxBytes: 1_000_000 });
    store.store(entryOf('one'));
    expect(store.lookup(keyOf('one')).entry).toBeDefined();
    store.close();
  });
});

describe('maxBytes', () => {
  it('an entry larger than all of it is not kept, and evicts nobody', () => {
    const store = new MemoryProvider({ clock, maxBytes: 10_000 });
    store.store(entryOf('small', 100));
    expect(() => store.store(entryOf('large', 20_000))).toThrow(NoRoom);
    expect(store.lookup(keyOf('small')).entry).toBeDefined();
    store.close();
  });
});

it('what is dead is freed in the end, also where the entry that a sweep rests on is hit meanwhile', async () => {
  vi.useFakeTimers();
  const store = new MemoryProvider({ clock });
  const isLive = (index: number): boolean => index === 800 || index >= 900;
  for (let index = 0; index < 1000; index += 1)
    store.store({ ...entryOf(`n${index}`), tags: [tag(isLive(index) ? 'live' : 'dead')] });
  store.invalidate([tag('dead')]);
  for (let elapsed = 0; elapsed < 5000; elapsed += 1) {
    await vi.advanceTimersByTimeAsync(1);
    if (store.usage().entries < 1000) store.lookup(keyOf('n800'));
  }
  expect(store.usage().entries).toBe(101);
  store.close();
  vi.useRealTimers();
});
