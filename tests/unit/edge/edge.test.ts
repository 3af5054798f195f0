import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EdgePurge } from '../../../server/src/cache/edge-purge';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { EVERYTHING, tag } from '../../../server/src/cache/tag';
import { Edge, purgingTheEdge } from '../../../server/src/edge/edge';

let purges: EdgePurge[];
let heads: number;
let answer: () => Promise<void>;

const edgeOf = (isOfOneProcess: boolean): Edge =>
  new Edge({
    header: 'xkey',
    maxHeaderBytes: 2048,
    keysPrefix: '',
    timeout: milliseconds(1000),
    targets: [
      {
        name: 'stand-in',
        batch: 256,
        purge: async (purge) => {
          await answer();
          purges.push(purge);
        },
      },
    ],
    isOfOneProcess,
    documentsOf: () => [],
    onHeadsChanged: () => (heads += 1),
    onState: () => undefined,
  });

beforeEach(() => {
  vi.useFakeTimers();
  [purges, heads, answer] = [[], 0, async () => undefined];
});
afterEach(() => {
  vi.useRealTimers();
});

const article = tag('articles#1');
const keysIn = (header: string): string[] => header.split(' ');

describe('in the only process', () => {
  it('keys that nobody was given are not purged', async () => {
    const edge = edgeOf(true);
    const [, key = ''] = keysIn(edge.keysOfAnswer([EVERYTHING, article], ''));
    await edge.purge([article, tag('articles#2'), tag('articles!')]);
    expect(purges.map(({ keys }) => keys)).toEqual([[key]]);
    await edge.purge([tag('authors#1')]);
    expect(purges).toHaveLength(1);
  });

  it('an answer that was found before a write, and handed out after its purge, is purged a little later', async () => {
    const edge = edgeOf(true);
    await edge.purge([article]);
    const [, key = ''] = keysIn(edge.keysOfAnswer([EVERYTHING, article], ''));
    await vi.advanceTimersByTimeAsync(2900);
    expect(purges).toEqual([]);
    await vi.advanceTimersByTimeAsync(3200);
    expect(purges.map(({ keys }) => keys)).toEqual([[key]]);
    await vi.advanceTimersByTimeAsync(60_000);
    // The repetition, and no more.
    expect(purges).toHaveLength(2);
  });

  it('too many keys are forgotten, everything is purged, and heads are made anew', async () => {
    const edge = edgeOf(true);
    const all = keysIn(edge.keysOfAnswer([EVERYTHING], ''));
    for (let id = 0; id <= 200_000; id += 1) edge.keysOfAnswer([tag(`articles#${id}`)], '');
    await vi.advanceTimersByTimeAsync(0);
    expect([purges.map(({ keys }) => keys), heads]).toEqual([[all], 1]);
  });
});

it('beside other processes every key is purged, for they have handed out others', async () => {
  await edgeOf(false).purge([article]);
  expect(purges[0]?.keys.length).toBe(3);
});

it('a write is acknowledged after its purge, and its failure stays what it is', async () => {
  const edge = edgeOf(false);
  const done: string[] = [];
  answer = async () => void done.push('purged');
  const stamped = purgingTheEdge({ announce: () => undefined, invalidate: () => void done.push('stamped') }, edge);
  await stamped.invalidate([article]);
  expect(done).toEqual(['stamped', 'purged']);
  const failing = purgingTheEdge(
    { announce: () => undefined, invalidate: () => Promise.reject(new Error('away')) },
    edge,
  );
  await expect(Promise.resolve(failing.invalidate([article]))).rejects.toThrow('away');
  expect(done).toEqual(['stamped', 'purged', 'purged']);
});

it('heads change while a target is behind', async () => {
  const edge = edgeOf(false);
  answer = () => Promise.reject(new Error('it answered 503'));
  await edge.purge([article]);
  expect([edge.isBehind, heads, edge.targets]).toEqual([
    true,
    1,
    [{ name: 'stand-in', behind: 'it answered 503', waiting: 3 }],
  ]);
});
