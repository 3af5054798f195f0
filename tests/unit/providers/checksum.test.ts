import { expect, it } from 'vitest';
import { checksum } from '../../../server/src/providers/redis/codec';

it('is the same for every empty body, whatever memory stands behind it', () => {
  const meta = Buffer.from('{"key":"/api/a"}');
  const empty = [Buffer.from(''), Buffer.alloc(0), Buffer.from(new Uint8Array(0).buffer), Buffer.from('a').subarray(1)];
  expect(new Set(empty.map((body) => checksum(meta, body))).size).toBe(1);
  expect(checksum(meta, Buffer.alloc(0))).not.toBe(checksum(Buffer.from('{"key":"/api/b"}'), Buffer.alloc(0)));
});
