import { expect, it } from 'vitest';
import { EVERYTHING, tag, type Tag } from '../../../server/src/cache/tag';
import { Owed } from '../../../server/src/providers/owed';

/** How they are delivered: tests/unit/providers/fail-closed.test.ts. */
it.each([
  ['writes', 50_000, 1],
  ['rows in a few writes', 10, 5000],
  ['rows in one write', 1, 50_000],
])(
  'invalidations that are owed become one stamp on everything when there are too many: %s',
  async (_what, writes, rows) => {
    const owed = new Owed();
    for (let write = 0; write < writes; write += 1)
      owed.add(Array.from({ length: rows }, (_, row) => tag(`row:${write}:${row}`)));
    const delivered: Tag[] = [];
    await owed.deliver((tags) => Promise.resolve(void delivered.push(...tags)));
    expect(delivered).toContain(EVERYTHING);
    expect(delivered.length).toBeLessThanOrEqual(20_000);
    owed.add([tag('a')]);
    await owed.deliver((tags) => Promise.resolve(expect(tags).toEqual(['a'])));
  },
);
