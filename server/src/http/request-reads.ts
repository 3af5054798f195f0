import type { Context } from 'koa';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isHttp2 } from './request-message';
import { wrapAccessor } from './wrap-accessor';
import { letStandInsBeCloned, watchedValues, type Watcher } from './watched-values';

/** What was read of a request: the lower-case name of a header, or one of the constants below. */
export type ReadName = string;

/** All headers were listed. */
export const ALL_HEADERS: ReadName = '*';
/** The address the request came from, or that a proxy says it came from. */
export const REMOTE_ADDRESS: ReadName = 'remote-address';

class WatchedMessage implements Watcher {
  /** Where reads are noted now; `undefined` while they are not noted. */
  reads: Set<ReadName> | undefined;

  note(name: string | symbol, values: object): void {
    // Node.js spells header names in lower case, so any other name (`toJSON`) is no header. Nor is `constructor`, which
    // all objects inherit, unless the caller has sent one.
    if (this.reads === undefined || typeof name !== 'string' || name !== name.toLowerCase()) return;
    if (name in Object.prototype && !Object.hasOwn(values, name)) return;
    if (Array.isArray(values)) this.reads.add(ALL_HEADERS);
    // Koa reads both spellings of the referrer.
    else this.reads.add(name === 'referrer' ? 'referer' : name);
  }

  noteAll(): void {
    this.reads?.add(ALL_HEADERS);
  }
}

const WATCHED = Symbol('rest-cache watched');

/** The watcher of a request, if there is one. It is assigned to the message, which leaves the message a fast object. */
const watchedMessage = (req: IncomingMessage): WatchedMessage | undefined =>
  (req as IncomingMessage & { [WATCHED]?: WatchedMessage })[WATCHED];

/** The requests that are being answered on a connection: one, except with pipelining. */
const onSocket = new WeakMap<Socket, Set<WatchedMessage>>();

/**
 * Notes into `reads` what the code that runs from now on reads of the request, as far as another request with the same
 * key may differ in it: headers, however they are read, and the caller's address.
 *
 * @returns ends it. Code that still holds the headers then reads them unnoticed.
 */
export const noteReads = (ctx: Context, reads: Set<ReadName>): (() => void) => {
  const { req } = ctx;
  // An HTTP/2 request bypasses the cache, and its headers cannot be replaced.
  if (isHttp2(req)) return () => undefined;
  watchKoa(ctx.app);
  letStandInsBeCloned();
  const message = watchedMessage(req) ?? new WatchedMessage();
  Object.assign(req, { [WATCHED]: message });
  const before = message.reads;
  const putBack = before === undefined ? showWatched(req, message) : undefined;
  message.reads = reads;
  forgetMemos(ctx);
  return () => {
    message.reads = before;
    putBack?.();
    forgetMemos(ctx);
  };
};

/** Clears what Koa and Node.js have memoised of headers, so that they read them again. */
const forgetMemos = ({ request, req }: Context): void => {
  // Made from the raw headers when it is first read.
  Reflect.set(req, 'headersDistinct', undefined);
  const memos = request as unknown as { _accept: unknown; memoizedURL: unknown };
  if (memos._accept !== undefined) memos._accept = undefined;
  if (memos.memoizedURL !== undefined) memos.memoizedURL = undefined;
};

/** Runs Koa's own code without noting what it reads. */
const unnoticed = <T>(req: IncomingMessage, work: () => T): T => {
  const message = watchedMessage(req);
  if (message?.reads === undefined) return work();
  const { reads } = message;
  message.reads = undefined;
  try {
    return work();
  } finally {
    message.reads = reads;
  }
};

/**
 * Replaces a message's headers and its socket's address by stand-ins that report each read. Headers are replaced by
 * assignment, which Node.js allows: defined properties would make the message a slow object, many times as expensive.
 *
 * @returns puts the headers back and ends the reports.
 */
