import type { Context } from 'koa';
import type { Entry } from '../cache/entry';
import type { ResolvedRoute } from '../config/resolved-config';
import type { EntryServer } from './serve-entry';

/** A hit of the inner lane that an outer lane may repeat. */
export interface Served {
  readonly entry: Entry;
  readonly route: ResolvedRoute;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  readonly server: EntryServer;
}

const served = new WeakMap<Context, Served>();

export const noteServed = (ctx: Context, hit: Served): void => {
  served.set(ctx, hit);
};

export const servedOn = (ctx: Context): Served | undefined => served.get(ctx);
