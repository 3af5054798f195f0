import type { Context } from 'koa';
import { createHash } from 'node:crypto';
import type { Entry, StoredResponse } from '../cache/entry';
import { milliseconds, type Milliseconds, toSeconds } from '../cache/milliseconds';
import { exchangeOf } from './exchange';
import { asJson, LazyBody, setBytes } from './lazy-body';
import { responseHeader, type RouteHeaders } from './response-headers';

/** A body as Koa would send it. */
export type SerialisedBody = Pick<StoredResponse, 'body' | 'left'>;

/** `undefined` for what Koa would not turn into bytes either. */
export const serialisedBody = (body: unknown): SerialisedBody | undefined => {
  if (typeof body === 'string') return { body: ownBytes(Buffer.from(body)), left: 'text' };
  // Whoever made it may go on writing to it.
  if (Buffer.isBuffer(body)) return { body: copied(body), left: undefined };
  const json = asJson(body);
  return json === undefined ? undefined : { body: ownBytes(Buffer.from(json)), left: 'json' };
};

const copied = (bytes: Buffer): Buffer => Buffer.from(Uint8Array.from(bytes).buffer);

/** A view into Node's pool would keep the whole pool alive. */
const ownBytes = (bytes: Buffer): Buffer => (bytes.buffer.byteLength === bytes.byteLength ? bytes : copied(bytes));

/** A finished response in the form the store keeps. */
export const captureResponse = (
  ctx: Context,
  { headers, removed }: RouteHeaders,
  { body, left }: SerialisedBody,
  withEtag: boolean,
): StoredResponse => ({
  status: ctx.status,
  headers,
  removed,
  body,
  left,
  etag: withEtag ? etagOf(ctx, body) : undefined,
});

/** Entity tags as RFC 9110 (section 8.8.3) spells them, and with blanks, which many let stand. */
const ENTITY_TAG = /^(W\/)?"[\x20\x21\x23-\x7e\x80-\xff]*"$/;

/** A handler's own entity tag is kept; one that is none stays a header like any other. */
const etagOf = (ctx: Context, body: Buffer): string | undefined => {
  const own = responseHeader(ctx, 'ETag');
  if (own === '') return entityTag(body);
  return ENTITY_TAG.test(own) ? own : undefined;
};

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
  const { body, left } = response;
  if (restoreBody) exchangeOf(ctx).lazyBody = new LazyBody(ctx, body, () => restoredBody({ body, left }));
  else setBytes(ctx, body);
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
export const restoredBody = ({ body, left }: Pick<StoredResponse, 'body' | 'left'>): unknown => {
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

/** A strong entity tag over the exact bytes of a representation (RFC 9110, section 8.8.3). */
export const entityTag = (body: Buffer): string =>
  `"${createHash('sha1').update(body).digest('base64url').slice(0, 22)}-${body.byteLength.toString(36)}"`;

const opaque = (tag: string): string => tag.replace(/^W\//, '');

/** Tags may hold commas, so the list cannot be split at them. */
const TAG_IN_LIST = /(?:W\/)?"[^"]*"/g;

/**
 * Whether `If-None-Match` names this representation, by weak comparison as section 13.1.2 of RFC 9110 asks for;
 * `*` names any.
 */
export const isNoneMatchHit = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false;
  // What a client holds is most often just this.
  if (ifNoneMatch === etag) return true;
  if (ifNoneMatch.trim() === '*') return true;
  return (ifNoneMatch.match(TAG_IN_LIST) ?? []).some((candidate) => opaque(candidate) === opaque(etag));
};
