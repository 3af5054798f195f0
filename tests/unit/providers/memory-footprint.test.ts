import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../server/src/cache/entry';
import type { CacheKey } from '../../../server/src/cache/key';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import type { Tag } from '../../../server/src/cache/tag';
import { defaultMaxBytes, MemoryProvider } from '../../../server/src/providers/memory';
import { anEntry } from '../monitor/route';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

const clock = { now: () => milliseconds(1) };

const entry = (key: string, body: Buffer, tags: readonly string[] = []): Entry => anEntry({ key, body, tags });

/**
 * The same claims that tests/bench/memory.mjs measures, with few entries. The measured numbers are in
 * tests/bench/results.md.
 */
describe('what an entry takes of the JavaScript heap', () => {
  it('is little beside its body, because bodies are outside and tags are shared', () => {
    const provider = new MemoryProvider({ clock, maxBytes: 2 ** 30 });
    const tags = (): string[] => [
      '*',
      ...Array.from({ length: 70 }, (_, index) => `a_rather_long_table_name#${index}`),
    ];
    for (let index = 0; index < 200; index += 1) provider.store(entry(`warm${index}`, Buffer.alloc(8), tags()));
    const before = process.memoryUsage().heapUsed;
    const texts = new Set<Tag>();
    for (let index = 0; index < 50; index += 1) provider.store(entry(`key${index}`, Buffer.alloc(83 * 1024), tags()));
    for (let index = 0; index < 50; index += 1)
      for (const name of provider.lookup(`key${index}` as CacheKey).entry?.tags ?? []) texts.add(name);
    expect(texts.size).toBe(71);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(0.5 * 50 * 83 * 1024);
    expect(provider.usage().bytes).toBeGreaterThan(50 * 83 * 1024);
  });

  it.each([
    ['a container of 512 MiB', 512 * MIB, 8 * GIB, 128 * MIB],
    ['a machine of 2 GiB', 0, 2 * GIB, 512 * MIB],
    ['a container without a limit', 2 ** 63, 2 * GIB, 512 * MIB],
    ['a machine of 64 GiB', 0, 64 * GIB, GIB],
  ])('by default it takes a quarter of the memory, and at most 1 GiB: %s', (_where, constrained, machine, bytes) => {
    expect(defaultMaxBytes(constrained, machine)).toBe(bytes);
  });

  it('beyond maxBytes the least recently used go, hot ones stay', () => {
    const evicted: CacheKey[] = [];
    const provider = new MemoryProvider({
      clock,
      maxBytes: 1_000_000,
      events: { evict: (keys) => void evicted.push(...keys) },
    });
    provider.store(entry('hot', Buffer.alloc(5000)));
    for (let index = 0; index < 2000; index += 1) {
      provider.store(entry(`cold${index}`, Buffer.alloc(5000)));
      if (index % 20 === 0) expect(provider.lookup('hot' as CacheKey).entry).toBeDefined();
      expect(provider.usage().bytes).toBeLessThanOrEqual(1_000_000);
    }
    expect(evicted).not.toContain('hot');
    expect(evicted.length).toBeGreaterThan(1700);
  });
});
