import type { Context } from 'koa';
import { milliseconds, toSeconds, type Milliseconds } from '../cache/milliseconds';
import type { Entry, StoredResponse } from '../cache/entry';
import { isNoneMatchHit } from './entity-tag';
import { setLazyBody } from './lazy-body';
import { varyFields } from './response-headers';

/** Headers a 304 repeats of the 200 it stands for (RFC 9110, section 15.4.5), as far as routes produce them. */
const NOT_MODIFIED_HEADERS: ReadonlySet<string> = new Set([
  'cache-control',
  'content-location',
  'etag',
  'expires',
  'vary',
]);

/** Puts a stored response on the context, as the route itself had done. */
export const replayResponse = (ctx: Context, response: StoredResponse, restoreBody: boolean): void => {
  ctx.status = response.status;
  for (const [name, value] of response.headers) {
    if (name.toLowerCase() === 'vary') ctx.vary(varyFields(value));
    else ctx.set(name, value);
  }
  if (restoreBody) setLazyBody(ctx, response.body, () => restoredBody(response));
  else ctx.body = response.body;
};

/** For middlewares around the route that expect what the controller would have left: an object, a string, a Buffer. */
const restoredBody = ({ headers, body }: StoredResponse): unknown => {
  const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  if (type.startsWith('application/json')) return JSON.parse(body.toString()) as unknown;
  return type.startsWith('text/') || type.includes('xml') ? body.toString() : body;
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
