import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../server/src/cache/entry';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { EVERYTHING, tag } from '../../../server/src/cache/tag';
import { RememberedHits, type Snapshot } from '../../../server/src/lanes/remembered-hits';
import { MemoryProvider } from '../../../server/src/providers/memory';
import type { Provider } from '../../../server/src/cache/provider';
import { anEntry } from '../monitor/route';

const route = { path: '/api/tags', contentType: 'api::tag.tag' } as never;
const PERMISSION = tag('up_permissions');
const CONTENT = tag('tags');

interface Varied {
  readonly maxBytes?: number;
  readonly watch?: (provider: Provider) => Provider;
}

const setUp = ({ maxBytes, watch = (provider) => provider }: Varied = {}) => {
  let now = 1_000_000;
  const clock = { now: () => milliseconds(now) };
  const provider = new MemoryProvider({ clock });
  const lane = new RememberedHits(watch(provider), clock, milliseconds(500), maxBytes);
  const store = (name: string): Entry => {
    const [sequence, createdAt] = [provider.knownSequence(), clock.now()];
    const entry = anEntry({ key: name, tags: [EVERYTHING, CONTENT], sequence, createdAt, maxAge: 3_600_000 });
    provider.store(entry);
    return entry;
  };
  const remember = (
    fingerprint: string,
    entry: Entry,
    expiresAt = Number.POSITIVE_INFINITY,
    snapshotBytes?: number,
  ): void =>
    lane.remember(
      fingerprint,
      { entry, route, expiresAt },
      { guard: () => ({ since: provider.knownSequence(), tags: [PERMISSION] }) },
      {} as Snapshot,
      snapshotBytes,
    );
  return { provider, lane, store, remember, pass: (time: number) => (now += time) };
};

describe('a remembered hit is repeated', () => {
  it('as long as its entry and its permissions stand', () => {
    const { lane, store, remember, provider } = setUp();
    remember('GET /a', store('/a'));
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
    const { lane, store, remember, provider } = setUp();
    remember('GET /a', store('/a'));
    expect(lane.find('GET /a')).toBeDefined();
    provider.invalidate([stamped]);
    expect(lane.find('GET /a')).toBeUndefined();
    expect(lane.find('GET /a')).toBeUndefined();
  });

  it('until it expires, to the millisecond', () => {
    const { lane, store, remember, pass } = setUp();
    remember('GET /a', store('/a'), 1_060_000);
    pass(59_999);
    expect(lane.find('GET /a')).toBeDefined();
    pass(1);
    expect(lane.find('GET /a')).toBeUndefined();
  });

  it('for the entry it was made on, not for a later one under the same key', () => {
    const { lane, store, remember, pass } = setUp();
    remember('GET /a', store('/a'));
    pass(5);
    store('/a');
    expect(lane.find('GET /a')).toBeUndefined();
  });
});

describe('what a hit asks of the store', () => {
  it('one look-up, and its permissions are checked once per invalidation', () => {
    let lookups = 0;
    const { lane, store, remember } = setUp({
      watch: (provider) =>
        new Proxy(provider, {
          get: (target, name) => {
            if (name === 'lookup') lookups += 1;
            const value: unknown = Reflect.get(target, name, target);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        }),
    });
    remember('GET /a', store('/a'));
    for (let hit = 0; hit < 10; hit += 1) expect(lane.find('GET /a')).toBeDefined();
    expect(lookups).toBe(10);
  });
});

describe('memory for remembered hits is bounded', () => {
  it.each([
    ['by bytes', 0, 100, 130],
    ["by bytes, the lane's own among them", 1000, 45, 60],
  ])('%s, and what is repeated stays', (_how, snapshotBytes, least, most) => {
    const { lane, store, remember } = setUp({ maxBytes: 100_000 });
    remember('GET /hot', store('/hot'));
    const cold = store('/cold');
    const fingerprint = (index: number): string => `GET /cold?${'x'.repeat(200)}${index}`;
    for (let index = 0; index < 5000; index += 1) {
      remember(fingerprint(index), cold, undefined, snapshotBytes);
      if (index % 20 === 0) expect(lane.find('GET /hot')).toBeDefined();
    }
    const kept = Array.from({ length: 5000 }, (_, index) => lane.find(fingerprint(index))).filter(Boolean).length;
    expect(kept).toBeGreaterThan(least);
    expect(kept).toBeLessThan(most);
  });
});
