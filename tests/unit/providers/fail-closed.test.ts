import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { DeadlineExceeded } from '../../../server/src/cache/deadline';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import type { EntrySummary } from '../../../server/src/cache/entry-summary';
import type { Provider } from '../../../server/src/cache/provider';
import { tag } from '../../../server/src/cache/tag';
import type { CacheKey } from '../../../server/src/cache/key';
import { failClosed, InvalidationOwed, provenEvents } from '../../../server/src/providers/fail-closed';
import { sampleEntry } from '../../../provider-suite';
import { MemoryProvider } from '../../../server/src/providers/memory';

const key = '/api/articles?&&' as CacheKey;
const articles = tag('articles!');
const limit = milliseconds(50);

const failing = (message: string) => (): never => {
  throw new Error(message);
};

const setUp = () => {
  const inner = new MemoryProvider({ clock: { now: () => milliseconds(1000) } });
  const errors: unknown[] = [];
  return { inner, errors, provider: failClosed(inner, limit, (error) => errors.push(error)) };
};

describe('a provider that fails closed', () => {
  it('lets a write succeed although the store rejects, and serves nothing until the stamp is delivered', async () => {
    const { inner, errors, provider } = setUp();
    const invalidate = vi.spyOn(inner, 'invalidate').mockImplementation(failing('read-only'));
    await provider.invalidate([articles]);
    expect(errors).toHaveLength(1);
    await expect(provider.lookup(key)).rejects.toThrow(InvalidationOwed);

    invalidate.mockRestore();
    const delivered = vi.spyOn(inner, 'invalidate');
    expect(await provider.lookup(key)).toEqual({ sequence: 1 });
    expect(delivered).toHaveBeenCalledWith([articles]);
    expect(provider.lookup(key)).toEqual({ sequence: 1 });
  });

  it('delivers what is owed once for all who ask meanwhile, and what came to be owed then after it', async () => {
    const { inner, provider } = setUp();
    const invalidate = vi.spyOn(inner, 'invalidate');
    invalidate.mockImplementationOnce(failing('read-only'));
    await provider.invalidate([articles]);
    let deliver: () => void = () => undefined;
    invalidate.mockImplementationOnce((() => new Promise<void>((resolve) => (deliver = resolve))) as never);
    const early = Array.from({ length: 100 }, () => provider.lookup(key));
    await Promise.resolve();
    invalidate.mockImplementationOnce(failing('read-only'));
    await provider.invalidate([tag('authors!')]);
    const late = Array.from({ length: 100 }, () => provider.lookup(key));
    deliver();
    await Promise.all([...early, ...late]);
    expect(invalidate.mock.calls.map(([tags]) => tags)).toEqual([
      [articles],
      [articles],
      [tag('authors!')],
      [tag('authors!')],
    ]);
  });

  it('lets a write succeed although the store throws whatever it is asked', async () => {
    const { inner, errors, provider } = setUp();
    for (const method of ['invalidate', 'knownSequence'] as const)
      vi.spyOn(inner, method).mockImplementation(failing('away'));
    expect(await provider.invalidate([articles])).toBe(0);
    expect(errors).toHaveLength(2);
  });

  it('lets nobody wait longer than the deadline for what is in the store', async () => {
    const { inner, provider } = setUp();
    const never = (): Promise<never> => new Promise(() => undefined);
    const first = sampleEntry(inner.knownSequence(), { now: () => milliseconds(1000) });
    vi.spyOn(inner, 'usage').mockImplementation(never as never);
    vi.spyOn(inner, 'delete').mockImplementation(never as never);
    inner.store(first);
    const [slice] = inner.summaries(ALL);
    vi.spyOn(inner, 'summaries').mockImplementation(async function* () {
      yield slice;
      await never();
    } as never);
    await expect(provider.usage()).rejects.toThrow(DeadlineExceeded);
    await expect(provider.delete(key)).rejects.toThrow(DeadlineExceeded);
    const found: unknown[] = [];
    await expect(
      (async () => {
        for await (const told of provider.summaries?.(ALL) ?? []) found.push(told);
      })(),
    ).rejects.toThrow(DeadlineExceeded);
    expect(found).toEqual([slice]);
    expect(slice).toHaveLength(1);
  }, 3000);

  it('lets nobody wait longer than the deadline for what is counted', async () => {
    const { inner } = setUp();
    const never = (): Promise<never> => new Promise(() => undefined);
    const { counters } = failClosed(
      Object.assign(inner, { counters: { add: never, read: never } }),
      limit,
      () => undefined,
    );
    const counting = Promise.resolve(counters?.add('minute:1', { hit: 1 }, limit));
    expect(await Promise.race([counting.catch((error: unknown) => error), delay(1000)])).toBeInstanceOf(
      DeadlineExceeded,
    );
  });

  it('says that the store is down where it fails to say how it is', () => {
    const { inner, provider } = setUp();
    vi.spyOn(inner, 'health').mockImplementation(failing('not connected'));
    expect(provider.health()).toMatchObject({ state: 'down', reason: 'the provider gives no reason' });
    vi.spyOn(inner, 'health').mockImplementation(() => undefined as never);
    expect(provider.health()).toMatchObject({ state: 'down', reason: 'the provider gives no reason' });
  });

  it('says that the store is down for as long as a stamp is owed', async () => {
    const { inner, provider } = setUp();
    vi.spyOn(inner, 'invalidate').mockImplementationOnce(failing('read-only'));
    expect(provider.health().state).toBe('up');
    await provider.invalidate([articles]);
    expect(provider.health()).toMatchObject({
      state: 'down',
      reason: 'an invalidation could not be delivered to the store yet',
      sentence: { code: 'store-owed' },
    });
    await provider.lookup(key);
    expect(provider.health().state).toBe('up');
  });

  it('says that no guard holds while a stamp is owed, and says nothing for providers that cannot tell', async () => {
    const { inner, provider } = setUp();
    const guard = { tags: [tag('other!')], since: inner.knownSequence() };
    expect(provider.holds?.(guard)).toBe(true);
    vi.spyOn(inner, 'invalidate').mockImplementationOnce(failing('read-only'));
    await provider.invalidate([articles]);
    expect(provider.holds?.(guard)).toBe(false);
    await provider.lookup(key);
    expect(provider.holds?.(guard)).toBe(true);

    Object.assign(inner, { holds: undefined });
    expect(failClosed(inner, limit, () => undefined).holds).toBeUndefined();
  });

  it('makes a write wait no longer than the limit for a store that hangs', async () => {
    const { inner, provider } = setUp();
    vi.spyOn(inner, 'announce').mockImplementation((() => new Promise(() => undefined)) as never);
    vi.spyOn(inner, 'invalidate').mockImplementation((() => new Promise(() => undefined)) as never);
    await provider.announce([articles]);
    await provider.invalidate([articles]);
    await expect(provider.lookup(key)).rejects.toThrow(InvalidationOwed);
  });

  it('delivers at the end what is owed, and ends although the store fails to', async () => {
    vi.useFakeTimers();
    try {
      const { inner, errors, provider } = setUp();
      const invalidate = vi.spyOn(inner, 'invalidate').mockImplementationOnce(failing('away'));
      await provider.invalidate([articles]);
      Object.assign(inner, { retire: failing('broken') });
      const close = vi.spyOn(inner, 'close').mockImplementation(failing('broken'));
      provider.retire?.();
      await provider.close();
      expect(invalidate).toHaveBeenLastCalledWith([articles]);
      expect(invalidate).toHaveBeenCalledTimes(2);
      expect(errors.map(String)).toEqual(['Error: away', 'Error: broken', 'Error: broken']);
      close.mockImplementation(() => new Promise(() => undefined));
      const closing = provider.close();
      await vi.advanceTimersByTimeAsync(10_000);
      await closing;
    } finally {
      vi.useRealTimers();
    }
  });

  it('does not count a stamp as delivered that failed while others were', async () => {
    const { inner, provider } = setUp();
    const invalidate = vi.spyOn(inner, 'invalidate');
    invalidate.mockImplementationOnce(failing('away'));
    await provider.invalidate([articles]);
    let finish: () => void = () => undefined;
    invalidate.mockImplementationOnce((() => new Promise<void>((resolve) => (finish = resolve))) as never);
    const asking = provider.lookup(key) as Promise<unknown>;
    await Promise.resolve();
    invalidate.mockImplementationOnce(failing('away again'));
    await provider.invalidate([articles]);
    finish();
    await asking;
    const calls = invalidate.mock.calls.length;
    await provider.lookup(key);
    expect(invalidate.mock.calls.length).toBe(calls + 1);
  });
});

