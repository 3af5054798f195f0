import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../server/src/cache/entry';
import type { CacheKey } from '../../../server/src/cache/key';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { EVERYTHING, tag } from '../../../server/src/cache/tag';
import { OuterLane, type Verdict } from '../../../server/src/lanes/outer-lane';
import { MemoryProvider } from '../../../server/src/providers/memory';
import type { Provider } from '../../../server/src/cache/provider';

const route = { path: '/api/tags', contentType: 'api::tag.tag' } as never;
const PERMISSION = tag('up_permissions');
const CONTENT = tag('tags');

const setUp = (maxBytes?: number) => {
  let now = 1_000_000;
  const clock = { now: () => milliseconds(now) };
  const provider = new MemoryProvider({ clock });
  const lane = new OuterLane<undefined>(provider, clock, milliseconds(500), maxBytes);
  const store = (name: string): Entry => {
    const entry: Entry = {
      key: name as CacheKey,
      response: { status: 200, headers: [], body: Buffer.from(name), etag: undefined },
      labels: { contentType: 'api::tag.tag', route: '/api/tags', params: {}, identity: '' },
      tags: [EVERYTHING, CONTENT],
      sequence: provider.knownSequence(),
      createdAt: clock.now(),
      maxAge: milliseconds(3_600_000),
      cost: milliseconds(1),
    };
    provider.store(entry);
    return entry;
  };
  const verdictOn = (entry: Entry, expiresAt = Number.POSITIVE_INFINITY): Verdict<undefined> => ({
    key: entry.key,
    route,
    guard: { tags: [PERMISSION], since: provider.knownSequence() },
    expiresAt,
    entryCreatedAt: entry.createdAt,
    entrySequence: entry.sequence,
    extra: undefined,
  });
  return { provider, lane, store, verdictOn, pass: (time: number) => (now += time) };
};

describe('a verdict is repeated', () => {
  it('as long as its entry and its permissions stand', () => {
    const { lane, store, verdictOn, provider } = setUp();
    lane.remember('GET /a', verdictOn(store('/a')));
    expect(lane.find('GET /a')).toMatchObject({ entry: { key: '/a' } });
    provider.invalidate([tag('something else')]);
    expect(lane.find('GET /a')).toMatchObject({ entry: { key: '/a' } });
    expect(lane.find('GET /b')).toBeUndefined();
  });

  it.each([
    ['a permission it was read from is written', PERMISSION],
    ['the content is written', CONTENT],
    ['everything is purged', EVERYTHING],
  ])('until %s', (_what, stamped) => {
    const { lane, store, verdictOn, provider } = setUp();
    lane.remember('GET /a', verdictOn(store('/a')));
    expect(lane.find('GET /a')).toBeDefined();
    provider.invalidate([stamped]);
    expect(lane.find('GET /a')).toBeUndefined();
    expect(lane.find('GET /a')).toBeUndefined();
  });

  it('until it expires, to the millisecond', () => {
    const { lane, store, verdictOn, pass } = setUp();
    lane.remember('GET /a', verdictOn(store('/a'), 1_060_000));
    pass(59_999);
    expect(lane.find('GET /a')).toBeDefined();
    pass(1);
    expect(lane.find('GET /a')).toBeUndefined();
  });

  it('for the entry it was made on, not for a later one under the same key', () => {
    const { lane, store, verdictOn, pass } = setUp();
    lane.remember('GET /a', verdictOn(store('/a')));
    pass(5);
    store('/a');
    expect(lane.find('GET /a')).toBeUndefined();
  });
});

describe('what a hit asks of the store', () => {
  it('one look-up, and its permissions are checked once per invalidation', () => {
    const { lane, store, verdictOn, provider } = setUp();
    let lookups = 0;
    const counting = new Proxy(provider, {
      get: (target, name) => {
        if (name === 'lookup') lookups += 1;
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }) as Provider;
    const counted = new OuterLane<undefined>(counting, { now: () => milliseconds(1_000_000) }, milliseconds(500));
    counted.remember('GET /a', verdictOn(store('/a')));
    for (let hit = 0; hit < 10; hit += 1) expect(counted.find('GET /a')).toBeDefined();
    expect(lookups).toBe(10);
    expect(lane.size).toBe(0);
  });
});

describe('memory for verdicts is bounded', () => {
  it('by bytes, and what is repeated stays', () => {
    const { lane, store, verdictOn } = setUp(100_000);
    const hot = store('/hot');
    lane.remember('GET /hot', verdictOn(hot));
    for (let index = 0; index < 5000; index += 1) {
      lane.remember(`GET /cold?${'x'.repeat(200)}${index}`, verdictOn(store('/cold')));
      if (index % 20 === 0) expect(lane.find('GET /hot')).toBeDefined();
    }
    expect(lane.bytes).toBeLessThanOrEqual(100_000);
    expect(lane.size).toBeLessThan(130);
  });
});
