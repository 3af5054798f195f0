import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EVERY_ANSWER, type EdgeDebt, type EdgeKey, type EdgePurge } from '../../../server/src/cache/edge-purge';
import { milliseconds, type Milliseconds } from '../../../server/src/cache/milliseconds';
import type { Announcement, EdgeLedger } from '../../../server/src/cache/provider';
import { sequence } from '../../../server/src/cache/sequence';
import { EVERYTHING, tag, type Tag } from '../../../server/src/cache/tag';
import { Edge, purgingTheEdge } from '../../../server/src/edge/edge';
import { ProcessLedger } from '../../../server/src/edge/process-ledger';

let purges: EdgePurge[];
let heads: number;
let whileUnreachable: Milliseconds;
let answer: (target: string) => Promise<void>;
const edges: Edge[] = [];

const edgeOf = (ledger: EdgeLedger, targets = ['stand-in']): Edge => {
  const edge = new Edge({
    header: 'xkey',
    maxHeaderBytes: 2048,
    keysPrefix: '',
    timeout: milliseconds(1000),
    whileUnreachable,
    targets: targets.map((name) => ({
      name,
      batch: 256,
      purge: async (purge) => {
        await answer(name);
        purges.push(purge);
      },
    })),
    ledger,
    documentsOf: (tags) =>
      tags.filter((name) => name.includes('#')).map((name) => ({ contentType: 'of', documentId: name })),
    onHeadsChanged: () => (heads += 1),
    onState: () => undefined,
  });
  edges.push(edge);
  return edge;
};

beforeEach(() => {
  vi.useFakeTimers();
  [purges, heads, answer] = [[], 0, async () => undefined];
  whileUnreachable = milliseconds(60_000);
});
afterEach(async () => {
  await Promise.all(edges.splice(0).map((edge) => edge.close()));
  vi.useRealTimers();
});

/** The edge after its start, which has purged everything. */
const startedEdge = async (ledger: EdgeLedger, targets?: string[]): Promise<Edge> => {
  const edge = edgeOf(ledger, targets);
  await edge.start();
  await vi.advanceTimersByTimeAsync(4000);
  purges = [];
  return edge;
};

const article = tag('articles#1');
const noGuard = { tags: [], since: sequence(0) };
const issueKeys = (edge: Edge, ...tags: Tag[]) => edge.issueKeys({ tags, sequence: sequence(0) }, noGuard);
const ofThisProcess = (): ProcessLedger => new ProcessLedger(() => true);
const ofAll = (): ProcessLedger => new ProcessLedger(() => true, 0);

