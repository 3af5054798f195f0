import { expect, it } from 'vitest';
import { sizeOf } from '../../../server/src/cache/entry';
import { anEntry } from '../monitor/route';

const empty = { key: '', body: Buffer.alloc(0) };

it.each([
  ['its body', { body: Buffer.alloc(100) }, 100],
  ['its key, in two bytes a character', { key: '/a?&&' }, 10],
  ['its headers', { headers: [['x-one', 'a'] as const, ['x-two', ''] as const] }, 11],
  ['its tags', { tags: ['a', 'bc'] }, 3],
])('the size of an entry counts %s', (_what, facts, bytes) => {
  expect(sizeOf(anEntry({ ...empty, ...facts })) - sizeOf(anEntry(empty))).toBe(bytes);
});
