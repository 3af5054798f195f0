import { expect, it } from 'vitest';
import { addCounts, addSizes, comparing, costOf, type Counts, type Row } from '../../../admin/src/pages/route-numbers';

const counts = (changes: Partial<Counts>): Counts => ({
  ...{ hit: 0, miss: 0, hitpass: 0, store: 0, saved: 0, missTime: 0, hitpassTime: 0 },
  ...changes,
});
const row = (name: string, changes: Partial<Counts>, bytes?: number): Row => ({
  name,
  counts: counts(changes),
  size: bytes === undefined ? undefined : { entries: 1, bytes },
});

const ROWS = [
  row('b', { hit: 9, miss: 1, missTime: 10 }, 300),
  row('a', { hit: 1, miss: 1, hitpass: 20, missTime: 5, hitpassTime: 90 }, 100),
  row('d', {}),
  row('c', {}),
];

it.each([
  ['route:asc', 'abcd'],
  ['route:desc', 'dcba'],
  ['ratio:desc', 'bacd'],
  ['requests:desc', 'abcd'],
  ['spent:asc', 'cdba'],
  ['size:desc', 'bacd'],
  ['something:asc', 'abcd'],
])('rows sorted by %s', (sort, names) => {
  expect(
    [...ROWS]
      .sort(comparing(sort))
      .map(({ name }) => name)
      .join(''),
  ).toBe(names);
});

it('sums of several rows', () => {
  const sum = addCounts(ROWS.map((each) => each.counts));
  expect(sum).toMatchObject({ hit: 10, miss: 2, hitpass: 20 });
  expect(costOf(sum)).toBe(105);
  expect(addSizes(ROWS.slice(0, 2).map(({ size }) => size))).toEqual({ entries: 2, bytes: 400 });
  expect(addSizes(ROWS.map(({ size }) => size))).toBeUndefined();
});
