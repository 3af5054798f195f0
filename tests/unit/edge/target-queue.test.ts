import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { EdgeKey, EdgePurge } from '../../../server/src/cache/edge-purge';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { TargetQueue } from '../../../server/src/edge/target-queue';

const keysOf = (text: string): EdgeKey[] => text.split(' ') as EdgeKey[];

let taken: string[];
let states: Array<string | undefined>;
let answer: (purge: EdgePurge) => Promise<void>;
let queue: TargetQueue;

const start = (batch = 256): void => {
  taken = [];
  states = [];
  answer = async () => undefined;
  queue = new TargetQueue({
    target: {
      name: 'stand-in',
      batch,
      purge: async (purge) => {
        await answer(purge);
        taken.push(purge.keys.join(' '));
      },
    },
    timeout: milliseconds(1000),
    everything: 'ALL' as EdgeKey,
    onState: (behind) => states.push(behind),
  });
};

beforeEach(() => {
  vi.useFakeTimers();
  start();
});
afterEach(() => {
  vi.useRealTimers();
});

it('tells the error of a target without the address, which may hold a password', async () => {
  // As `fetch` says it.
  answer = () =>
    Promise.reject(new TypeError('URL that includes credentials: https://cdn:s3cret@cdn.example.com/purge'));
  await queue.purge(keysOf('a'), []);
  expect([states, queue.behind]).toEqual([
    ['URL that includes credentials: https://…'],
    'URL that includes credentials: https://…',
  ]);
});

it.each([
  // As the AWS SDK does.
  ['without a message', Object.assign(new Error(), { message: null, name: 'NotFound' }), 'NotFound: null'],
  ['that is no error', 'it is closed', 'it is closed'],
  ['that has no text', Object.create(null), 'it gave no reason'],
  ['that is nothing', undefined, 'undefined'],
])('asks a target again that has thrown something %s', async (_what, thrown, reason) => {
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
  answer = () => Promise.reject(thrown);
  await queue.purge(keysOf('a'), []);
  await vi.advanceTimersByTimeAsync(1000);
  expect([states, queue.behind]).toEqual([[reason], reason]);
  answer = async () => undefined;
  await vi.advanceTimersByTimeAsync(2000);
  expect([taken, queue.behind]).toEqual([['a'], undefined]);
});

describe('a target that takes purges', () => {
  it('has taken one when it is acknowledged, and once more after three seconds', async () => {
    await queue.purge(keysOf('a b'), []);
    expect(taken).toEqual(['a b']);
    await vi.advanceTimersByTimeAsync(2900);
    expect(taken).toEqual(['a b']);
    await vi.advanceTimersByTimeAsync(200);
    expect(taken).toEqual(['a b', 'a b']);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(taken).toHaveLength(2);
  });

  it('takes each again after three seconds, also one that was taken just before others were due', async () => {
    await queue.purge(keysOf('a'), []);
    await vi.advanceTimersByTimeAsync(2950);
    await queue.purge(keysOf('b'), []);
    await vi.advanceTimersByTimeAsync(30);
    await queue.purge(keysOf('c'), []);
    await vi.advanceTimersByTimeAsync(2900);
    expect(taken).toEqual(['a', 'b', 'c', 'a']);
    // Those that follow each other are taken together.
    await vi.advanceTimersByTimeAsync(1200);
    expect(taken).toEqual(['a', 'b', 'c', 'a', 'b c']);
  });

  it('takes no more at once than it can, and what waits together', async () => {
    start(2);
    let open = (): void => undefined;
    answer = () => new Promise((resolve) => (open = resolve));
    const first = queue.purge(keysOf('a b c'), []);
    const second = queue.purge(keysOf('d'), []);
    await vi.advanceTimersByTimeAsync(0);
    answer = async () => undefined;
    open();
    await Promise.all([first, second]);
    expect(taken).toEqual(['a b', 'c d']);
    expect(states).toEqual([]);
  });

  it('is told everything where too much waits', async () => {
    await queue.purge(
      Array.from({ length: 10_001 }, (_, index) => `k${index}` as EdgeKey),
      [],
    );
    expect(taken).toEqual(['ALL']);
  });

  it('is told the documents with the keys, and not again', async () => {
    const purges: EdgePurge[] = [];
    answer = async (purge) => void purges.push(purge);
    const document = { contentType: 'api::article.article', documentId: 'one' };
    await queue.purge(keysOf('a'), [document]);
    await vi.advanceTimersByTimeAsync(4000);
    expect(purges).toEqual([
      { sequence: 1, keys: ['a'], documents: [document] },
      { sequence: 2, keys: ['a'], documents: [] },
    ]);
  });
});

