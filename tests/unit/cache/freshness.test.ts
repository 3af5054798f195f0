import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isFresh, isUnchanged, isYoung } from '../../../server/src/cache/freshness';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { sequence } from '../../../server/src/cache/sequence';
import { tag } from '../../../server/src/cache/tag';
import { Stamps } from '../../../server/src/cache/stamps';

const at = milliseconds;
const [a, b, c] = [tag('a'), tag('b'), tag('c')];

describe('the one rule: younger than maxAge, and no tag stamped after its number', () => {
  it.each([
    [-60_001, false],
    [-60_000, true],
    [0, true],
    [999, true],
    [1000, false],
    [5000, false],
  ])('at the age of %i ms of 1000: young is %s', (age, expected) => {
    expect(isYoung({ createdAt: at(100_000), maxAge: at(1000) }, at(100_000 + age))).toBe(expected);
  });

  it('a stamp at its own number was before it; a later one was not', () => {
    const stamps = new Stamps();
    stamps.stamp([a], sequence(5));
    expect(isUnchanged([a, b], sequence(5), stamps.of)).toBe(true);
    expect(isUnchanged([a, b], sequence(4), stamps.of)).toBe(false);
    expect(isUnchanged([b, c], sequence(0), stamps.of)).toBe(true);
  });

  it('both have to hold', () => {
    const stamps = new Stamps();
    stamps.stamp([a], sequence(5));
    const entry = { createdAt: at(0), maxAge: at(1000), tags: [a, b], sequence: sequence(5) };
    expect(isFresh(entry, at(999), stamps.of)).toBe(true);
    expect(isFresh(entry, at(1000), stamps.of)).toBe(false);
    expect(isFresh({ ...entry, sequence: sequence(4) }, at(0), stamps.of)).toBe(false);
  });
});

describe('stamps in bounded memory', () => {
  it('never let an entry live that unbounded ones would not, whatever is stamped', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f'].map(tag);
    fc.assert(
      fc.property(
        fc.array(fc.subarray(names, { minLength: 1 }), { maxLength: 40 }),
        fc.nat(16),
        (invalidations, limit) => {
          const bounded = new Stamps(limit);
          const exact = new Map<string, number>();
          invalidations.forEach((tags, index) => {
            bounded.stamp(tags, sequence(index + 1));
            for (const name of tags) exact.set(name, index + 1);
          });
          expect(bounded.size).toBeLessThanOrEqual(limit);
          for (const name of names) expect(bounded.of(name)).toBeGreaterThanOrEqual(exact.get(name) ?? 0);
        },
      ),
    );
  });

  it('are exact while there is room', () => {
    const stamps = new Stamps(4);
    stamps.stamp([a, b], sequence(1));
    stamps.stamp([a], sequence(2));
    expect([stamps.of(a), stamps.of(b), stamps.of(c)]).toEqual([2, 1, 0]);
  });
});
