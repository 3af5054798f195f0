import fc from 'fast-check';
import { expect, it } from 'vitest';
import { sequence } from '../../../server/src/cache/sequence';
import { Stamps } from '../../../server/src/cache/stamps';
import { tag } from '../../../server/src/cache/tag';
import { numberOfRuns } from '../../number-of-runs';

const TAGS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(tag);

/** Stamps in the order in which they become known: that of another process may come late. */
const someStamps = fc.array(
  fc.record({ tags: fc.subarray(TAGS, { minLength: 1 }), number: fc.integer({ min: 1, max: 40 }).map(sequence) }),
  { maxLength: 30 },
);

it.each([
  ['keeps the highest number of each tag, in whatever order they come', 1000],
  ['forgets only upwards when there are too many', 4],
])('%s', (_what, limit) => {
  fc.assert(
    fc.property(someStamps, (all) => {
      const stamps = new Stamps(limit);
      for (const { tags, number } of all) stamps.stamp(tags, number);
      for (const name of TAGS) {
        const numbers = all.filter(({ tags }) => tags.includes(name)).map(({ number }) => number);
        const highest = Math.max(0, ...numbers);
        if (limit > 100) expect(stamps.of(name)).toBe(highest);
        else expect(stamps.of(name)).toBeGreaterThanOrEqual(highest);
      }
      expect(stamps.latest).toBe(Math.max(0, ...all.map(({ number }) => number)));
      expect(stamps.size).toBeLessThanOrEqual(limit);
    }),
    { numRuns: numberOfRuns(1000) },
  );
});
