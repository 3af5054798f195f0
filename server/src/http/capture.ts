import type { Context } from 'koa';
import type { StoredResponse } from '../cache/entry';
import { entityTag } from './entity-tag';
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

/** `undefined` for what JSON cannot hold, and for what fails to be serialised: Koa says so in its own way. */
export const asJson = (body: unknown): string | undefined => {
  try {
    return JSON.stringify(body);
  } catch {
    return undefined;
  }
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
