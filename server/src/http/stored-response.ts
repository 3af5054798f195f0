import type { Context } from 'koa';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Entry, StoredResponse } from '../cache/entry';
import { milliseconds, type Milliseconds, toSeconds } from '../cache/milliseconds';
import { type Answer, exchangeOf } from './exchange';
import { ageIn } from './handlers-freshness';
import { httpDate } from './field-values';
import { asJson, LazyBody } from './lazy-body';
import { type Compressing, fieldOf, responseHeader, type RouteHeaders } from './response-headers';
import { errorAgain } from './thrown-answer';

/** Whether no status was set. The property in which Koa keeps that is missing from its types. */
const isUntouched = ({ response }: Context): boolean =>
  (response as { _explicitStatus?: boolean })._explicitStatus !== true;

const NOTHING = Buffer.alloc(0);

/** What the handler has left, as it is stored; `undefined` for a body that Koa could not turn into bytes either. */
export const leftByHandler = (ctx: Context): SerialisedBody | undefined => {
  const { thrown } = exchangeOf(ctx);
  if (thrown !== undefined) return { body: Buffer.from(thrown.description), left: 'error' };
  const body: unknown = ctx.body;
  if (body === undefined || body === null) return { body: NOTHING, left: isUntouched(ctx) ? 'untouched' : 'nothing' };
  return serialisedBody(body);
};

/** Whether a stored response includes its body. If not, Strapi or Koa make the body. */
export const hasBody = ({ left }: Pick<StoredResponse, 'left'>): boolean =>
  left === undefined || left === 'json' || left === 'text';

type SerialisedBody = Pick<StoredResponse, 'body' | 'left'>;

/** `undefined` for a body that Koa could not turn into bytes either. */
export const serialisedBody = (body: unknown): SerialisedBody | undefined => {
  if (typeof body === 'string') return { body: encoded(body), left: 'text' };
  // The handler may keep a reference to the Buffer and write to it later, so it is copied.
  if (Buffer.isBuffer(body)) return { body: copied(body), left: undefined };
  const json = asJson(body);
  return json === undefined ? undefined : { body: encoded(json), left: 'json' };
};

// Both are outside of Node's pool: a view into the pool would keep the whole of it alive.
const copied = (bytes: Buffer): Buffer => {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(copy);
  return copy;
};

const encoded = (text: string): Buffer => {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
};

/** The status of the handler's response, or the status that the error it has thrown is going to get. */
export const statusOfAnswer = (ctx: Context): number => exchangeOf(ctx).thrown?.status ?? ctx.status;

/** A finished response in the form the store keeps. */
export const captureResponse = (
  ctx: Context,
  produced: RouteHeaders,
  { body, left }: SerialisedBody,
  withEtag: boolean,
): StoredResponse => {
  const status = statusOfAnswer(ctx);
  // Conditional requests are answered for status 200 only; outside 2xx they must be ignored (RFC 9110, section 13.2.1).
  const etag = withEtag && status === 200 ? etagOf(ctx, body) : undefined;
  const { headers, appended, removed, compress } = produced;
  return { status, headers, appended, removed, compress, body, left, etag };
};

/** Entity tags as in RFC 9110 (section 8.8.3), and also with blanks, which many implementations accept. */
const ENTITY_TAG = /^(W\/)?"[\x20\x21\x23-\x7e\x80-\xff]*"$/;

/** The handler's own entity tag, or one over the body. An invalid `ETag` of the handler's stays an ordinary header. */
const etagOf = (ctx: Context, body: Buffer): string | undefined => {
  const own = responseHeader(ctx, 'ETag');
  if (own === '') return entityTag(body);
  return ENTITY_TAG.test(own) ? own : undefined;
};

/** Puts a stored response on the context as the route had done. An error is put on the exchange, yet to be thrown. */
export const replayResponse = (ctx: Context, response: StoredResponse): void => {
  const { status, body, left, compress } = response;
  if (left !== 'untouched' && left !== 'error') ctx.status = status;
  replayHeaders(ctx, response);
  if (compress !== undefined) (ctx as Compressing).compress = compress;
  if (left === 'error') {
    const description = body.toString();
    exchangeOf(ctx).thrown = { error: errorAgain(ctx, description), status, description };
  }
  if (!hasBody(response)) return;
  exchangeOf(ctx).lazyBody = new LazyBody(ctx, response, () => restoredBody({ body, left }));
};

const replayHeaders = (ctx: Context, { headers, appended = [], removed = [] }: StoredResponse): void => {
  for (const name of removed) ctx.remove(name);
  const isVaryReplaced = removed.includes('vary');
  /** Headers to which further lines are added. */
  const begun = new Set(appended);
  for (const [name, value] of headers) {
    const lower = name.toLowerCase();
    if (lower === 'vary' && !isVaryReplaced) ctx.vary(value);
    else if (begun.has(lower)) ctx.append(name, value);
    else ctx.set(name, value);
    begun.add(lower);
  }
};

