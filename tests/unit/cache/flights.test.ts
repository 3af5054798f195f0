import { expect, it } from 'vitest';
import type { Entry } from '../../../server/src/cache/entry';
import { Flights } from '../../../server/src/cache/flights';
import { cacheKey } from '../../../server/src/cache/key';
import { sequence } from '../../../server/src/cache/sequence';

const key = cacheKey({ path: '/a', query: {}, headers: [], identity: '' });
const other = cacheKey({ path: '/b', query: {}, headers: [], identity: '' });
const entry = { key } as Entry;

it('a flight may be joined while nothing was stamped since it began', async () => {
  const flights = new Flights();
  const { land } = flights.open(key, sequence(3));
  const joined = flights.joinable(key, sequence(3));
  land(entry);
  expect(await joined?.landed()).toBe(entry);
});

it('a flight begun before an invalidation may not, nor one for another key', () => {
  const flights = new Flights();
  flights.open(key, sequence(3));
  expect(flights.joinable(key, sequence(4))).toBeUndefined();
  expect(flights.joinable(other, sequence(3))).toBeUndefined();
});

it('a landed flight may not be joined any more', () => {
  const flights = new Flights();
  flights.open(key, sequence(3)).land(entry);
  expect(flights.joinable(key, sequence(3))).toBeUndefined();
  expect(flights.size).toBe(0);
});

it('who waits for a flight without an entry is told so', async () => {
  const flights = new Flights();
  const { land } = flights.open(key, sequence(3));
  const joined = flights.joinable(key, sequence(3));
  land(undefined);
  expect(await joined?.landed()).toBeUndefined();
});

it('a newer flight takes the place of an older one, whose landing does not end it', async () => {
  const flights = new Flights();
  const { land: landOld } = flights.open(key, sequence(3));
  const { land: landNew } = flights.open(key, sequence(4));
  landOld(undefined);
  const joined = flights.joinable(key, sequence(4));
  expect(joined).toBeDefined();
  landNew(entry);
  expect(await joined?.landed()).toBe(entry);
  expect(flights.size).toBe(0);
});
