import { milliseconds, type Milliseconds } from '../../cache/milliseconds';

/** All waiting the provider does. One place, because they only make sense together; tests shorten them. */
export interface Timing {
  /** Between attempts to reach a Redis that is away. */
  readonly probe: Milliseconds;
  /** How long one attempt may take before its connection is given up; `getTimeout` where that is longer. */
  readonly probeLimit: Milliseconds;
  /** Between signs of life; also how soon an idle process notices that Redis is away. 0 for none. */
  readonly beat: Milliseconds;
  /** After a fault nothing is served for so long, so that every other process comes back and delivers what it owes. */
  readonly settle: Milliseconds;
  /** How long an announcement holds without being renewed: what a crash between commit and stamp costs at most. */
  readonly announcement: Milliseconds;
  /** Between renewals; a third of the above, so that two may be missed. */
  readonly renewal: Milliseconds;
  /** A bounded first level is used for so long after the sequence number was last asked for. */
  readonly trust: Milliseconds;
  /** A process silent for so long without having taken its leave is taken for dead. */
  readonly silence: Milliseconds;
  /** How long a process that ends waits for Redis, where it has something left to tell. */
  readonly farewell: Milliseconds;
  /** Between two looks at whether another process's entry has arrived. */
  readonly poll: Milliseconds;
}

/** `probeLimit + probe + settle` stays below the two seconds in which a cache comes back. */
export const TIMING: Timing = {
  probe: milliseconds(200),
  probeLimit: milliseconds(500),
  beat: milliseconds(300),
  settle: milliseconds(1000),
  announcement: milliseconds(10_000),
  renewal: milliseconds(3000),
  trust: milliseconds(1000),
  silence: milliseconds(10_000),
  farewell: milliseconds(2000),
  poll: milliseconds(20),
};
