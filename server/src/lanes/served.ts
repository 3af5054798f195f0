import type { Context } from 'koa';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
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
const stored = new WeakMap<Context, CacheKey>();

/** Notes the entry that was made of this request's response. */
export const noteStored = (ctx: Context, key: CacheKey): void => {
  stored.set(ctx, key);
};

export const storedOn = (ctx: Context): CacheKey | undefined => stored.get(ctx);

export const noteServed = (ctx: Context, hit: Served): void => {
  served.set(ctx, hit);
};

export const servedOn = (ctx: Context): Served | undefined => served.get(ctx);

/** The lane that has noted it has failed. */
export const forgetServed = (ctx: Context): void => {
  served.delete(ctx);
};
