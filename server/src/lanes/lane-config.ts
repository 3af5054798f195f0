/** What `register` writes on a cached route. */
export interface LaneConfig {
  /** The cached route's pattern. */
  readonly path: string;
  /** Whether middlewares of others surround this one on the route. */
  readonly surrounded: boolean;
  /** Whether the route has policies, which have to see every request. */
  readonly guarded: boolean;
}
