import fc, { type Scheduler } from 'fast-check';
import { expect, it } from 'vitest';
import type { CacheKey } from '../../server/src/cache/key';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { ResponseCache, UNSHARED_FOR, type Computation, type Resolution } from '../../server/src/cache/response-cache';
import { EVERYTHING } from '../../server/src/cache/tag';
import { MemoryProvider } from '../../server/src/providers/memory';
import { cacheOn } from './cache-on';
import { ChaosProvider, Fortune } from './chaos-provider';
import { everybodyHasReacted, Interleaving } from './interleaving';
import { ManualClock } from './manual-clock';
import { Process } from './process';
import { SharedStore } from './shared-store';

const KEY = '/cold?&&' as CacheKey;
const REQUESTS = 100;
const SCHEDULES = 100;

interface Herd {
  /** The outcome of each request, or the error it threw. */
  readonly outcomes: ReadonlyArray<Resolution | Error>;
  /** The requests for which the origin computed. */
  readonly computedFor: readonly number[];
}

const storable = (request: number): Computation => ({
  response: { status: 200, headers: [], body: Buffer.from([request]), etag: undefined },
  labels: { contentType: 'api::cold.cold', route: '/cold', params: {}, identity: '' },
  tags: [EVERYTHING],
  maxAge: milliseconds(1000),
});

const unstorable = (): Computation => ({ unstorable: { code: 'private', detail: 'it is private' } });

const passing = (): Computation => ({ unstorable: { code: 'gone', detail: 'it is gone', isPassing: true } });

const failing = (): Computation => {
  throw new Error('the handler fails');
};

/** A hundred requests for one cold key, which arrive in any order. No write disturbs them. */
const stampede = async (
  scheduler: Scheduler,
  processes: number,
  compute: (request: number) => Computation,
): Promise<Herd> => {
  const interleaving = new Interleaving(scheduler);
  const clock = new ManualClock();
  const memory = new MemoryProvider({ clock, maxBytes: 1_000_000 });
  const store = new SharedStore(memory, clock);
  const connection = { inOrder: true };
  const caches = Array.from({ length: Math.max(1, processes) }, (_, index) => {
    const process = new Process(`process ${index}`);
    return new ResponseCache({
      provider: processes === 0 ? memory : new ChaosProvider(store, process, interleaving, new Fortune([]), connection),
      clock,
      getTimeout: milliseconds(1_000_000),
      onStoreError: (error) => expect.unreachable(String(error)),
    });
  });
  const computedFor: number[] = [];
  const outcomes: Array<Resolution | Error> = [];
  const request = async (number: number): Promise<void> => {
    await interleaving.pause('request arrives');
    const cache = caches[number % caches.length];
    if (cache === undefined) throw new Error('no such process');
    outcomes[number] = await cache
      .resolve(KEY, async () => {
        computedFor.push(number);
        await interleaving.pause('handler reads');
        await interleaving.pause('handler renders');
        return compute(number);
      })
      .catch((error: unknown) => error as Error);
  };
  await interleaving.run(Promise.all(Array.from({ length: REQUESTS }, (_, number) => request(number))));
  memory.close();
  return { outcomes, computedFor };
};

/** How many of a hundred requests are computing before any of them is done. */
const computingAtOnce = async (cache: ResponseCache): Promise<number> => {
  let finish = (): void => undefined;
  const gate = new Promise<void>((resolve) => (finish = resolve));
  let computing = 0;
  const requests = Array.from({ length: REQUESTS }, (_, number) =>
    cache.resolve(KEY, async () => {
      computing += 1;
      await gate;
      return storable(number);
    }),
  );
  await everybodyHasReacted();
  const atOnce = computing;
  finish();
  await Promise.all(requests);
  return atOnce;
};

const inEverySchedule = (check: (scheduler: Scheduler) => Promise<void>): Promise<void> =>
  fc.assert(fc.asyncProperty(fc.scheduler(), check), { numRuns: SCHEDULES, endOnFailure: true });

const PLACES: ReadonlyArray<[title: string, processes: number]> = [
  ['in one process', 0],
  ['in one process with a remote store', 1],
  ['in three processes that share a store', 3],
];

it.each(PLACES)('a hundred requests of one cold key compute once in each process, %s', (_title, processes) =>
  inEverySchedule(async (scheduler) => {
    const { outcomes, computedFor } = await stampede(scheduler, processes, storable);
    expect(computedFor.length).toBeGreaterThan(0);
    expect(new Set(computedFor.map((request) => request % Math.max(1, processes))).size).toBe(computedFor.length);
    for (const outcome of outcomes) {
      if (!('entry' in outcome)) return expect.unreachable('answered without an entry');
      expect(computedFor).toContain(outcome.entry.response.body[0]);
    }
  }),
);

it.each(PLACES)('whoever waited for a response that must not be shared gets its own, %s', (_title, processes) =>
  inEverySchedule(async (scheduler) => {
    const { outcomes, computedFor } = await stampede(scheduler, processes, unstorable);
    expect(new Set(computedFor).size).toBe(REQUESTS);
    expect(computedFor).toHaveLength(REQUESTS);
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ kind: 'uncached', reason: { code: 'private', detail: 'it is private' } });
  }),
);

it.each([
  ['nobody waits for another under a key whose answers are not storable', unstorable(), 100],
  ['what was only of the moment keeps nobody from waiting', passing(), 1],
])('%s', async (_title, first, atOnce) => {
  const clock = new ManualClock();
  const cache = cacheOn(clock);
  await cache.resolve(KEY, () => Promise.resolve(first));
  expect(await computingAtOnce(cache)).toBe(atOnce);
});

it.each([
  ['a storable answer', (cache: ResponseCache) => cache.resolve(KEY, () => Promise.resolve(storable(0))), 0],
  ['time', () => Promise.resolve(), UNSHARED_FOR],
])('%s makes the next requests wait for each other again', async (_title, meanwhile, later) => {
  const clock = new ManualClock();
  const cache = cacheOn(clock);
  await cache.resolve(KEY, () => Promise.resolve(unstorable()));
  await meanwhile(cache);
  clock.pass(milliseconds(later + 1000));
  expect(await computingAtOnce(cache)).toBe(1);
});

it.each(PLACES)('a handler that fails fails for its own request only, %s', (_title, processes) =>
  inEverySchedule(async (scheduler) => {
    let failed = -1;
    const { outcomes, computedFor } = await stampede(scheduler, processes, (request) => {
      if (failed >= 0) return storable(request);
      failed = request;
      return failing();
    });
    expect(computedFor.filter((request) => request === failed)).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome instanceof Error)).toHaveLength(1);
    expect(outcomes[failed]).toBeInstanceOf(Error);
  }),
);
