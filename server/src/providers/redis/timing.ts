import { milliseconds, type Milliseconds } from '../../cache/milliseconds';

/**
 * All times that the provider waits, in milliseconds. They are in one place because they only make sense together;
 * tests shorten them. `probeLimit + probe + settle` stays below the two seconds in which the cache comes back after a
 * fault, with the default `getTimeout`.
 */
export const TIMING = {
  /** Between attempts to reach a Redis that is away. */
  probe: milliseconds(200),
  /** How long one attempt may take before its connection is given up; `getTimeout` where that is longer. */
  probeLimit: milliseconds(500),
  /** Between signs of life; also how soon an idle process notices that Redis is away. 0 for none. */
  beat: milliseconds(300),
  /**
   * How long nothing is served after a fault, so that every other process can reconnect and deliver what it owes: a
   * connection that gets no answers is given up after two `probeLimit`, and replaced after another `probe`.
   */
  settle: milliseconds(1200),
  /** How long a connection that belongs to the application may give no answers before it is made to reconnect. */
  givenUp: milliseconds(5000),
  /**
   * How long an announcement holds after its process's last sign of life. After a crash before the stamp, the announced
   * tags are unusable for that long at most.
   */
  announcement: milliseconds(10_000),
  /** A process that is silent for this long without having signed off counts as dead. */
  silence: milliseconds(10_000),
  /** How long a process that ends waits for Redis if it still owes invalidations. */
  farewell: milliseconds(2000),
} as const;

export type Timing = Readonly<Record<keyof typeof TIMING, Milliseconds>>;

/** Nobody is without a cache for longer than this because of others, who may not need it. */
const LONGEST_SETTLE = milliseconds(3000);

/** The times where an operation may take longer: an attempt may, too, and others need longer to come back. */
export const timingFor = (getTimeout: Milliseconds, { probeLimit, settle, ...times }: Timing): Timing => {
  const limit = Math.max(probeLimit, getTimeout);
  const isShortened = settle < TIMING.settle;
  const pause = isShortened ? settle : Math.min(Math.max(settle, 2 * limit + times.probe), LONGEST_SETTLE);
  return { ...times, probeLimit: milliseconds(limit), settle: milliseconds(pause) };
};