describe('a provider that fails later where it is to answer at once', () => {
  it.each(['health', 'knownSequence', 'retire', 'leave'] as const)('%s: ends no process', async (method) => {
    const { inner, provider, errors } = setUp();
    Object.assign(inner, { [method]: () => Promise.reject(new Error('broken')) });
    expect(provider.knownSequence()).toBe(0);
    expect(provider.health().state).toBe(method === 'health' ? 'down' : 'up');
    provider.retire?.();
    provider.leave?.();
    await delay(1);
    expect(errors.map(String)).toEqual(['Error: broken']);
  });
});

describe('what a provider of somebody else reports', () => {
  const clock = { now: () => milliseconds(1000) };
  const told: unknown[] = [];
  const events = provenEvents({
    evict: (keys) => told.push(keys),
    swept: ({ key: of }) => told.push(of),
    invalidated: (tags) => told.push(tags),
    state: (health) => told.push(health),
  });
  const entry = sampleEntry(0 as never, clock, { key });

  it.each([
    ['evict', [key], [key]],
    ['evict', key, []],
    ['evict', new Set([key]), []],
    ['evict', [key, 7], [key]],
    ['swept', entry, key],
    ['swept', { key }],
    ['invalidated', [articles], [articles]],
    ['invalidated', articles, undefined],
    ['invalidated', [articles, null], undefined],
    ['state', { state: 'up', since: 7 }, { state: 'up', since: 7 }],
    ['state', undefined, { state: 'down', since: 0, reason: 'the provider gives no reason' }],
    [
      'state',
      { state: 'down', since: 7, reason: 'cannot reach tcp://app:s3cret@cache:11211' },
      { state: 'down', since: 7, reason: 'cannot reach tcp://…' },
    ],
  ] as const)('as %s, %o counts as what it can be', (event, report, ...expected) => {
    told.length = 0;
    events[event]?.(report as never);
    expect(told).toEqual(expected);
  });
});

