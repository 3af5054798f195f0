import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../server/src/cache/clock';
import type { Entry } from '../../../server/src/cache/entry';
import { Flights, LONGEST_FLIGHT } from '../../../server/src/cache/flights';
import { cacheKey } from '../../../server/src/cache/key';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { ResponseCache, type Computation } from '../../../server/src/cache/response-cache';
import type { Provider } from '../../../server/src/cache/provider';
import { sequence } from '../../../server/src/cache/sequence';

const key = cacheKey({ path: '/a', query: {}, headers: [], identity: '' });
const other = cacheKey({ path: '/b', query: {}, headers: [], identity: '' });
const entry = { key } as Entry;

it('a flight may be joined while nothing was stamped since it began', async () => {
  const flights = new Flights();
  const land = flights.open(key, sequence(3));
  const joined = flights.joinable(key, sequence(3));
  land(entry);
  expect(await joined?.landed()).toBe(entry);
});

it('a flight begun before an invalidation may not be joined, nor one for another key', () => {
  const flights = new Flights();
  flights.open(key, sequence(3));
  expect(flights.joinable(key, sequence(4))).toBeUndefined();
  expect(flights.joinable(other, sequence(3))).toBeUndefined();
});

it('a newer flight takes the place of an older one, whose landing does not end it', async () => {
  const flights = new Flights();
  const landOld = flights.open(key, sequence(3));
  const landNew = flights.open(key, sequence(4));
  landOld(undefined);
  const joined = flights.joinable(key, sequence(4));
  expect(joined).toBeDefined();
  landNew(entry);
  expect(await joined?.landed()).toBe(entry);
  expect(flights.size).toBe(0);
});

describe('a computation that never ends', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('lets go of those who wait for it, and is joined no more', async () => {
    const flights = new Flights();
    const land = flights.open(key, sequence(3));
    const early = flights.joinable(key, sequence(3))?.landed();
    vi.advanceTimersByTime(LONGEST_FLIGHT - 1);
    const late = flights.joinable(key, sequence(3))?.landed();
    vi.advanceTimersByTime(1);
    expect([await early, await late]).toEqual([undefined, undefined]);
    expect(flights.joinable(key, sequence(3))).toBeUndefined();
    expect(flights.size).toBe(0);
    land(entry);
    expect(flights.size).toBe(0);
  });

  it('is not joined after its time either where nobody has waited for it', () => {
    const flights = new Flights();
    flights.open(key, sequence(3));
    vi.advanceTimersByTime(LONGEST_FLIGHT);
    expect(flights.joinable(key, sequence(3))).toBeUndefined();
    expect(flights.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not end one that has taken its place, and leaves no timer behind when it lands', async () => {
    const flights = new Flights();
    const first = flights.open(key, sequence(3));
    void flights.joinable(key, sequence(3))?.landed();
    vi.advanceTimersByTime(LONGEST_FLIGHT);
    const second = flights.open(key, sequence(3));
    first(entry);
    const joined = flights.joinable(key, sequence(3));
    expect(joined).toBeDefined();
    const landed = joined?.landed();
    expect(vi.getTimerCount()).toBe(1);
    second(entry);
    expect(await landed).toBe(entry);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('has those who joined ask the origin themselves, and later ones lead anew; what it makes after all is stored', async () => {
    const stored: unknown[] = [];
    const provider = {
      lookup: () => ({ sequence: sequence(3) }),
      store: (made: Entry) => stored.push(made.response.body.toString()) > 0,
    };
    const cache = new ResponseCache({
      provider: provider as unknown as Provider,
      clock: systemClock,
      getTimeout: milliseconds(500),
      onStoreError: (error) => {
        throw error;
      },
    });
    const computed = (body: string): Computation => ({
      response: { status: 200, headers: [], body: Buffer.from(body), etag: undefined },
      labels: { contentType: 'api::a.a', route: '/a', params: {}, identity: '' },
      tags: [],
      maxAge: milliseconds(60_000),
    });
    let end: (computation: Computation) => void = () => undefined;
    const first = cache.resolve(key, () => new Promise((resolve) => (end = resolve)));
    const own = vi.fn(() => Promise.resolve(computed('own')));
    const joined = [cache.resolve(key, own), cache.resolve(key, own)];
    vi.advanceTimersByTime(LONGEST_FLIGHT);
    expect(await Promise.all(joined)).toMatchObject([{ kind: 'miss' }, { kind: 'miss' }]);
    expect(own).toHaveBeenCalledTimes(2);
    const later = await cache.resolve(key, () => Promise.resolve(computed('later')));
    expect(later).toMatchObject({ kind: 'miss', outdated: false });
    end(computed('at last'));
    expect(await first).toMatchObject({ kind: 'miss', outdated: false });
    expect(stored).toEqual(['own', 'own', 'later', 'at last']);
  });
});
