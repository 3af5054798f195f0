import type { Context } from 'koa';
import { milliseconds, toSeconds, type Milliseconds } from '../cache/milliseconds';
import type { Entry, StoredResponse } from '../cache/entry';
import { isNoneMatchHit } from './entity-tag';
import { setBytes, setLazyBody } from './lazy-body';

/** Headers a 304 repeats of the 200 it stands for (RFC 9110, section 15.4.5), as far as routes produce them. */
const NOT_MODIFIED_HEADERS: ReadonlySet<string> = new Set([
  'cache-control',
  'content-location',
  'date',
  'etag',
  'expires',
  'vary',
]);

/** Puts a stored response on the context, as the route itself had done. */
export const replayResponse = (ctx: Context, response: StoredResponse, restoreBody: boolean): void => {
  ctx.status = response.status;
  replayHeaders(ctx, response);
  if (restoreBody) setLazyBody(ctx, response.body, () => restoredBody(response));
  else setBytes(ctx, response.body);
};

const replayHeaders = (ctx: Context, { headers, removed = [] }: StoredResponse): void => {
  for (const name of removed) ctx.remove(name);
  const isVaryReplaced = removed.includes('vary');
  const replayed = new Map<string, string[]>();
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (lower === 'vary' && !isVaryReplaced) {
      ctx.vary(value);
      continue;
    }
    const lines = replayed.get(lower);
    if (lines === undefined) {
      replayed.set(lower, [value]);
      ctx.set(name, value);
    } else {
      lines.push(value);
      ctx.set(name, lines);
    }
  }
};

/** For middlewares around the route that expect what the controller would have left: an object, a string, a Buffer. */
const restoredBody = ({ body, left }: StoredResponse): unknown => {
  if (left === 'text') return body.toString();
  try {
    if (left === 'json') return JSON.parse(body.toString()) as unknown;
  } catch {
    // Whatever a store has made of it: nobody else is to fail by that.
  }
  return Buffer.from(body);
};

/** Sets the entity tag, and turns the response into a 304 where the client holds this very representation already. */
export const answerConditionally = (ctx: Context, { headers, etag }: StoredResponse): void => {
  if (etag === undefined) return;
  ctx.set('ETag', etag);
  if (!isNoneMatchHit(ctx.get('If-None-Match') || undefined, etag)) return;
  ctx.status = 304;
  ctx.body = null;
  const ofRoute = new Set(headers.map(([name]) => name.toLowerCase()));
  for (const name of ofRoute) if (isDroppedWhenNotModified(name, ofRoute)) ctx.remove(name);
};

/** Koa itself drops these together with the body. */
const REPRESENTATION_HEADERS: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
]);

/** Whether a 304 leaves a header out: one that describes the body, or one that the route would send with the 200. */
export const isDroppedWhenNotModified = (name: string, ofRoute: ReadonlySet<string>): boolean =>
  REPRESENTATION_HEADERS.has(name) || (ofRoute.has(name) && !NOT_MODIFIED_HEADERS.has(name));

/** How long the entry has been, and will be, good. */
export const ageOf = ({ createdAt }: Pick<Entry, 'createdAt'>, now: Milliseconds): Milliseconds =>
  milliseconds(Math.max(0, now - createdAt));

export const timeToLive = (entry: Pick<Entry, 'createdAt' | 'maxAge'>, now: Milliseconds): Milliseconds =>
  milliseconds(Math.max(0, entry.maxAge - ageOf(entry, now)));

/** `Age` in whole seconds (RFC 9111, section 5.1). */
export const ageHeader = (entry: Pick<Entry, 'createdAt'>, now: Milliseconds): string =>
  String(toSeconds(ageOf(entry, now)));
