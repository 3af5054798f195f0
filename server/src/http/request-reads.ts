import type { Context } from 'koa';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { isHttp2 } from './request-message';
import { wrapAccessor } from './wrap-accessor';
import { letStandInsBeCloned, watchedValues, type Watcher } from './watched-values';

/** Names of what was read of a request: headers in lower case, or one of these. */
export type ReadName = string;

/** All headers were listed. */
export const ALL_HEADERS: ReadName = '*';
/** The address the request came from, or that a proxy says it came from. */
export const REMOTE_ADDRESS: ReadName = 'remote-address';

class WatchedMessage implements Watcher {
  /** Where reads are noted now; `undefined` while nobody wants to know. */
  reads: Set<ReadName> | undefined;

  note(name: string | symbol, values: object): void {
    // Node.js spells names in lower case, so any other (`toJSON`) finds nothing; nor are an object's own methods headers.
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

/** Where one has been watched. By assignment: that leaves the message as fast as it was. */
const watchedMessage = (req: IncomingMessage): WatchedMessage | undefined =>
  (req as IncomingMessage & { [WATCHED]?: WatchedMessage })[WATCHED];

/** What is being answered on a connection: one request, but for pipelining. */
const onSocket = new WeakMap<Socket, Set<WatchedMessage>>();

/**
 * Notes into `reads` what the code that runs from here on reads of the request and another request with the same key may
 * have otherwise: headers, in whatever way, and the caller's address.
 *
 * @returns ends it; whoever still holds the headers then reads them unnoticed.
 */
export const noteReads = (ctx: Context, reads: Set<ReadName>): (() => void) => {
  const { req } = ctx;
  // Bypasses the cache, and takes nothing in the place of its headers.
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

/** What Koa has made of headers that were read before. */
const forgetMemos = ({ request }: Context): void => {
  const memos = request as unknown as { _accept: unknown; memoizedURL: unknown };
  if (memos._accept !== undefined) memos._accept = undefined;
  if (memos.memoizedURL !== undefined) memos.memoizedURL = undefined;
};

/** Runs Koa's own code unnoticed. */
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
 * Puts what tells of its reading in the place of a message's headers and of the address. By assignment wherever Node.js
 * takes one: properties of its own would make the message a slow object, at many times the price.
 *
 * @returns puts everything back.
 */
const showWatched = (req: IncomingMessage, message: WatchedMessage): (() => void) => {
  const { headers, rawHeaders } = req;
  const shown = {
    headers: watchedValues(headers, false, message),
    rawHeaders: watchedValues(rawHeaders, true, message),
    headersDistinct: watchedValues(() => distinctHeaders(req), false, message),
  };
  Object.assign(req, shown);
  const others = watchSocket(req.socket);
  others.add(message);
  return () => {
    others.delete(message);
    // Somebody may have put something else there.
    if (req.headers === shown.headers) req.headers = headers;
    if (req.rawHeaders === shown.rawHeaders) req.rawHeaders = rawHeaders;
    if (req.headersDistinct === shown.headersDistinct) Reflect.set(req, 'headersDistinct', undefined);
  };
};

/** Node.js makes them of the raw headers when they are first asked for. */
const distinctHeaders = (req: IncomingMessage): object =>
  unnoticed(req, () => {
    const { headersDistinct: shown } = req;
    Reflect.set(req, 'headersDistinct', undefined);
    const { headersDistinct: made } = req;
    Reflect.set(req, 'headersDistinct', shown);
    return made;
  });

const REMOTE = ['remoteAddress', 'remotePort'] as const;

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

/** What Koa itself reads of a request, for purposes of its own. */
const watchKoa = (app: Context['app']): void => {
  if (watchedApplications.has(app)) return;
  watchedApplications.add(app);
  const { request, response, context } = app;
  // It keeps the address that it has found.
  for (const name of ['ip', 'ips'])
    wrapGetter(request, name, (req) => void watchedMessage(req)?.reads?.add(REMOTE_ADDRESS));
  // Whether the client has the answer already, by headers made for that.
  wrapGetter(request, 'fresh');
  // Where it trusts a proxy, it asks `X-Forwarded-Proto` for whoever looks at a cookie: whether one may be set, which an
  // answer that is stored does not do.
  wrapGetter(context, 'cookies');
  const { redirect } = response;
  // The note that Koa leaves with a redirect is in HTML for those who accept that. It is for people whose browser does
  // not follow (RFC 9110, section 15.4), so it does not make an answer depend on who asks.
  response.redirect = function (this: Context['response'], url: string, alternative?: string): void {
    const send = (): void => redirect.call(this, url, alternative);
    // Back to where the client says it comes from.
    if (url === 'back') send();
    else unnoticed(this.req, send);
  };
};

const wrapGetter = (prototype: object, name: string, before?: (req: IncomingMessage) => void): void =>
  void wrapAccessor(prototype, name, ({ get, set }) => ({
    get(this: { req: IncomingMessage }): unknown {
      before?.(this.req);
      return unnoticed(this.req, () => get.call(this) as unknown);
    },
    set,
  }));
