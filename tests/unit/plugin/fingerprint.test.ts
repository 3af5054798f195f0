import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonical } from '../../../server/src/plugin/fingerprint';

/** The same value with its lists and objects in another order, at every depth. */
const shuffled = (value: unknown, random: () => number): unknown => {
  const mixed = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => [random(), item] as const)
      .sort(([one], [other]) => one - other)
      .map(([, item]) => item);
  if (Array.isArray(value)) return mixed(value.map((item) => shuffled(item, random)));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(mixed(Object.entries(value).map(([name, item]) => [name, shuffled(item, random)])));
};

it('is the same in whatever order schema, content types and routes were loaded', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (value, numbers) => {
      expect(canonical(shuffled(value, () => numbers.next().value))).toBe(canonical(value));
    }),
  );
});

it('is another where a value is another', () => {
  const tables = [{ name: 'articles', columns: [{ name: 'title', type: 'string' }] }];
  const others = [
    [{ name: 'articles', columns: [{ name: 'title', type: 'text' }] }],
    [{ name: 'articles', columns: [] }],
    [...tables, { name: 'authors', columns: [] }],
    [{ name: 'title', columns: [{ name: 'articles', type: 'string' }] }],
    [['articles'], ['title', 'string']],
  ];
  expect(new Set([tables, ...others].map(canonical)).size).toBe(1 + others.length);
});

it('counts what is undefined as left out', () => {
  expect(canonical({ a: 1, b: undefined })).toBe(canonical({ a: 1 }));
});
