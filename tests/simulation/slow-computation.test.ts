import { expect, it } from 'vitest';
import type { CacheKey } from '../../server/src/cache/key';
import { milliseconds } from '../../server/src/cache/milliseconds';
import type { ResponseCache, StorableComputation } from '../../server/src/cache/response-cache';
import { EVERYTHING } from '../../server/src/cache/tag';
import { cacheOn } from './cache-on';
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

it('a response that took longer than its maxAge is served as old, and so is what has replaced it meanwhile', async () => {
  const clock = new ManualClock();
  const cache = cacheOn(clock);
  const slowly = (body: string) => (): Promise<StorableComputation> => {
    clock.pass(milliseconds(15));
    return Promise.resolve({ ...response(body), keptFor: milliseconds(1000) });
  };
  const failing = (): never => expect.unreachable('asked although there is a response');
  const bodyOf = async (resolving: ReturnType<ResponseCache['resolve']>): Promise<string> => {
    const resolution = await resolving;
    return resolution.kind === 'uncached'
      ? resolution.kind
      : `${resolution.kind} ${String(resolution.entry.response.body)}`;
  };

  expect(await bodyOf(cache.resolve(KEY, slowly('first')))).toBe('miss first');
  expect(await bodyOf(cache.resolve(KEY, failing, () => true))).toBe('hit first');
  const replacing = async (): Promise<boolean> => {
    await cache.replace(KEY, slowly('second'));
    return true;
  };
  expect(await bodyOf(cache.resolve(KEY, failing, replacing))).toBe('hit second');
  expect(await bodyOf(cache.resolve(KEY, slowly('third'), () => false))).toBe('miss third');
});

/** Found by the simulation: a computation that takes longer than its response's `maxAge` was joined nevertheless. */
it.each([
  ['shared with who asks before its maxAge has passed', 9, { kind: 'hit', collapsed: true }, 1],
  ['not shared with who asks later', 10, { kind: 'miss' }, 2],
])('a response under way is %s', async (_title, later, expected, computations) => {
  const clock = new ManualClock();
  const cache = cacheOn(clock);
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
