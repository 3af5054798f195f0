import type { Context } from 'koa';
import { EventEmitter } from 'node:events';
import { STATUS_CODES } from 'node:http';
import { Readable } from 'node:stream';
import type { Reason } from '../cache/response-cache';
import type { Settings } from '../config/resolved-config';
import { directivesOf } from './field-values';
import { DIRECTIVE_FIELDS } from './handlers-freshness';
import { responseHeader, type RouteHeaders } from './response-headers';
import { statusOfAnswer } from './stored-response';

/** Directives by which a handler keeps its response out of shared caches (RFC 9111, section 5.2.2). */
const FORBIDDING_DIRECTIVES: ReadonlySet<string> = new Set(['no-store', 'private']);

/**
 * The first of them in a field. `must-understand` takes `no-store` back for caches that know the status (section 5.2.2.3),
 * as this one does with whatever it keeps.
 */
const forbiddenBy = (value: string): string | undefined => {
  const names = directivesOf(value).map(([directive]) => directive);
  return names.find(
    (name) => FORBIDDING_DIRECTIVES.has(name) && !(name === 'no-store' && names.includes('must-understand')),
  );
};

/** Of one exchange with one client, like a cookie: for that client to forget things, and to trust the server. */
const OF_ONE_CLIENT: ReadonlySet<string> = new Set(['clear-site-data', 'authentication-info']);

/**
 * Why a finished response must not be stored, or `undefined` if it may be. What cannot be proven safe to share is not
 * stored.
 *
 * @param headers what the route itself did to them.
 * @param statuses that are kept beside 200.
 */
export const unstorableReason = (
  ctx: Context,
  { headers }: RouteHeaders,
  statuses: Settings['statuses'],
): Reason | undefined => {
  if (ctx.respond === false || ctx.headerSent) return { code: 'own-answer', detail: 'the handler answers by itself' };
  if (responseHeader(ctx, 'Set-Cookie') !== '') return { code: 'cookie', detail: 'Set-Cookie' };
  const status = statusOfAnswer(ctx);
  if (!isKept(status, statuses)) return { code: 'status', detail: `status ${status}` };
  if (ctx.message !== STATUS_CODES[ctx.status])
    return { code: 'status-message', detail: 'a status message of its own' };
  const body: unknown = ctx.body;
  // Koa makes a body of the status where there is none, but for `null`.
  if (body === undefined ? status === 200 : body === null && status !== 204)
    return { code: 'no-body', detail: 'no body' };
  if (isStream(body)) return { code: 'stream', detail: 'stream' };
  for (const [name, value] of headers) {
    const reason = unstorableHeader(name, value);
    if (reason !== undefined) return reason;
  }
  return isOtherLength(body, responseHeader(ctx, 'Content-Length'))
    ? { code: 'header', detail: 'Content-Length set by the handler' }
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
  // How a body is sent is Node's to say of a stored one.
  if (OF_ONE_CLIENT.has(name) || name === 'trailer') return { code: 'header', detail: spelled };
  if (name === 'content-encoding') return { code: 'header', detail: 'Content-Encoding set by the handler' };
  return name === 'content-range' ? { code: 'header', detail: 'Content-Range' } : undefined;
};

/** Koa sends what a handler says of a text or of bytes, right or wrong; of JSON it tells the length itself. */
const isOtherLength = (body: unknown, length: string): boolean =>
  length !== '' && (typeof body === 'string' || Buffer.isBuffer(body)) && Number(length) !== Buffer.byteLength(body);

const isStream = (body: unknown): boolean =>
  body instanceof Readable ||
  (typeof body === 'object' &&
    body !== null &&
    (typeof (body as { pipe?: unknown }).pipe === 'function' ||
      body instanceof ReadableStream ||
      body instanceof Blob ||
      body instanceof Response));

type Methods = ReadonlyMap<string, unknown>;

/**
 * Watches for what hooks into the response itself, as `on-headers` does with `writeHead`: such an answer is not finished
 * when its handler is. What instrumentation does to prototypes is there for hits as well, and does not count.
 *
 * @returns names the first method that has been replaced since, as one would write it: `res.writeHead`.
 */
export const watchMethods = ({ res, response }: Context): (() => Reason | undefined) => {
  const watched = Object.entries({ res, response }).map(
    ([name, target]: [string, object]) => [name, target, ownMethods(target)] as const,
  );
  return () => {
    for (const [name, target, before] of watched)
      for (const [method, is] of ownMethods(target))
        if (before.get(method) !== is)
          return { code: 'hooks', detail: `replaces ${name}.${method}, so its answer is not final` };
    return undefined;
  };
};

/** Of the object itself, in the place of what it inherits; accessors among them. Listeners change nothing. */
const ownMethods = (target: object): Methods => {
  const methods = new Map<string, unknown>();
  const prototype = Object.getPrototypeOf(target) as object;
  for (const name of Object.getOwnPropertyNames(target)) {
    if (!(name in prototype) || name in EventEmitter.prototype) continue;
    const property = Object.getOwnPropertyDescriptor(target, name);
    const method: unknown = property?.get ?? property?.value;
    if (typeof method === 'function') methods.set(name, method);
  }
  return methods;
};

const GONE: Reason = { code: 'gone', detail: 'its client has left, and the handler listens for that' };

/**
 * Watches for a handler that listens for its client to leave: what it has made by then may be a part of the answer.
 *
 * @returns ends it, and tells if one has and the client did.
 */
export const watchLeaving = ({ req, res, socket }: Context): (() => Reason | undefined) => {
  let listens = false;
  const note = (event: string | symbol): void => {
    listens ||= event === 'close' || event === 'aborted';
  };
  const emitters: readonly EventEmitter[] = [req, res, socket];
  for (const emitter of emitters) emitter.on('newListener', note);
  return () => {
    for (const emitter of emitters) emitter.off('newListener', note);
    return listens && res.destroyed ? GONE : undefined;
  };
};
