import type { Context } from 'koa';
import type { StoredResponse } from '../cache/entry';
import { entityTag } from './entity-tag';
import { responseHeader } from './response-headers';

/** The body as it goes over the wire; `undefined` for what Koa would not turn into bytes itself. */
export const bodyBytes = (body: unknown): Buffer | undefined => {
  if (typeof body === 'string') return Buffer.from(body);
  if (Buffer.isBuffer(body)) return body;
  if (body instanceof Uint8Array) return Buffer.from(body);
  const json: unknown = JSON.stringify(body);
  return typeof json === 'string' ? Buffer.from(json) : undefined;
};

/**
 * A finished response in the form the store keeps. The response itself carries on with the same bytes, so that nothing
 * is serialised twice.
 *
 * @param produced the headers the route itself produced.
 */
export const captureResponse = (
  ctx: Context,
  produced: ReadonlyArray<readonly [string, string]>,
  bytes: Buffer,
  withEtag: boolean,
): StoredResponse => ({
  status: ctx.status,
  headers: produced,
  // A view into Koa's or Node's pool would keep the whole pool alive.
  body: bytes.buffer.byteLength === bytes.byteLength ? bytes : Buffer.from(Uint8Array.from(bytes).buffer),
  etag: withEtag ? (etagOf(ctx) ?? entityTag(bytes)) : undefined,
});

/** A handler's own entity tag is kept. */
const etagOf = (ctx: Context): string | undefined => {
  const etag = responseHeader(ctx, 'ETag');
  return etag === '' ? undefined : etag;
};