describe('a target that is slow', () => {
  it('is told new keys before it is told old ones again', async () => {
    start(2);
    await queue.purge(keysOf('a b c d'), []);
    answer = () => new Promise((resolve) => setTimeout(resolve, 300));
    await vi.advanceTimersByTimeAsync(3000);
    let acknowledged = 0;
    void queue.purge(keysOf('e'), []).then(() => (acknowledged += 1));
    await vi.advanceTimersByTimeAsync(601);
    expect([taken.slice(2), acknowledged]).toEqual([['a b', 'e c'], 1]);
    await vi.advanceTimersByTimeAsync(300);
    expect(taken.slice(2)).toEqual(['a b', 'e c', 'd']);
  });

  it('is told old ones again in time, although there is always something new', async () => {
    const purges: EdgePurge[] = [];
    answer = async (purge) => {
      purges.push(purge);
      await new Promise((resolve) => setTimeout(resolve, 50));
    };
    void queue.purge(keysOf('first'), []);
    let number = 0;
    const write = async (): Promise<void> => {
      number += 1;
      const documents = [{ contentType: 'of', documentId: `d${number}` }];
      await queue.purge(keysOf(`k${number}`), documents);
      if (number < 400) await write();
    };
    const one = write();
    await vi.advanceTimersByTimeAsync(75);
    const writes = Promise.all([one, write()]);
    await vi.advanceTimersByTimeAsync(5000);
    expect(number).toBeLessThan(400);
    const again = purges.slice(1).find(({ keys }) => keys.includes('first' as EdgeKey));
    expect(again?.documents).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(60_000);
    await writes;
    expect(taken.filter((keys) => keys.split(' ').includes('k400'))).toHaveLength(2);
  });

  it('is told everything again where too much has come to be told again', async () => {
    start(20);
    let number = 0;
    const keys = (): EdgeKey[] => Array.from({ length: 20 }, (_, index) => `k${number}-${index}` as EdgeKey);
    // One purge after the other, so that there is never time for repetitions, nor room for them.
    answer = () =>
      new Promise((resolve) => {
        number += 1;
        if (number < 5000) void queue.purge(keys(), []);
        setTimeout(resolve, 1);
      });
    void queue.purge(keys(), []);
    await vi.advanceTimersByTimeAsync(4999);
    expect([number, taken.includes('ALL')]).toEqual([5000, false]);
    await vi.advanceTimersByTimeAsync(30_000);
    expect([...new Set(taken.slice(5000))]).toEqual(['ALL']);
  });

  it('is waited for where something was added just as it had come to an end', async () => {
    const both = [queue.purge(keysOf('a'), []), queue.purge(keysOf('b'), [])];
    await Promise.all(both);
    void Promise.resolve().then(() => queue.purge(keysOf('c'), []));
    await queue.purge(keysOf('d'), []);
    await vi.advanceTimersByTimeAsync(0);
    expect(taken.join(' ').split(' ').sort()).toEqual(['a', 'b', 'c', 'd']);
  });
});

describe('whoever waits for keys', () => {
  it('is told when they, and not only others, have been taken twice', async () => {
    start(2);
    const told: string[] = [];
    await queue.purge(keysOf('a b c'), [], () => told.push('first'));
    await queue.purge(keysOf('a'), [], () => told.push('second'));
    expect([taken, told]).toEqual([['a b', 'c', 'a'], []]);
    answer = async ({ keys }) => {
      if (keys.includes('c' as EdgeKey)) throw new Error('not this one');
    };
    await vi.advanceTimersByTimeAsync(3100);
    // Of the keys that both purges have in common, each is sent again once.
    expect([taken.slice(3), told]).toEqual([['a b'], []]);
    answer = async () => undefined;
    await vi.advanceTimersByTimeAsync(600);
    expect([taken.slice(3), told]).toEqual([
      ['a b', 'c'],
      ['first', 'second'],
    ]);
  });
});

describe('a target that fails', () => {
  it('is asked again until it has taken everything, and holds up no write meanwhile', async () => {
    answer = () => Promise.reject(new Error('it answered 503'));
    await queue.purge(keysOf('a'), []);
    expect(states).toEqual(['it answered 503']);
    await queue.purge(keysOf('b'), []);
    expect([taken, queue.behind, queue.waiting]).toEqual([[], 'it answered 503', 2]);
    await vi.advanceTimersByTimeAsync(1600);
    expect(taken).toEqual([]);
    answer = async () => undefined;
    await vi.advanceTimersByTimeAsync(2100);
    expect([taken, states, queue.behind]).toEqual([['a b'], ['it answered 503', undefined], undefined]);
  });

  it('costs the first write its timeout, and the next ones nothing', async () => {
    answer = () => new Promise(() => undefined);
    let acknowledged = 0;
    void queue.purge(keysOf('a'), []).then(() => (acknowledged += 1));
    await vi.advanceTimersByTimeAsync(999);
    expect(acknowledged).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect([acknowledged, states]).toEqual([1, ['it did not take a purge within 1000 ms']]);
    await queue.purge(keysOf('b'), []);
    expect(queue.waiting).toBe(1);
  });

  it('is asked again where it neither takes a purge nor refuses it', async () => {
    answer = () => new Promise(() => undefined);
    void queue.purge(keysOf('a'), []);
    await vi.advanceTimersByTimeAsync(9000);
    answer = async () => undefined;
    await vi.advanceTimersByTimeAsync(2000);
    expect([taken, queue.behind]).toEqual([['a'], undefined]);
  });

  it('has caught up when what was too slow has come after all', async () => {
    let open = (): void => undefined;
    answer = () => new Promise((resolve) => (open = resolve));
    const late = queue.purge(keysOf('a'), []);
    await vi.advanceTimersByTimeAsync(1500);
    await late;
    await queue.purge(keysOf('b'), []);
    answer = async () => undefined;
    open();
    await vi.advanceTimersByTimeAsync(0);
    expect([taken, states.at(-1), queue.behind]).toEqual([['a', 'b'], undefined, undefined]);
  });

  it('is behind again where it does not take the repetition, and is sent it as any other', async () => {
    await queue.purge(keysOf('a'), []);
    answer = () => Promise.reject(new Error('gone'));
    await vi.advanceTimersByTimeAsync(3100);
    expect(queue.behind).toBe('gone');
    answer = async () => undefined;
    await vi.advanceTimersByTimeAsync(2000);
    expect([taken, queue.behind]).toEqual([['a', 'a'], undefined]);
  });
});

it('sends what waits when the application stops, and nothing after it', async () => {
  answer = () => Promise.reject(new Error('away'));
  await queue.purge(keysOf('a'), []);
  answer = async () => undefined;
  await queue.close();
  expect(taken).toEqual(['a']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(taken).toEqual(['a']);
});
