import type { Context } from 'koa';
import { STATUS_CODES } from 'node:http';
import type { Reason } from '../cache/response-cache';
import type { Settings } from '../config/resolved-config';
import { directivesOf } from './field-values';
import { DIRECTIVE_FIELDS } from './handlers-freshness';
import { responseHeader, type RouteHeaders } from './response-headers';
import { statusOfAnswer } from './stored-response';
import { isPassingStatus } from './thrown-answer';

/** Directives by which a handler keeps its response out of shared caches (RFC 9111, section 5.2.2). */
const FORBIDDING_DIRECTIVES: ReadonlySet<string> = new Set(['no-store', 'private']);

/**
 * The first of these directives in a field; `undefined` if there is none. For a cache that understands the status,
 * `must-understand` overrides `no-store` (section 5.2.2.3). This cache understands every status that it stores.
 */
const forbiddenBy = (value: string): string | undefined => {
  const names = directivesOf(value).map(([directive]) => directive);
  return names.find(
    (name) => FORBIDDING_DIRECTIVES.has(name) && !(name === 'no-store' && names.includes('must-understand')),
  );
};

/** Headers for one client only, like a cookie: they make the client delete its data, or let it trust the server. */
const OF_ONE_CLIENT: ReadonlySet<string> = new Set(['clear-site-data', 'authentication-info']);

/**
 * Why a finished response must not be stored, or `undefined` if it may be. A response that cannot be proven safe to
 * share is not stored.
 *
 * @param headers those that the route itself has set.
 * @param statuses those that are stored beside 200.
 */
export const unstorableReason = (
  ctx: Context,
  { headers }: RouteHeaders,
  statuses: Settings['statuses'],
): Reason | undefined => {
  if (ctx.respond === false || ctx.headerSent) return { code: 'own-answer', detail: 'the handler answers by itself' };
  if (responseHeader(ctx, 'Set-Cookie') !== '') return { code: 'cookie', detail: 'Set-Cookie' };
  const status = statusOfAnswer(ctx);
  if (!isKept(status, statuses))
    return {
      code: 'status',
      detail: `status ${status}`,
      about: String(status),
      isPassing: isPassingStatus(status) || undefined,
    };
  if (ctx.message !== STATUS_CODES[ctx.status])
    return { code: 'status-message', detail: 'a status message of its own' };
  const body: unknown = ctx.body;
  // If no body was set, Koa sends the status message as the body; if the body was set to `null`, it sends none.
  if (body === undefined ? status === 200 : body === null && status !== 204)
    return { code: 'no-body', detail: 'no body' };
  if (isStream(body)) return { code: 'stream', detail: 'stream' };
  for (const [name, value] of headers) {
    const reason = unstorableHeader(name, value);
    if (reason !== undefined) return reason;
  }
  return isOtherLength(body, responseHeader(ctx, 'Content-Length'))
    ? { code: 'header', detail: 'Content-Length set by the handler', about: 'Content-Length' }
    : undefined;
};

export const isKept = (status: number, statuses: Settings['statuses']): boolean =>
  status === 200 || statuses.some((kept) => kept.status === status);

const unstorableHeader = (spelled: string, value: string): Reason | undefined => {
  const name = spelled.toLowerCase();
  if (DIRECTIVE_FIELDS.includes(name)) {
    const forbidding = forbiddenBy(value);
    return forbidding === undefined ? undefined : { code: 'cache-control', detail: `${spelled}: ${forbidding}` };
  }
  // `Trailer` concerns how a body is sent, and Node.js decides that for a stored body.
  if (OF_ONE_CLIENT.has(name) || name === 'trailer') return { code: 'header', detail: spelled };
  if (name === 'content-encoding')
    return { code: 'header', detail: 'Content-Encoding set by the handler', about: 'Content-Encoding' };
  return name === 'content-range' ? { code: 'header', detail: 'Content-Range' } : undefined;
};

/** For strings and bytes, Koa sends the handler's `Content-Length`, right or wrong; for JSON it sets its own. */
const isOtherLength = (body: unknown, length: string): boolean =>
  length !== '' && (typeof body === 'string' || Buffer.isBuffer(body)) && Number(length) !== Buffer.byteLength(body);

const isStream = (body: unknown): boolean =>
  typeof body === 'object' &&
  body !== null &&
  (typeof (body as { pipe?: unknown }).pipe === 'function' ||
    body instanceof ReadableStream ||
    body instanceof Blob ||
    body instanceof Response);
