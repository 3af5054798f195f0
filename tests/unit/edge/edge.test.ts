import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EVERY_ANSWER, type EdgeDebt, type EdgeKey, type EdgePurge } from '../../../server/src/cache/edge-purge';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import type { Announcement, EdgeLedger } from '../../../server/src/cache/provider';
import { sequence } from '../../../server/src/cache/sequence';
import { EVERYTHING, tag, type Tag } from '../../../server/src/cache/tag';
import { Edge, purgingTheEdge } from '../../../server/src/edge/edge';
import { ProcessLedger } from '../../../server/src/edge/process-ledger';

let purges: EdgePurge[];
let heads: number;
let answer: (target: string) => Promise<void>;
const edges: Edge[] = [];

const edgeOf = (ledger: EdgeLedger, targets = ['stand-in']): Edge => {
  const edge = new Edge({
    header: 'xkey',
    maxHeaderBytes: 2048,
    keysPrefix: '',
    timeout: milliseconds(1000),
    targets: targets.map((name) => ({
      name,
      batch: 256,
      purge: async (purge) => {
        await answer(name);
        purges.push(purge);
      },
    })),
    ledger,
    documentsOf: () => [],
    onHeadsChanged: () => (heads += 1),
    onState: () => undefined,
  });
  edges.push(edge);
  return edge;
};

beforeEach(() => {
  vi.useFakeTimers();
  [purges, heads, answer] = [[], 0, async () => undefined];
});
afterEach(async () => {
  await Promise.all(edges.splice(0).map((edge) => edge.close()));
  vi.useRealTimers();
});

const article = tag('articles#1');
const noGuard = { tags: [], since: sequence(0) };
const handOut = (edge: Edge, ...tags: Tag[]) => edge.handOut({ tags, sequence: sequence(0) }, noGuard);
const ofThisProcess = (): ProcessLedger => new ProcessLedger(() => true);
const ofAll = (): ProcessLedger => new ProcessLedger(() => true, 0);

