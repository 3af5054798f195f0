import { milliseconds, type Milliseconds } from './milliseconds';

/** Milliseconds since the Unix epoch. */
export type EpochMilliseconds = Milliseconds;

/** Where the engine takes the time from. It decides `maxAge` only, never freshness against writes. */
export interface Clock {
  now(): EpochMilliseconds;
}

export const systemClock: Clock = { now: () => milliseconds(Date.now()) };