/** The body as the controller would have left it (an object, a string, a Buffer), for middlewares around the route. */
export const restoredBody = ({ body, left }: Pick<StoredResponse, 'body' | 'left'>): unknown => {
  if (left === 'text') return body.toString();
  try {
    if (left === 'json') return JSON.parse(body.toString()) as unknown;
  } catch {
    // The store has returned invalid JSON. Middlewares must not fail because of that, so they get the bytes.
  }
  return Buffer.from(body);
};

/** Sets the entity tag, and turns the response into a 304 if the client already holds this representation. */
export const answerConditionally = (
  ctx: Context,
  { response, lastModified }: Pick<Answer, 'response' | 'lastModified'>,
): void => {
  const { etag } = response;
  if (etag !== undefined) ctx.set('ETag', etag);
  if (!isNotModified(ctx.req.headers, { etag, lastModified: lastModifiedOn(ctx, lastModified) })) return;
  ctx.status = 304;
  ctx.body = null;
  ctx.remove('Content-Language');
};

/**
 * The handler's `Last-Modified`, if its status is 200 and all callers share the entry. It is not used for one caller's
 * entry: a browser may hold another caller's copy under the same URL, and a date, unlike an entity tag, does not tell
 * the two apart.
 */
export const lastModifiedOf = ({ response, labels }: Pick<Entry, 'response' | 'labels'>): string | undefined =>
  labels.identity === '' && response.status === 200 ? fieldOf(response, 'last-modified') : undefined;

/** The handler's `Last-Modified`, unless a middleware in front has set another or removed it. */
export const lastModifiedOn = (ctx: Context, own: string | undefined): string | undefined =>
  own !== undefined && own === responseHeader(ctx, 'Last-Modified') ? own : undefined;

/** Headers that describe the body, which a 304 leaves out (RFC 9110, section 15.4.5). */
export const OF_THE_BODY: ReadonlySet<string> = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'content-language',
  'transfer-encoding',
]);

export const ageOf = ({ createdAt }: Pick<Entry, 'createdAt'>, now: Milliseconds): Milliseconds =>
  milliseconds(Math.max(0, now - createdAt));

export const timeToLive = (entry: Pick<Entry, 'createdAt' | 'maxAge'>, now: Milliseconds): Milliseconds =>
  milliseconds(Math.max(0, entry.maxAge - ageOf(entry, now)));

/**
 * The time from which `Age` is counted. The tags of a hit were checked just now, and such a validation makes a response
 * new (RFC 9111, section 4.2.3). So `Age` stays 0 as long as the entry itself has at least `advertised` left. From then on it
 * grows, so that no other cache keeps the hit for longer than this one.
 *
 * @param advertised the max age for other caches; `undefined` if the handler sets it, or nobody. Then `Age`
 * counts from the entry's creation, plus the handler's own `Age`.
 * @returns milliseconds since the epoch.
 */
export const ageCountsFrom = ({ createdAt, maxAge, response }: Aged, advertised: Milliseconds | undefined): number =>
  advertised === undefined ? createdAt - ageIn(fieldOf(response, 'age')) : createdAt + Math.max(0, maxAge - advertised);

type Aged = Pick<Entry, 'createdAt' | 'maxAge' | 'response'>;

/** `Age` in whole seconds (RFC 9111, section 5.1). */
export const ageHeader = (entry: Aged, now: Milliseconds, advertised: Milliseconds | undefined): string =>
  String(toSeconds(milliseconds(now - ageCountsFrom(entry, advertised))));

/** A strong entity tag over the exact bytes of a representation (RFC 9110, section 8.8.3). */
export const entityTag = (body: Buffer): string =>
  `"${createHash('sha1').update(body).digest('base64url').slice(0, 22)}-${body.byteLength.toString(36)}"`;

const opaque = (tag: string): string => tag.replace(/^W\//, '');

/** Tags may hold commas, so the list cannot be split at them. */
const TAG_IN_LIST = /(?:W\/)?"[^"]*"/g;

/** Whether `If-None-Match` names this representation, by weak comparison (RFC 9110, section 13.1.2). */
const isNoneMatchHit = (ifNoneMatch: string, etag: string): boolean => {
  if (ifNoneMatch.trim() === '*') return true;
  return (ifNoneMatch.match(TAG_IN_LIST) ?? []).some((candidate) => opaque(candidate) === opaque(etag));
};

interface Validators {
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

/**
 * Whether the client already holds this representation. `If-Modified-Since` counts only without `If-None-Match`, which
 * is more exact (RFC 9110, section 13.2.2), and only if it is a valid date (section 13.1.3).
 */
export const isNotModified = (asked: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean => {
  const noneMatch = asked['if-none-match'];
  if (noneMatch !== undefined) return etag !== undefined && isNoneMatchHit(noneMatch, etag);
  if (lastModified === undefined) return false;
  const [since, modified] = [httpDate(asked['if-modified-since']), httpDate(lastModified)];
  return since !== undefined && modified !== undefined && modified <= since;
};
