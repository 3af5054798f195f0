import type { Core } from '@strapi/strapi';
import type { Context, Next } from 'koa';
import { getRunning } from '../runtime/running';

/** What `register` writes on a cached route. */
export interface LaneConfig {
  /** The cached route's pattern. */
  readonly path: string;
  /** Whether middlewares of others surround this one on the route. */
  readonly surrounded: boolean;
  /** Whether the route has policies, which have to see every request. */
  readonly guarded: boolean;
}

/** The inner lane under its name; attached to each cached route by `register`. */
export default (
  config: LaneConfig,
  { strapi }: { strapi: Core.Strapi },
): ((ctx: Context, next: Next) => Promise<void>) => getRunning(strapi).innerLane(config);
