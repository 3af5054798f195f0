import { milliseconds, type Milliseconds } from '../../server/src/cache/milliseconds';
import type { CacheKey } from '../../server/src/cache/key';
import type { Health } from '../../server/src/cache/provider';
import type { Sequence } from '../../server/src/cache/sequence';
import { RedisProvider } from '../../server/src/providers/redis/redis-provider';
import { type Timing, timingFor } from '../../server/src/providers/redis/timing';
import { instanceOf, type Instance, type VersionedDatabase } from './versioned-database';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';

/** The deadline of every operation in these tests. */
export const GET_TIMEOUT = milliseconds(200);

export interface RedisInstance extends Instance {
  readonly provider: RedisProvider;
  /** Every change of state that was reported. */
  readonly states: Health[];
}

export interface OpenSettings {
  readonly keysPrefix?: string;
  readonly fingerprint?: string;
  readonly database?: string;
  readonly getTimeout?: Milliseconds;
  readonly timing?: Partial<Timing>;
  /** How far this process's clock deviates, in milliseconds. */
  readonly skew?: number;
}

/**
 * One process's cache on a Redis, with options as a user writes them. Without a first level, unless the options have
 * one.
 */
export const openInstance = (
  options: Record<string, unknown>,
  {
    keysPrefix = 'test',
    fingerprint = 'f1',
    database = 'd1',
    getTimeout = GET_TIMEOUT,
    timing = {},
    skew = 0,
  }: OpenSettings = {},
): RedisInstance => {
  const states: Health[] = [];
  const clock = { now: () => milliseconds(Date.now() + skew) };
  const provider = new RedisProvider(
    { localCache: false, ...options },
    {
      keysPrefix,
      fingerprint,
      database,
      getTimeout,
      events: { state: (health) => states.push(health) },
    },
    clock,
    { ...timingFor(getTimeout), ...timing },
  );
  return { ...instanceOf(provider, getTimeout, clock), provider, states };
};

export const FIRST_LEVEL = { localCache: { maxSize: 100, maxBytes: 10_000_000 } };

/** Resolves when the cache is in use. */
export const whenUp = async (provider: RedisProvider): Promise<void> => {
  while (provider.health().state !== 'up') await delay(20);
};

/** Resolves to the sequence number in Redis, which the provider knows from then on. */
export const caughtUp = async (provider: RedisProvider): Promise<Sequence> => {
  const { sequence } = await provider.lookup('/never-stored' as CacheKey);
  if (sequence === undefined) throw new Error('there is an entry that nobody has stored');
  return sequence;
};

/** Holds whatever has happened to Redis. */
export const expectNoHarm = (database: VersionedDatabase): void => {
  expect(database.errors).toEqual([]);
  expect(database.stale).toEqual([]);
};
