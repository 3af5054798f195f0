import type { Core } from '@strapi/strapi';
import type { Context, Next } from 'koa';
import type { LaneConfig } from '../http/lane-config';
import { getRunning } from '../runtime/running';

/** The inner lane under its name; attached to each cached route by `register`. */
export default (
  config: LaneConfig,
  { strapi }: { strapi: Core.Strapi },
): ((ctx: Context, next: Next) => Promise<void>) => getRunning(strapi).innerLane(config);
