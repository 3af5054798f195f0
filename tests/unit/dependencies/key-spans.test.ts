import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spansOf, spansUpTo } from '../../../server/src/dependencies/key-spans';
import { numberOfRuns } from '../../number-of-runs';

const key = fc.nat({ max: 5_000_000 });

describe('spans of primary keys', () => {
  it('meet where a key lies in a range, and only there', () => {
    fc.assert(
      fc.property(key, key, (last, one) => {
        const range = new Set(spansUpTo(last));
        expect(spansOf(one).some((span) => range.has(span))).toBe(one <= last);
      }),
      { numRuns: numberOfRuns(2000) },
    );
  });

  it('are few', () => {
    fc.assert(
      fc.property(key, (last) => {
        expect(spansUpTo(last)?.length).toBeLessThan(70);
        expect(spansOf(last)).toHaveLength(8);
      }),
    );
  });

  it('give up on keys that are no numbers, and on ranges that would take too many', () => {
    expect(spansOf('6f1c-uuid')).toEqual([]);
    expect(spansUpTo('6f1c-uuid')).toBeUndefined();
    expect(spansUpTo(-1)).toBeUndefined();
    expect(spansUpTo(8 ** 7 * 200)).toBeUndefined();
  });
});
