import { expect, it } from 'vitest';
import type { CacheKey } from '../../server/src/cache/key';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { ResponseCache, type StorableComputation } from '../../server/src/cache/response-cache';
import { EVERYTHING } from '../../server/src/cache/tag';
import { MemoryProvider } from '../../server/src/providers/memory';
import { everybodyHasReacted } from './interleaving';
import { ManualClock } from './manual-clock';

const KEY = '/slow?&&' as CacheKey;
const MAX_AGE = milliseconds(10);

const response = (body: string): StorableComputation => ({
  response: { status: 200, headers: [], body: Buffer.from(body), etag: undefined },
  labels: { contentType: 'api::slow.slow', route: '/slow', params: {}, identity: '' },
  tags: [EVERYTHING],
  maxAge: MAX_AGE,
});

/** Found by the simulation: a computation that takes longer than its response's `maxAge` was joined nevertheless. */
it.each([
  ['shared with who asks before its maxAge has passed', 9, { kind: 'hit', collapsed: true }, 1],
  ['not shared with who asks later', 10, { kind: 'miss' }, 2],
])('a response under way is %s', async (_title, later, expected, computations) => {
  const clock = new ManualClock();
  const cache = new ResponseCache({
    provider: new MemoryProvider({ clock }),
    clock,
    getTimeout: milliseconds(1000),
    onStoreError: (error) => expect.unreachable(String(error)),
  });
  let computed = 0;
  let finishFirst = (_computation: StorableComputation): void => undefined;
  const first = cache.resolve(KEY, () => {
    computed += 1;
    return new Promise((resolve) => (finishFirst = resolve));
  });
  await everybodyHasReacted();

  clock.pass(milliseconds(later));
  const second = cache.resolve(KEY, () => {
    computed += 1;
    return Promise.resolve(response('second'));
  });
  await everybodyHasReacted();
  clock.pass(milliseconds(5));
  finishFirst(response('first'));

  expect((await first).kind).toBe('miss');
  expect(await second).toMatchObject(expected);
  expect(computed).toBe(computations);
});
