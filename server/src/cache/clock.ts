import { milliseconds, type Milliseconds } from './milliseconds';

/** Milliseconds since the Unix epoch. */
export type EpochMilliseconds = Milliseconds;

/** The engine's source of time. Time decides whether `maxAge` has passed, never freshness against writes. */
export interface Clock {
  now(): EpochMilliseconds;
}

export const systemClock: Clock = { now: () => milliseconds(Date.now()) };
