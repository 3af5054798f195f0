import { describe, expect, it } from 'vitest';
import { EVERYTHING, tag, type Tag } from '../../../server/src/cache/tag';
import { Owed } from '../../../server/src/providers/owed';

describe('invalidations that are owed', () => {
  it('are delivered together; those that come meanwhile stay', async () => {
    const owed = new Owed();
    const delivered: Tag[][] = [];
    const deliver = (): Promise<void> =>
      owed.deliver((tags) => {
        delivered.push([...tags]);
        if (delivered.length === 1) owed.add([tag('c'), tag('a')]);
        return Promise.resolve();
      });
    owed.add([tag('a'), tag('b')]);
    owed.add([tag('a')]);
    await deliver();
    expect(owed.size).toBe(1);
    await deliver();
    expect(delivered).toEqual([
      ['a', 'b'],
      ['c', 'a'],
    ]);
    expect(owed.size).toBe(0);
  });

  it('stay owed when their delivery fails', async () => {
    const owed = new Owed();
    owed.add([tag('a')]);
    await expect(owed.deliver(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
    expect(owed.size).toBe(1);
  });

  it.each([
    ['writes', 50_000, 1],
    ['rows in a few writes', 10, 5000],
    ['rows in one write', 1, 50_000],
  ])('become one stamp on everything when there are too many: %s', async (_what, writes, rows) => {
    const owed = new Owed();
    for (let write = 0; write < writes; write += 1)
      owed.add(Array.from({ length: rows }, (_, row) => tag(`row:${write}:${row}`)));
    const delivered: Tag[] = [];
    await owed.deliver((tags) => Promise.resolve(void delivered.push(...tags)));
    expect(delivered).toContain(EVERYTHING);
    expect(delivered.length).toBeLessThanOrEqual(20_000);
    owed.add([tag('a')]);
    await owed.deliver((tags) => Promise.resolve(expect(tags).toEqual(['a'])));
  });
});
