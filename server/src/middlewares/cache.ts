import type { Core } from '@strapi/strapi';
import type { Context, Next } from 'koa';
import { getRunning } from '../runtime/running';

interface Config {
  /** The cached route's pattern. */
  readonly path: string;
  /** Whether middlewares of others surround this one on the route. */
  readonly surrounded: boolean;
}

/** The inner lane under its name; attached to each cached route by `register`. */
export default ({ path, surrounded }: Config, { strapi }: { strapi: Core.Strapi }): ((ctx: Context, next: Next) => Promise<void>) =>
  getRunning(strapi).innerLane(path, surrounded);
