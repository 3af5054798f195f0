import { expect, it, vi } from 'vitest';
import { cacheKey } from '../../../server/src/cache/key';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { ResponseCache, type Computation } from '../../../server/src/cache/response-cache';
import { sequence } from '../../../server/src/cache/sequence';
import type { Lookup, Provider } from '../../../server/src/cache/provider';

const key = cacheKey({ path: '/a', query: {}, headers: [], identity: '' });

const computed: Computation = {
  response: { status: 200, headers: [], body: Buffer.from('a'), etag: undefined },
  labels: { contentType: 'api::a.a', route: '/a', params: {}, identity: '' },
  tags: [],
  maxAge: milliseconds(60_000),
};

/** Answers look-ups, and waits for the other process, as the test says. */
const sharedStore = (
  lookups: ReadonlyArray<Lookup | Promise<Lookup>>,
  other?: Promise<Lookup>,
  onStoreError = (error: unknown): void => {
    throw error;
  },
) => {
  const answers = [...lookups];
  const provider = {
    lookup: () => Promise.resolve(answers.shift()),
    awaitEntry: () => other,
    store: () => Promise.resolve(true),
    release: vi.fn(),
  };
  const cache = new ResponseCache({
    provider: provider as unknown as Provider,
    clock: { now: () => milliseconds(0) },
    getTimeout: milliseconds(500),
    onStoreError,
  });
  return { cache, release: provider.release };
};

const gate = <T>() => {
  let open: (value: T) => void = () => undefined;
  return { opened: new Promise<T>((resolve) => (open = resolve)), open };
};

it('a request that is given the lease of a computation that has outlasted it joins that computation', async () => {
  const leased = { sequence: sequence(3), leased: true };
  const { cache } = sharedStore([leased, leased]);
  const origin = gate<Computation>();
  const compute = vi.fn(() => origin.opened);
  const first = cache.resolve(key, compute);
  await vi.waitFor(() => expect(compute).toHaveBeenCalledTimes(1));
  const second = cache.resolve(key, compute);
  origin.open(computed);
  expect(await first).toMatchObject({ kind: 'miss', stored: true });
  expect(await second).toMatchObject({ kind: 'hit', collapsed: true });
  expect(compute).toHaveBeenCalledTimes(1);
});

it('a request that is given the lease does not wait for one of its own process that waits for it', async () => {
  const other = gate<Lookup>();
  const { cache } = sharedStore(
    [
      { sequence: sequence(3), leased: false },
      { sequence: sequence(3), leased: true },
    ],
    other.opened,
  );
  const waiting = cache.resolve(key, () => Promise.resolve(computed));
  const leading = await cache.resolve(key, () => Promise.resolve(computed));
  expect(leading).toMatchObject({ kind: 'miss', stored: true });
  if (leading.kind === 'miss') other.open({ entry: leading.entry });
  expect(await waiting).toMatchObject({ kind: 'hit', collapsed: true });
});

it('a lease whose computation made nothing to share is given back, and only then', async () => {
  const leased = { sequence: sequence(3), leased: true };
  const { cache, release } = sharedStore(
    [leased, leased, { sequence: sequence(3), leased: false }],
    Promise.resolve(leased),
  );
  await cache.resolve(key, () => Promise.resolve(computed));
  expect(release).not.toHaveBeenCalled();
  await cache.resolve(key, () => Promise.resolve({ unstorable: { code: 'cookie', detail: 'Set-Cookie' } }));
  expect(release).toHaveBeenCalledTimes(1);
  await cache.resolve(key, () => Promise.resolve({ unstorable: { code: 'cookie', detail: 'Set-Cookie' } }));
  expect(release).toHaveBeenCalledTimes(2);
});

it('what is kept under another key is given to nobody who waits for this one, and frees the lease', async () => {
  const leased = { sequence: sequence(3), leased: true };
  const { cache, release } = sharedStore([leased, { sequence: sequence(3), leased: false }]);
  const origin = gate<Computation>();
  const variant = cacheKey({ path: '/a', query: {}, headers: [['x-a', '1']], identity: '' });
  const first = cache.resolve(key, () => origin.opened);
  const second = cache.resolve(key, () => Promise.resolve({ ...computed, key: variant }));
  origin.open({ ...computed, key: variant });
  expect(await first).toMatchObject({ kind: 'miss', stored: true, entry: { key: variant } });
  expect(await second).toMatchObject({ kind: 'miss', stored: true, entry: { key: variant } });
  expect(release).toHaveBeenCalledTimes(1);
});

it('a lease given to a request that joined a computation is given back if that made nothing to share', async () => {
  const { cache, release } = sharedStore([{ sequence: sequence(3) }, { sequence: sequence(3), leased: true }]);
  const origin = gate<Computation>();
  const compute = vi.fn(() => origin.opened);
  const first = cache.resolve(key, compute);
  await vi.waitFor(() => expect(compute).toHaveBeenCalledTimes(1));
  const second = cache.resolve(key, compute);
  await new Promise(setImmediate);
  origin.open({ unstorable: { code: 'cookie', detail: 'Set-Cookie' } });
  expect([(await first).kind, (await second).kind]).toEqual(['uncached', 'uncached']);
  expect(release).toHaveBeenCalledTimes(1);
});

it('a lease that is given after the deadline is given back', async () => {
  const late = gate<Lookup>();
  const errors: unknown[] = [];
  const { cache, release } = sharedStore([late.opened], undefined, (error) => errors.push(error));
  expect(await cache.resolve(key, () => Promise.resolve(computed))).toMatchObject({ kind: 'uncached' });
  expect([errors.length, release.mock.calls.length]).toEqual([1, 0]);
  late.open({ sequence: sequence(3), leased: true });
  await vi.waitFor(() => expect(release).toHaveBeenCalledTimes(1));
});