describe('in the only process', () => {
  it('keys that nobody was given are not purged', async () => {
    const edge = await startedEdge(ofThisProcess());
    const [, key] = (await issueKeys(edge, EVERYTHING, article)) ?? [];
    await edge.purge([article, tag('articles#2'), tag('articles!')]);
    expect(purges.map(({ keys }) => keys)).toEqual([[key]]);
    await edge.purge([tag('authors#1')]);
    expect(purges).toHaveLength(1);
  });

  it('an answer that was found before a write does not get to the edge after its purge', async () => {
    let holds = false;
    const edge = await startedEdge(new ProcessLedger(() => holds));
    await edge.purge([article]);
    expect(await issueKeys(edge, EVERYTHING, article)).toBeUndefined();
    holds = true;
    expect(await issueKeys(edge, EVERYTHING, article)).toHaveLength(2);
    // The answer was found before the write. Its keys were issued already, and have been purged, so they are purged
    // once more.
    holds = false;
    expect(await issueKeys(edge, EVERYTHING, article)).toHaveLength(2);
  });

  it('of too many keys every one counts as issued', async () => {
    const edge = await startedEdge(new ProcessLedger(() => true, 3));
    await issueKeys(edge, EVERYTHING, article);
    await edge.purge([tag('authors#1')]);
    expect(purges).toEqual([]);
    await issueKeys(edge, tag('articles#2'));
    await edge.purge([tag('authors#1')]);
    expect(purges[0]?.keys).toHaveLength(3);
  });

  it('everything is purged at the start, and then no more', async () => {
    const edge = edgeOf(ofThisProcess());
    const all = await issueKeys(edge, EVERYTHING);
    await edge.start();
    expect(purges.map(({ keys }) => keys)).toEqual([all]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(purges.map(({ keys }) => keys)).toEqual([all, all]);
  });
});

it('where nobody knows what was issued, every key is purged', async () => {
  const edge = await startedEdge(ofAll());
  expect(await issueKeys(edge, article)).toHaveLength(1);
  await edge.purge([article]);
  expect(purges[0]?.keys).toHaveLength(3);
});

describe('with a ledger that several processes share', () => {
  let told: string[];
  let owed: EdgeDebt[];
  let ledger: { -readonly [Method in keyof EdgeLedger]: EdgeLedger[Method] };

  const debt = (id: string, keys: string): EdgeDebt => ({ id, keys: keys.split(' ') as EdgeKey[], documents: [] });

  beforeEach(() => {
    [told, owed] = [[], []];
    ledger = {
      issueKeys: async () => true,
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
      await startedEdge(ledger, ['one', 'two']),
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

  it('everything that is owed goes with the next write, and with no other until it is settled', async () => {
    const edge = await startedEdge(ledger);
    const all = await issueKeys(edge, EVERYTHING);
    owed = [{ ...debt('all', 'a'), keys: [EVERY_ANSWER] }];
    let open = (): void => undefined;
    answer = () => new Promise((resolve) => (open = resolve));
    let acknowledged = 0;
    const writes = [1, 2, 3].map(() => edge.purge([article]).then(() => (acknowledged += 1)));
    await vi.advanceTimersByTimeAsync(100);
    // Everything goes first, and the writes that came meanwhile wait for that as well.
    expect(acknowledged).toBe(0);
    answer = async () => undefined;
    open();
    await Promise.all(writes);
    await edge.purge([article]);
    const toldEverything = () => purges.filter(({ keys }) => keys.includes(all?.[0] as EdgeKey));
    expect(toldEverything()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(3100);
    expect([toldEverything().length, told.filter((call) => call === 'settle all')]).toEqual([2, ['settle all']]);
  });

  it('everything is told once at the start, whatever is written during the boot', async () => {
    const edge = edgeOf(ledger);
    const all = await issueKeys(edge, EVERYTHING);
    owed = [{ ...debt('all', 'a'), keys: [EVERY_ANSWER] }];
    const sink = purgingTheEdge({ announce: () => 'w1' as Announcement, invalidate: () => undefined }, edge);
    await sink.announce([article]);
    await sink.invalidate([article], 'w1' as Announcement);
    await edge.purge([tag('tags#1')]);
    expect(purges).toEqual([]);
    await edge.start();
    await edge.purge([]);
    const toldEverything = () => purges.filter(({ keys }) => keys.includes(all?.[0] as EdgeKey));
    expect(toldEverything()).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(4000);
    expect(toldEverything()).toHaveLength(2);
    expect(told.filter((call) => call.startsWith('settle')).slice(0, 2)).toEqual(['settle all', 'settle w1']);
  });

  it('what is written during the boot is purged by the start where not everything is', async () => {
    const edge = edgeOf(ledger);
    await edge.purge([article]);
    expect(purges).toEqual([]);
    await edge.start();
    expect(purges.map(({ keys }) => keys.length)).toEqual([1]);
  });

  it('no document is named of a table of which the edge was given nothing', async () => {
    const edge = await startedEdge(ledger);
    const [key] = (await issueKeys(edge, tag('articles#2'))) ?? [];
    ledger.owe = async (id, keys, documents) => {
      told.push(`${id}: ${documents.map(({ documentId }) => documentId).join(' ')}`);
      return [{ id, keys: keys.filter((each) => each === key), documents }];
    };
    const sink = purgingTheEdge({ announce: () => 'w2' as Announcement, invalidate: () => undefined }, edge);
    const written = [article, tag('articles#2'), tag('users#1')];
    await sink.announce(written);
    await sink.invalidate(written, 'w2' as Announcement);
    await edge.purge(written);
    const named = purges.map(({ documents }) => documents.map(({ documentId }) => documentId));
    const shown = ['articles#1', 'articles#2'];
    expect(named).toEqual([shown, shown]);
    // What another process is to make up for names no others either.
    expect(told.slice(0, 2)).toEqual(['w2: ', `w2: ${shown.join(' ')}`]);
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
    ['answers what is no debt', () => [undefined] as never],
    ['answers a debt without keys', async () => [{ id: 'late', documents: [] }] as never],
  ])('where it %s, no answer is kept, and every key is purged', async (_what, method) => {
    const edge = edgeOf({ issueKeys: method, owe: method, owed: method, settle: method });
    const issued = Promise.resolve(issueKeys(edge, article));
    await vi.advanceTimersByTimeAsync(1000);
    expect(await issued).toBeUndefined();
    const started = edge.start();
    await vi.advanceTimersByTimeAsync(10_000);
    await started;
    expect(purges[0]?.keys).toHaveLength(1);
    purges = [];
    const purged = edge.purge([article]);
    await vi.advanceTimersByTimeAsync(1000);
    await purged;
    expect(purges[0]?.keys).toHaveLength(3);
    const sink = purgingTheEdge({ announce: () => 'w1' as Announcement, invalidate: () => undefined }, edge);
    const announced = Promise.resolve(sink.announce([article]));
    await vi.advanceTimersByTimeAsync(1000);
    expect(await announced).toBe('w1');
  });

  it('a debt is paid whose documents are none', async () => {
    const edge = await startedEdge(ledger);
    owed = [{ ...debt('late', 'a b'), documents: [null] as never }];
    await vi.advanceTimersByTimeAsync(2000);
    expect(purges.map(({ keys, documents }) => [keys.join(' '), documents])).toEqual([['a b', []]]);
    expect(edge.isBehind).toBe(false);
  });

  it.each([
    ['notes a key', true, 1],
    ['does not', false, undefined],
  ])('where it %s by a promise of another library, the answer waits for that', async (_what, isNoted, count) => {
    const then: Promise<boolean>['then'] = (...both) => Promise.resolve(isNoted).then(...both);
    ledger.issueKeys = () => ({ then }) as Promise<boolean>;
    expect((await issueKeys(edgeOf(ledger), article))?.length).toBe(count);
  });
});

it('a write is acknowledged after its purge, and its failure stays what it is', async () => {
  const edge = await startedEdge(ofAll());
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
  const edge = await startedEdge(ofAll());
  answer = () => Promise.reject(new Error('it answered 503'));
  await edge.purge([article]);
  expect([edge.isBehind, heads, edge.targets]).toEqual([
    true,
    1,
    [{ name: 'stand-in', behind: 'it answered 503', waiting: 3 }],
  ]);
});

it.each([
  [60_000, 3_600_000, 60_000],
  [60_000, 5000, 5000],
  [0, 3_600_000, undefined],
])(
  'while a target is behind, of at most %d ms responses that may be kept for %d ms get %s',
  async (most, told, expected) => {
    whileUnreachable = milliseconds(most);
    const edge = await startedEdge(ofAll());
    expect(edge.lifetimeOf(milliseconds(told))).toBe(told);
    answer = () => Promise.reject(new Error('it answered 503'));
    await edge.purge([article]);
    expect(edge.lifetimeOf(milliseconds(told))).toBe(expected);
    answer = async () => undefined;
    await vi.advanceTimersByTimeAsync(5000);
    expect(edge.lifetimeOf(milliseconds(told))).toBe(told);
  },
);
