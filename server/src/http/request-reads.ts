import type { Context } from 'koa';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { inspect } from 'node:util';
import { isHttp2 } from './request-message';
import { type Reader, StandIn } from './stand-in';
import { wrapAccessor } from './wrap-accessor';

/** What was read of a request: the lower-case name of a header, or one of the constants below. */
export type ReadName = string;

/** All headers were listed. */
export const ALL_HEADERS: ReadName = '*';
/** The address the request came from. */
export const REMOTE_ADDRESS: ReadName = 'remote-address';
/** The session was read or set. No header has this name. */
export const SESSION: ReadName = ':session';

/** Code that runs for a request. */
interface Watch {
  /** What has been read since it began. */
  readonly reads: Set<ReadName>;
  /** Whether these are authentication strategies. */
  readonly ofStrategies: boolean;
}

/** A request of which reads are noted, as long as any code is watched. */
class WatchedRequest implements Reader {
  isUnnoticed = false;
  /** The latest comes last. Any of them may end first: resolvers may authenticate the caller at the same time. */
  readonly #watches = new Set<Watch>();
  readonly #message: WatchedMessage;
  /** The prototype that the message has while it is not watched. */
  readonly #prototype: object;
  #isShown = false;
  #headers: StandIn<IncomingHttpHeaders> | undefined;
  #rawHeaders: { readonly shown: string[]; readonly own: string[] } | undefined;

  constructor(message: WatchedMessage) {
    this.#message = message;
    this.#prototype = Object.getPrototypeOf(message) as object;
  }

