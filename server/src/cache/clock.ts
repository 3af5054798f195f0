import { milliseconds, type Milliseconds } from './milliseconds';

/** Milliseconds since the Unix epoch. */
export type EpochMilliseconds = Milliseconds;

/** The engine's source of time. Time decides whether `maxAge` has passed, never freshness against writes. */
export interface Clock {
  now(): EpochMilliseconds;
}

/** The time since `began`; 0 where the clock was put back meanwhile. */
export const elapsed = (clock: Clock, began: EpochMilliseconds): Milliseconds =>
  milliseconds(Math.max(0, clock.now() - began));

export const systemClock: Clock = { now: () => milliseconds(Date.now()) };
