import { expect, it } from 'vitest';
import { NO_INVALIDATION } from '../../../server/src/cache/sequence';
import type { RedisClient } from '../../../server/src/providers/redis/client';
import { encodeEntry } from '../../../server/src/providers/redis/codec';
import { Commands } from '../../../server/src/providers/redis/commands';
import { keyspaceOf } from '../../../server/src/providers/redis/keyspace';
import { Numbering } from '../../../server/src/providers/redis/numbering';
import { anEntry } from '../monitor/route';

it('gives an entry no number of the epoch that the next reply begins', async () => {
  const entry = anEntry();
  // What scripts reply to look-ups: the position, whether there is an entry, and what is said of it.
  const replies = [
    ['before', 1, 500, 0],
    ['before', 1, 500, 1, 100, 'v1'],
    ['after', 2, 3, 0],
  ];
  const client = {
    defineCommand: () => undefined,
    hmgetBuffer: () => Promise.resolve([Buffer.from(encodeEntry(entry, 'v1').meta), entry.response.body]),
    restCacheLookup: () => Promise.resolve(replies.shift()),
  } as Partial<RedisClient> as RedisClient;
  const keys = keyspaceOf({ keyPrefix: '', keysPrefix: '', fingerprint: 'f1' });
  const numbering = new Numbering();
  const commands = new Commands(client, keys, numbering, () => undefined);
  const { at } = await commands.lookup(entry.key);
  const [{ found }, after] = await Promise.all([commands.lookup(entry.key), commands.lookup(entry.key)]);
  expect(found).toMatchObject({ sequence: at - 100 });
  expect([at > NO_INVALIDATION, after.at > at]).toEqual([true, true]);
});