  begin(watch: Watch): void {
    this.#watches.add(watch);
    if (this.#watches.size === 1) this.#show();
  }

  end(watch: Watch): void {
    if (this.#watches.size === 1) this.#hide();
    this.#watches.delete(watch);
  }

  /** Code around that which reads has read the same. */
  note(name: ReadName): void {
    if (!this.isUnnoticed) for (const { reads } of this.#watches) reads.add(name);
  }

  /**
   * Shows stand-ins in the place of the headers. Node.js keeps these behind an accessor of a prototype, so the message
   * is given another prototype: an accessor of its own would make it a slow object, many times as expensive.
   */
  #show(): void {
    const message = this.#message;
    this.#isShown = true;
    this.#rawHeaders ??= { own: message.rawHeaders, shown: heardAtItsEnds(message.rawHeaders, this) };
    message.rawHeaders = this.#rawHeaders.shown;
    if (this.#headers?.isCurrent === false) this.#headers = undefined;
    const watched = watchedPrototype(this.#prototype);
    if (Object.getPrototypeOf(message) !== watched) Object.setPrototypeOf(message, watched);
    // An object that only looks like a message of Node.js has headers of its own, which cannot be watched.
    if (Object.hasOwn(message, 'headers')) this.readAll();
  }

  /** The prototype stays, and shows the headers themselves: what was watched once may be watched again. */
  #hide(): void {
    const message = this.#message;
    this.#isShown = false;
    this.#headers?.end();
    if (message.rawHeaders === this.#rawHeaders?.shown) message.rawHeaders = this.#rawHeaders.own;
  }

  /** Gives the message its own prototype again. */
  leave(): void {
    const message = this.#message;
    Object.setPrototypeOf(message, this.#prototype);
  }

  get headers(): IncomingHttpHeaders {
    const headers = Reflect.get(this.#prototype, 'headers', this.#message) as IncomingHttpHeaders;
    if (!this.#isShown) return headers;
    this.#headers ??= new StandIn(headers, this);
    // Strapi's own strategies look whether there are headers before they read one.
    return this.#headers.take(!this.isUnnoticed, [...this.#watches].at(-1)?.ofStrategies);
  }

  set headers(headers: IncomingHttpHeaders) {
    if (this.#headers?.is(headers) === true) return;
    this.#headers = undefined;
    Reflect.set(this.#prototype, 'headers', headers, this.#message);
  }

  read(name: string): void {
    // Node.js spells header names in lower case, so any other name (`toJSON`) is no header. Koa reads both spellings
    // of the referrer.
    if (name === name.toLowerCase()) this.note(name === 'referrer' ? 'referer' : name);
  }

  readAll(): void {
    this.note(ALL_HEADERS);
  }

  /** Old code looks for the headers before it reads one: `header && header.host`. It does not get worse for it. */
  mayHaveAskedFor(names: readonly string[]): void {
    for (const name of names) if (!SENT_BY_ITSELF.test(name)) this.read(name);
  }
}

/** Headers that browsers, HTTP clients and proxies send by themselves. */
const SENT_BY_ITSELF =
  /^(?:accept(?:-.+)?|authorization|cache-control|cdn-.+|cf-.+|connection|content-.+|cookie|dnt|fastly-.+|fly-.+|forwarded|from|host|if-.+|keep-alive|origin|pragma|priority|purpose|range|referer|sec-.+|te|traceparent|tracestate|transfer-encoding|upgrade(?:-.+)?|user-agent|via|x-amz.+|x-b3-.+|x-client-ip|x-correlation-id|x-forwarded-.+|x-original-.+|x-real-ip|x-request-.+|x-requested-with|x-vercel-.+)$/;

const WATCHED = Symbol('rest-cache watched');

type WatchedMessage = IncomingMessage & { [WATCHED]?: WatchedRequest };

const watchedRequest = (req: IncomingMessage): WatchedRequest | undefined => (req as WatchedMessage)[WATCHED];

/** Notes a read, if this is a request that is watched now. */
const note = (req: IncomingMessage, name: ReadName): void => watchedRequest(req)?.note(name);

/** By the prototype of messages, that of watched ones. */
const watchedPrototypes = new WeakMap<object, object>();

const watchedPrototype = (prototype: object): object => {
  let made = watchedPrototypes.get(prototype);
  if (made === undefined) {
    made = Object.create(prototype, {
      headers: {
        configurable: true,
        get(this: WatchedMessage): unknown {
          return this[WATCHED]?.headers;
        },
        set(this: WatchedMessage, headers: IncomingHttpHeaders) {
          if (this[WATCHED] !== undefined) this[WATCHED].headers = headers;
        },
      },
      // An old name of the socket, read for the address.
      connection: {
        configurable: true,
        get(this: WatchedMessage): unknown {
          note(this, REMOTE_ADDRESS);
          return this.socket;
        },
      },
      headersDistinct: {
        configurable: true,
        get(this: WatchedMessage): unknown {
          this[WATCHED]?.readAll();
          return Reflect.get(prototype, 'headersDistinct', this) as unknown;
        },
      },
    }) as object;
    watchedPrototypes.set(prototype, made);
  }
  return made;
};

/** A copy of a list that reports when its first or last element is read: so does all that goes through the list. */
const heardAtItsEnds = (list: readonly string[], reader: Reader): string[] => {
  const shown = [...list];
  Object.defineProperty(shown, inspect.custom, INSPECTED);
  if (list.length > 0) report(shown, 0, reader);
  if (list.length > 1) report(shown, list.length - 1, reader);
  return shown;
};

const report = (shown: string[], index: number, reader: Reader): void => {
  let value = shown[index];
  Object.defineProperty(shown, index, {
    configurable: true,
    enumerable: true,
    get: () => {
      reader.readAll();
      return value;
    },
    set: (other: string) => (value = other),
  });
};

/** Printed as its elements, not as accessors. One for all lists, because it is made for each request. */
const INSPECTED: PropertyDescriptor = {
  configurable: true,
  value(this: readonly string[]) {
    return [...this];
  },
};

/**
 * Notes into `reads` what the code that runs from now on reads of the request, as far as another request with the same
 * key may differ in it: headers, the session, and the caller's address as Koa tells it. What goes unnoticed is listed
 * in docs/http.md. Code around it that is watched as well has then read the same.
 *
 * @param ofStrategies whether authentication strategies run.
 * @returns ends it. Code that still holds the headers then reads them unnoticed.
 */
export const noteReads = (ctx: Context, reads: Set<ReadName>, ofStrategies = false): (() => void) => {
  const req: WatchedMessage = ctx.req;
  // An HTTP/2 request bypasses the cache, and its headers cannot be replaced.
  if (isHttp2(req)) return () => undefined;
  watchKoa(ctx.app);
  // If the session cannot be watched, it cannot be proven unused.
  if (!watchSession(ctx.app)) reads.add(SESSION);
  // Koa asks whether the connection is secure once, when it makes this object.
  void ctx.cookies;
  const watched = (req[WATCHED] ??= new WatchedRequest(req));
  const watch: Watch = { reads, ofStrategies };
  watched.begin(watch);
  forgetMemos(ctx);
  return () => {
    watched.end(watch);
    forgetMemos(ctx);
  };
};

/** Ends all watching of a request. */
export const leaveUnwatched = ({ req }: Context): void => watchedRequest(req)?.leave();

/** Clears what Koa has memoised of headers, so that it reads them again. */
const forgetMemos = ({ request }: Context): void => {
  const memos = request as { _accept?: unknown; memoizedURL?: unknown };
  // Only what is there: authentication is repeated where it has left no new properties.
  if (memos._accept !== undefined) memos._accept = undefined;
  if (memos.memoizedURL !== undefined) memos.memoizedURL = undefined;
};

/** Runs code that is not the application's without noting what it reads. */
export const unnoticed = <T>(req: IncomingMessage, work: () => T): T => {
  const watched = watchedRequest(req);
  if (watched === undefined || watched.isUnnoticed) return work();
  watched.isUnnoticed = true;
  try {
    return work();
  } finally {
    watched.isUnnoticed = false;
  }
};

const watchedPrototypesOfKoa = new WeakSet<object>();

/**
 * Keeps what Koa reads of a request for its own purposes from being noted. This is the whole list, each with what stands
 * behind it; every other getter is noted by the headers that it reads.
 *
 * - `ip` reads the socket and `X-Forwarded-For`, once for each request: noted as a read of the address.
 * - `cookies` reads `X-Forwarded-Proto` where Koa trusts a proxy, to know whether secure cookies may be set. A response
 *   with a cookie is not stored.
 * - `accept` is made with the headers at hand, of which it reads nothing until it is asked for something: heard then.
 * - `redirect` reads `Accept` for the note in the body: all that a caller can choose is one of two texts which say the
 *   same (documented in docs/http.md).
 */
const watchKoa = ({ request, response }: Context['app']): void => {
  // Each request of the plugin's own has an application of its own, which inherits these.
  if (watchedPrototypesOfKoa.has(response)) return;
  watchedPrototypesOfKoa.add(response);
  wrapAccessor(request, 'ip', ({ get, set }) => ({
    get(this: Context['request']): unknown {
      const { req } = this;
      note(req, REMOTE_ADDRESS);
      return unnoticed(req, () => get.call(this) as unknown);
    },
    set,
  }));
  wrapAccessor(request, 'accept', ({ get, set }) => ({
    get(this: Context['request']): unknown {
      return unnoticed(this.req, () => get.call(this) as unknown);
    },
    set,
  }));
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

/**
 * The session's cookie is set after the route, when the session is committed: too late to keep a response that holds the
 * user's secrets from being stored. So it is noted who uses the session.
 *
 * @returns whether that is possible.
 */
const watchSession = ({ context }: Context['app']): boolean =>
  // koa-session defines the getter here; without it there are no sessions.
  Object.getOwnPropertyDescriptor(context, 'session')?.get === undefined ||
  wrapAccessor(context, 'session', ({ get, set }) => ({
    get(this: Context): unknown {
      noteSession(this);
      return get.call(this);
    },
    set(this: Context, value: unknown) {
      noteSession(this);
      set?.call(this, value);
    },
  }));

/** Some code reads the accessors of the prototype of all contexts, which has no request. */
const noteSession = ({ req }: Partial<Context>): void => {
  if (req !== undefined) note(req, SESSION);
};
