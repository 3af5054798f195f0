/** Whether a cached response that is merely old may be served. One that a write or a purge has invalidated never is. */
export interface StaleConfig {
  /**
   * How long after its `maxAge` a response is served while a new one is computed: milliseconds, 0 or greater.
   * @default 0
   * @see docs/no-cold-pages.md#responses-that-are-merely-old
   */
  whileRevalidate?: number;
  /**
   * How long after its `maxAge` a response is served if the handler fails: milliseconds, 0 or greater.
   * @default 0
   * @see docs/no-cold-pages.md#while-the-database-is-down
   */
  ifError?: number;
  /**
   * How long a handler may take before `ifError` applies: milliseconds, 0 or greater; 0: half a minute.
   * @default 0
   */
  timeout?: number;
}

/** Which cached responses are computed again before a visitor asks for them. */
export interface WarmConfig {
  /**
   * How many of the most wanted responses are warmed.
   * @default 50
   */
  top?: number;
  /**
   * Paths with their queries that are warmed at start and after each purge; with a `*`, those that visitors ask for.
   * A function is called at start.
   * @default []
   */
  urls?: readonly string[] | (() => readonly string[] | Promise<readonly string[]>);
  /**
   * Warms after writes and purges.
   * @default true
   */
  afterWrites?: boolean;
  /**
   * Warms once the server listens. `false`: `urls` without a `*`, too, stand for those that visitors ask for.
   * @default true
   */
  atBoot?: boolean;
  /**
   * How many responses are computed at the same time.
   * @default 1
   */
  concurrency?: number;
}

/** How many hits are computed again, to compare. */
export interface AuditConfig {
  /**
   * The share of hits that is audited: from 0 to 1.
   * @default 0.01
   */
  rate?: number;
  /**
   * How many hits are audited in one minute at most.
   * @default 10
   */
  perMinute?: number;
}
