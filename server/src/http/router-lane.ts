import type { Context, Next } from 'koa';
import { cacheKey } from '../cache/key';
import { currentRecording } from '../observe/recording';
import type { OuterLane } from './outer-lane';
import { requestFingerprint } from './request-fingerprint';
import type { EntryServer } from './serve-entry';
import { servedOn, type Served } from './served';

/**
 * Answers right before the router, after every global middleware: what those made of the query counts, not the URL as
 * it was sent.
 */
export class RouterLane {
  readonly #lane: OuterLane<EntryServer>;

  constructor(lane: OuterLane<EntryServer>) {
    this.#lane = lane;
  }

  readonly middleware = async (ctx: Context, next: Next): Promise<void> => {
    const fingerprint = fingerprintOf(ctx);
    const found = fingerprint === undefined ? undefined : this.#lane.find(fingerprint);
    const repetition = found instanceof Promise ? await found : found;
    if (repetition !== undefined) {
      repetition.verdict.extra.hit(ctx, repetition.entry, false);
      return;
    }
    await next();
    const served = servedOn(ctx);
    if (fingerprint !== undefined && served !== undefined) this.#remember(fingerprint, served);
  };

  #remember(fingerprint: string, { entry, route, expiresAt, server }: Served): void {
    const recording = currentRecording();
    if (recording?.since === undefined) return;
    this.#lane.remember(fingerprint, {
      key: entry.key,
      route,
      guard: { tags: recording.permission(), since: recording.since },
      expiresAt,
      entryCreatedAt: entry.createdAt,
      entrySequence: entry.sequence,
      extra: server,
    });
  }
}

const fingerprintOf = (ctx: Context): string | undefined =>
  ctx.method === 'GET' || ctx.method === 'HEAD'
    ? requestFingerprint(ctx.req, cacheKey({ path: ctx.path, query: ctx.query, headers: [], identity: '' }), false)
    : undefined;