describe('what a provider of somebody else returns', () => {
  const RUBBISH: readonly unknown[] = [
    undefined,
    null,
    0,
    -1,
    NaN,
    Infinity,
    1.5,
    '',
    'abc',
    [],
    {},
    () => 1,
    new Error('x'),
  ];
  const clock = { now: () => milliseconds(1000) };
  const answering = (method: string, answer: unknown, wrap: (value: unknown) => unknown = (value) => value) => {
    const made = setUp();
    Object.assign(made.inner, { [method]: () => wrap(answer) });
    return made;
  };
  const damages: ReadonlyArray<readonly [path: string, value: unknown]> = [
    ...RUBBISH.flatMap((value) =>
      ['key', 'response', 'labels', 'tags', 'response.body', 'response.headers', 'labels.params'].map(
        (path) => [path, value] as const,
      ),
    ).filter(
      ([path, value]) =>
        !(Array.isArray(value) && /tags|headers/.test(path)) && !(path === 'labels.params' && isEmptyObject(value)),
    ),
    ...[NaN, -1, 1.5, 'x', null, undefined].map((value) => ['sequence', value] as const),
    ...[NaN, 'x', null, undefined].flatMap((value) => [['createdAt', value] as const, ['maxAge', value] as const]),
    ...[99, 600, 200.5, '200', null, undefined].map((value) => ['response.status', value] as const),
    ...['a b', 'x:', '', 'ü'].map((name) => ['response.headers', [[name, 'v']]] as const),
    ...['a\nb', 'a\0', '€', 7].map((value) => ['response.headers', [['x-a', value]]] as const),
    ...['"a', 'a', '"\n"', 7].map((value) => ['response.etag', value] as const),
    ['tags', [7]],
    ['response.headers', ['x-a']],
  ];

  it.each(damages)('is missed and deleted where an entry has a strange %s: %o', async (path, value) => {
    const { inner, provider, errors } = setUp();
    const entry = sampleEntry(inner.knownSequence(), clock, { key });
    const damaged = structuredClone(entry) as unknown as Record<string, unknown>;
    (damaged.response as { body: Buffer }).body = entry.response.body;
    const names = path.split('.');
    const last = names.pop() ?? '';
    names.reduce((at, name) => at[name] as Record<string, unknown>, damaged)[last] = value;
    const forgotten = vi.spyOn(inner, 'delete');
    Object.assign(inner, { lookup: () => ({ entry: damaged }) });
    expect(await provider.lookup(key)).toEqual({ sequence: 0 });
    expect(forgotten).toHaveBeenCalledWith(key);
    expect(errors).toHaveLength(1);
    const { provider: enumerating, inner: enumerated } = answering('entries', [damaged, entry]);
    Object.assign(enumerated, { summaries: undefined });
    const listed = (await summarised(enumerating)).map((summary) => summary.key);
    expect(listed).toEqual(path === 'key' && typeof value === 'string' ? [value, key] : [key]);
  });

  it.each(RUBBISH.flatMap((value) => [[value, false] as const, [value, true] as const]))(
    'never passes for an answer: %o (later: %s)',
    async (value, later) => {
      const wrap = later ? (answer: unknown) => Promise.resolve(answer) : undefined;
      const of = (method: string) => answering(method, value, wrap).provider;
      await expect((async () => of('lookup').lookup(key))()).rejects.toThrow();
      expect(of('knownSequence').knownSequence()).toBe(0);
      expect(await of('store').store(sampleEntry(0 as never, clock))).toBe(false);
      expect(await of('holds').holds?.({ tags: [], since: 0 as never })).toBe(false);
      expect(await of('announce').announce([articles])).toBe(typeof value === 'string' ? value : undefined);
      expect(await of('invalidate').invalidate([articles])).toBe(0);
      expect(await of('delete').delete(key)).toBe(false);
    },
  );

  it.each([
    ['key', 7],
    ['labels', { contentType: 'x' }],
    ['sequence', -1],
    ['createdAt', 'x'],
    ['maxAge', undefined],
    ['size', NaN],
    ['hasEtag', 1],
    ['carries', [true]],
  ])('is not believed where a summary has a strange %s', async (part, value) => {
    const { inner, provider } = setUp();
    inner.store(sampleEntry(inner.knownSequence(), clock, { key }));
    const slice = [...inner.summaries(ALL)].flat();
    vi.spyOn(inner, 'summaries').mockImplementation(() => [
      slice.map((told) => ({ ...told, [part]: value }) as never),
      slice,
    ]);
    expect(await summarised(provider)).toEqual(slice);
  });

  it.each([[1e18], [-1e18], [NaN], ['x'], [undefined]])('is no time since which it is away: %s', (since) => {
    expect(answering('health', { state: 'down', since }).provider.health()).toMatchObject({ state: 'down', since: 0 });
    expect(answering('health', { state: 'up', since }).provider.health()).toEqual({ state: 'up', since: 0 });
  });

  it('is used as it is where it is what it has to be, at once', async () => {
    const { inner, provider } = setUp();
    const entry = sampleEntry(inner.knownSequence(), clock, { key });
    expect(await provider.store(entry)).toBe(true);
    expect(provider.lookup(key)).toMatchObject({ entry });
  });
});

const ALL = { lists: [], all: true };

const summarised = async (provider: Provider): Promise<EntrySummary[]> => {
  const found: EntrySummary[] = [];
  for await (const slice of provider.summaries?.(ALL) ?? []) found.push(...slice);
  return found;
};

const isEmptyObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;
