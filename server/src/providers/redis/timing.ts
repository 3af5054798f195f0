import { milliseconds, type Milliseconds } from '../../cache/milliseconds';

/** Nobody is without a cache for longer than this because of others, who may not need it. */
const LONGEST_SETTLE = milliseconds(3000);

/**
 * All times that the provider waits, in milliseconds, where one operation may take `getTimeout`. They are in one place
 * because they only make sense together; tests shorten them. `probeLimit + probe + settle` stays below the two seconds in
 * which the cache comes back after a fault, with the default `getTimeout`.
 */
export const timingFor = (getTimeout: Milliseconds) => {
  const probe = milliseconds(200);
  const probeLimit = milliseconds(Math.max(500, getTimeout));
  return {
    /** Between attempts to reach a Redis that is away. */
    probe,
    /** How long one attempt may take before its connection is given up. */
    probeLimit,
    /** Between signs of life; also how soon an idle process notices that Redis is away. 0 for none. */
    beat: milliseconds(300),
    /**
     * How long nothing is served after a fault, so that every other process can reconnect and deliver what it owes: a
     * connection that gets no answers is given up after two `probeLimit`, and replaced after another `probe`.
     */
    settle: milliseconds(Math.min(2 * probeLimit + probe, LONGEST_SETTLE)),
    /** How long a connection that belongs to the application may give no answers before it is made to reconnect. */
    givenUp: milliseconds(5000),
    /**
     * How long an announcement holds after its process's last sign of life. After a crash before the stamp, the
     * announced tags are unusable for that long at most.
     */
    announcement: milliseconds(10_000),
    /** A process that is silent for this long without having signed off counts as dead. */
    silence: milliseconds(10_000),
    /** How long a process that ends waits for Redis if it still owes invalidations. */
    farewell: milliseconds(2000),
  } as const;
};

export type Timing = Readonly<ReturnType<typeof timingFor>>;