const showWatched = (req: IncomingMessage, message: WatchedMessage): (() => void) => {
  const { headers, rawHeaders } = req;
  const shown = { headers: watchedValues(headers, message), rawHeaders: watchedValues(rawHeaders, message) };
  Object.assign(req, shown);
  const others = watchSocket(req.socket);
  others.add(message);
  return () => {
    others.delete(message);
    // Other code may have replaced them meanwhile.
    if (req.headers === shown.headers) req.headers = headers;
    if (req.rawHeaders === shown.rawHeaders) req.rawHeaders = rawHeaders;
  };
};

const REMOTE = ['remoteAddress', 'remoteFamily', 'remotePort'] as const;

const watchSocket = (socket: Socket): Set<WatchedMessage> => {
  const known = onSocket.get(socket);
  if (known !== undefined) return known;
  const answered = new Set<WatchedMessage>();
  onSocket.set(socket, answered);
  const prototype = Object.getPrototypeOf(socket) as object;
  for (const name of REMOTE) {
    if (Object.hasOwn(socket, name)) continue;
    Object.defineProperty(socket, name, {
      configurable: true,
      get: () => {
        for (const { reads } of answered) reads?.add(REMOTE_ADDRESS);
        return Reflect.get(prototype, name, socket) as unknown;
      },
    });
  }
  return answered;
};

const watchedApplications = new WeakSet<object>();

/**
 * Keeps what Koa reads of a request for its own purposes from being noted. This is the whole list, each with what stands
 * behind it; every other getter is noted by the headers that it reads.
 *
 * - `ip` and `ips` read the socket and `X-Forwarded-For`: each read is noted as one of the address.
 * - `cookies` reads `X-Forwarded-Proto` where Koa trusts a proxy, to know whether secure cookies may be set: noted as
 *   soon as anybody asks that.
 * - `redirect` reads `Accept` for the note in the body: all that a caller can choose is one of two texts which say the
 *   same (documented in docs/http.md).
 */
const watchKoa = (app: Context['app']): void => {
  if (watchedApplications.has(app)) return;
  watchedApplications.add(app);
  const { request, response, context } = app;
  // Koa memoises `ip`, so a later read does not reach the socket. Each read of `ip` or `ips` is noted here instead.
  for (const name of ['ip', 'ips']) wrapGetter(request, name, (req) => note(req, REMOTE_ADDRESS));
  wrapGetter(
    context,
    'cookies',
    () => undefined,
    (req, cookies) => void (app.proxy && noteSecure(req, cookies as Context['cookies'])),
  );
  const { redirect } = response;
  // Koa reads `Accept` for the note that it puts into the body of a redirect, in HTML if the caller accepts that. The
  // note is for people whose browser does not follow (RFC 9110, section 15.4), so the response does not depend on the
  // caller.
  response.redirect = function (this: Context['response'], url: string, alternative?: string): void {
    const send = (): void => redirect.call(this, url, alternative);
    // `back` goes to the client's `Referer`, so this read is noted.
    if (url === 'back') send();
    else unnoticed(this.req, send);
  };
};

const note = (req: IncomingMessage, name: ReadName): void => void watchedMessage(req)?.reads?.add(name);

/** `set` reads this property as well, and throws if a secure cookie cannot be set. */
const noteSecure = (req: IncomingMessage, cookies: Context['cookies']): void => {
  const own = Object.getOwnPropertyDescriptor(cookies, 'secure');
  // Known already, or an object of the application's own.
  if (own?.configurable !== true || own.get !== undefined) return;
  let secure = own.value as boolean;
  Object.defineProperty(cookies, 'secure', {
    configurable: true,
    enumerable: true,
    get: () => {
      note(req, 'x-forwarded-proto');
      return secure;
    },
    set: (value: boolean) => (secure = value),
  });
};

const wrapGetter = (
  prototype: object,
  name: string,
  before: (req: IncomingMessage) => void,
  after: (req: IncomingMessage, value: unknown) => void = () => undefined,
): void =>
  void wrapAccessor(prototype, name, ({ get, set }) => ({
    get(this: { req: IncomingMessage }): unknown {
      const { req } = this;
      before(req);
      const value = unnoticed(req, () => get.call(this) as unknown);
      after(req, value);
      return value;
    },
    set,
  }));
