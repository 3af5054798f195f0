import { milliseconds, type Milliseconds } from '../../cache/milliseconds';

/**
 * All waiting the provider does. One place, because they only make sense together; tests shorten them.
 * `probeLimit + probe + settle` stays below the two seconds in which a cache comes back.
 */
export const TIMING = {
  /** Between attempts to reach a Redis that is away. */
  probe: milliseconds(200),
  /** How long one attempt may take before its connection is given up; `getTimeout` where that is longer. */
  probeLimit: milliseconds(500),
  /** Between signs of life; also how soon an idle process notices that Redis is away. 0 for none. */
  beat: milliseconds(300),
  /** After a fault nothing is served for so long, so that every other process comes back and delivers what it owes. */
  settle: milliseconds(1000),
  /** How long an announcement holds after its process's last sign of life: what a crash before the stamp costs at most. */
  announcement: milliseconds(10_000),
  /** A process silent for so long without having taken its leave is taken for dead. */
  silence: milliseconds(10_000),
  /** How long a process that ends waits for Redis, where it has something left to tell. */
  farewell: milliseconds(2000),
  /** Between two looks at whether another process's entry has arrived. */
  poll: milliseconds(20),
} as const;

export type Timing = Readonly<Record<keyof typeof TIMING, Milliseconds>>;