describe('in the only process', () => {
  it('keys that nobody was given are not purged', async () => {
    const edge = edgeOf(ofThisProcess());
    const [, key] = (await handOut(edge, EVERYTHING, article)) ?? [];
    await edge.purge([article, tag('articles#2'), tag('articles!')]);
    expect(purges.map(({ keys }) => keys)).toEqual([[key]]);
    await edge.purge([tag('authors#1')]);
    expect(purges).toHaveLength(1);
  });

  it('an answer that was found before a write does not get to the edge after its purge', async () => {
    let holds = false;
    const edge = edgeOf(new ProcessLedger(() => holds));
    await edge.purge([article]);
    expect(await handOut(edge, EVERYTHING, article)).toBeUndefined();
    holds = true;
    expect(await handOut(edge, EVERYTHING, article)).toHaveLength(2);
    // The answer was found before the write. Its keys were handed out already, and have been purged, so they are purged
    // once more.
    holds = false;
    expect(await handOut(edge, EVERYTHING, article)).toHaveLength(2);
  });

  it('of too many keys every one counts as handed out', async () => {
    const edge = edgeOf(new ProcessLedger(() => true, 3));
    await handOut(edge, EVERYTHING, article);
    await edge.purge([tag('authors#1')]);
    expect(purges).toEqual([]);
    await handOut(edge, tag('articles#2'));
    await edge.purge([tag('authors#1')]);
    expect(purges[0]?.keys).toHaveLength(3);
  });

  it('everything is purged at the start, and then no more', async () => {
    const edge = edgeOf(ofThisProcess());
    const all = await handOut(edge, EVERYTHING);
    await edge.start();
    expect(purges.map(({ keys }) => keys)).toEqual([all]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(purges.map(({ keys }) => keys)).toEqual([all, all]);
  });
});

it('where nobody knows what was handed out, every key is purged', async () => {
  const edge = edgeOf(ofAll());
  expect(await handOut(edge, article)).toHaveLength(1);
  await edge.purge([article]);
  expect(purges[0]?.keys).toHaveLength(3);
});

describe('with a ledger that several processes share', () => {
  let told: string[];
  let owed: EdgeDebt[];
  let ledger: EdgeLedger;

  const debt = (id: string, keys: string): EdgeDebt => ({ id, keys: keys.split(' ') as EdgeKey[], documents: [] });

  beforeEach(() => {
    [told, owed] = [[], []];
    ledger = {
      handOut: async () => true,
      owe: async (id, keys) => {
        told.push(`owe ${id}`);
        return [...owed, { id, keys: keys.slice(0, 1), documents: [] }];
      },
      owed: async (age) => owed.filter(({ id }) => age === 0 || id.startsWith('late')),
      settle: async (id) => void told.push(`settle ${id}`),
    };
  });

  it('what is owed is noted before the commit, and settled when every target has taken it twice', async () => {
    const sink = purgingTheEdge(
      { announce: () => 'w1' as Announcement, invalidate: () => told.push('stamp') },
      edgeOf(ledger, ['one', 'two']),
    );
    await sink.announce([article]);
    expect(told).toEqual(['owe w1']);
    await sink.invalidate([article], 'w1' as Announcement);
    expect([told, purges.length]).toEqual([['owe w1', 'stamp', 'owe w1'], 2]);
    answer = (target) => (target === 'two' ? Promise.reject(new Error('gone')) : Promise.resolve());
    await vi.advanceTimersByTimeAsync(3100);
    expect([told.at(-1), purges.length]).toEqual(['owe w1', 3]);
    answer = async () => undefined;
    await vi.advanceTimersByTimeAsync(1000);
    expect([told.at(-1), purges.length]).toEqual(['settle w1', 4]);
  });

  it('a start sends what earlier ones have left, and leaves it to those that may be about to commit', async () => {
    owed = [debt('young', 'a b')];
    const edge = edgeOf(ledger);
    await edge.start();
    await vi.advanceTimersByTimeAsync(4000);
    expect([purges.map(({ keys }) => keys.join(' ')), told]).toEqual([['a b', 'a b'], []]);
  });

  it('what is overdue is sent by everybody, once, and settled', async () => {
    const edge = edgeOf(ledger);
    await edge.start();
    expect(purges).toEqual([]);
    owed = [debt('late', 'a b')];
    await vi.advanceTimersByTimeAsync(2000);
    expect(purges.map(({ keys }) => keys.join(' '))).toEqual(['a b']);
    answer = () => Promise.reject(new Error('gone'));
    await vi.advanceTimersByTimeAsync(16_000);
    expect([purges.length, told, edge.isBehind]).toEqual([1, [], true]);
    answer = async () => undefined;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(told[0]).toBe('settle late');
  });

  it('everything that is owed goes with the next write', async () => {
    const edge = edgeOf(ledger);
    const all = await handOut(edge, EVERYTHING);
    owed = [{ ...debt('all', 'a'), keys: [EVERY_ANSWER] }];
    await edge.purge([article]);
    expect(purges.map(({ keys }) => keys)).toEqual([all]);
    await vi.advanceTimersByTimeAsync(3100);
    expect(told).toContain('settle all');
  });

  it.each([
    ['fails', () => Promise.reject(new Error('away'))],
    ['is mad', () => undefined as never],
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['hangs', () => new Promise<never>(() => undefined)],
  ])('where it %s, no answer is kept, and every key is purged', async (_what, method) => {
    const edge = edgeOf({ handOut: method, owe: method, owed: method, settle: method });
    const handedOut = Promise.resolve(handOut(edge, article));
    await vi.advanceTimersByTimeAsync(1000);
    expect(await handedOut).toBeUndefined();
    const purged = edge.purge([article]);
    await vi.advanceTimersByTimeAsync(1000);
    await purged;
    expect(purges[0]?.keys).toHaveLength(3);
    const started = edge.start();
    await vi.advanceTimersByTimeAsync(10_000);
    await started;
    expect(purges[1]?.keys).toHaveLength(1);
  });
});

it('a write is acknowledged after its purge, and its failure stays what it is', async () => {
  const edge = edgeOf(ofAll());
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
  const edge = edgeOf(ofAll());
  answer = () => Promise.reject(new Error('it answered 503'));
  await edge.purge([article]);
  expect([edge.isBehind, heads, edge.targets]).toEqual([
    true,
    1,
    [{ name: 'stand-in', behind: 'it answered 503', waiting: 3 }],
  ]);
});
