import { expect, it } from 'vitest';
import { LeadingItems } from '../../../server/src/admin-api/leading-items';

it.each([1, 20, 499, 500, 501, 3000])('keeps the first %i of thousands, in order', (limit) => {
  const numbers = Array.from({ length: 2500 }, (_, index) => (index * 7919) % 2503);
  const leading = new LeadingItems<number>(limit, (one, other) => one - other);
  for (const number of numbers) leading.add(number);
  const sorted = [...numbers].sort((one, other) => one - other);
  expect(leading.items).toEqual(sorted.slice(0, limit));
  leading.clear();
  leading.add(3);
  expect(leading.items).toEqual([3]);
});
