import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Context } from 'koa';

/** Names of what was read of a request: headers in lower case, or one of these. */
export type ReadName = string;

/** All headers were listed. */
export const ALL_HEADERS: ReadName = '*';
/** The address the request came from, or that a proxy says it came from. */
export const REMOTE_ADDRESS: ReadName = 'remote-address';

/** A request whose headers can be watched, for as long as it lives. */
interface WatchedMessage {
  /** Where reads are noted now; `undefined` while nobody wants to know. */
  reads: Set<ReadName> | undefined;
}

const messages = new WeakMap<IncomingMessage, WatchedMessage>();
/** What is being answered on a connection: one request, but for pipelining. */
const onSocket = new WeakMap<Socket, Set<WatchedMessage>>();

/** Runs the handler, and tells what it has read of the request; see {@link noteReads}. */
export const readsDuring = async (ctx: Context, work: () => Promise<unknown>): Promise<ReadonlySet<ReadName>> => {
  const reads = new Set<ReadName>();
  const end = noteReads(ctx, reads);
  try {
    await work();
  } finally {
    end();
  }
  return reads;
};

/**
 * Notes into `reads` what the code that runs from here on reads of the request and another request with the same key may
 * have otherwise: headers, in whatever way, and the caller's address.
 *
 * @returns ends it; whoever still holds the headers then reads them unnoticed.
 */
export const noteReads = (ctx: Context, reads: Set<ReadName>): (() => void) => {
  watchRequestObject(ctx.app.request);
  const message = messages.get(ctx.req) ?? watchMessage(ctx);
  const before = message.reads;
  message.reads = reads;
  // What Koa has made of headers that were read before.
  forgetMemos(ctx);
  const others = isHttp2(ctx.req) ? undefined : watchSocket(ctx.req.socket);
  others?.add(message);
  return () => {
    message.reads = before;
    if (before === undefined) others?.delete(message);
    forgetMemos(ctx);
  };
};

const forgetMemos = ({ request }: Context): void => {
  const memos = request as unknown as { _accept: unknown; memoizedURL: unknown };
  memos._accept = undefined;
  memos.memoizedURL = undefined;
};

/** Runs Koa's own code unnoticed. */
const unnoticed = <T>(req: IncomingMessage, work: () => T): T => {
  const message = messages.get(req);
  if (message?.reads === undefined) return work();
  const { reads } = message;
  message.reads = undefined;
  try {
    return work();
  } finally {
    message.reads = reads;
  }
};

/** Puts accessors in the place of what a message tells of its headers; they stay, and outlive the watching plainly. */
const watchMessage = ({ req, res }: Context): WatchedMessage => {
  const message: WatchedMessage = { reads: undefined };
  messages.set(req, message);
  let { headers, rawHeaders } = req;
  let watched: typeof headers | undefined;
  Object.defineProperties(req, {
    headers: {
      configurable: true,
      enumerable: true,
      get: () => (message.reads === undefined ? headers : (watched ??= watchNames(message, headers))),
      set: (value: typeof headers) => {
        headers = value;
        watched = undefined;
      },
    },
    rawHeaders: {
      configurable: true,
      enumerable: true,
      get: () => {
        message.reads?.add(ALL_HEADERS);
        return rawHeaders;
      },
      set: (value: string[]) => {
        rawHeaders = value;
      },
    },
    headersDistinct: {
      configurable: true,
      enumerable: false,
      get: () => {
        // Made of the raw headers when it is first asked for.
        const distinct = unnoticed(
          req,
          // Not over HTTP/2.
          () => Reflect.get(Object.getPrototypeOf(req) as object, 'headersDistinct', req) as typeof headers | undefined,
        );
        return message.reads === undefined || distinct === undefined ? distinct : watchNames(message, distinct);
      },
    },
  });
  if (isHttp2(req)) watchHttp2(message, req, res);
  return message;
};

/** The same object, but that it tells which of its names were asked for, whether they are there or not. */
const watchNames = <T extends object>(message: WatchedMessage, values: T): T => {
  const note = (name: string | symbol): void => {
    // Node.js spells names in lower case, so any other (`toJSON`) finds nothing; nor are an object's own methods headers.
    if (typeof name !== 'string' || name !== name.toLowerCase()) return;
    if (name === ':authority') message.reads?.add('host');
    // Method and target, which every key holds.
    if (name.startsWith(':')) return;
    if (name in Object.prototype && !Object.hasOwn(values, name)) return;
    // Koa reads both where it is asked for either.
    message.reads?.add(name === 'referrer' ? 'referer' : name);
  };
  return new Proxy(values, {
    get: (target, name) => (note(name), Reflect.get(target, name) as unknown),
    has: (target, name) => (note(name), Reflect.has(target, name)),
    getOwnPropertyDescriptor: (target, name) => (note(name), Reflect.getOwnPropertyDescriptor(target, name)),
    ownKeys: (target) => (message.reads?.add(ALL_HEADERS), Reflect.ownKeys(target)),
  });
};

const isHttp2 = ({ httpVersionMajor }: IncomingMessage): boolean => httpVersionMajor >= 2;

/** HTTP/2's own ways to the host, the headers and the address. The sockets it shows are stand-ins, one for each request. */
const watchHttp2 = (message: WatchedMessage, ...[req, res]: [Context['req'], Context['res']]): void => {
  const wrap = (target: object, name: string, read: (value: unknown) => unknown): void => {
    const value: unknown = Reflect.get(target, name);
    Object.defineProperty(target, name, { configurable: true, get: () => read(value) });
  };
  const noting = (name: ReadName) => (value: unknown) => (message.reads?.add(name), value);
  const watched = (socket: unknown): unknown =>
    new Proxy(socket as object, {
      get: (target, name) => {
        if ((REMOTE as ReadonlyArray<string | symbol>).includes(name)) message.reads?.add(REMOTE_ADDRESS);
        return Reflect.get(target, name) as unknown;
      },
    });
  wrap(req, 'authority', noting('host'));
  wrap(req, 'stream', noting(ALL_HEADERS));
  for (const holder of [req, res])
    for (const name of ['socket', 'connection'])
      wrap(holder, name, (socket) => (message.reads === undefined ? socket : watched(socket)));
};

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

const watchedPrototypes = new WeakSet<object>();

/** Koa keeps the address it has found, and reads headers for purposes of its own. */
const watchRequestObject = (prototype: object): void => {
  if (watchedPrototypes.has(prototype)) return;
  watchedPrototypes.add(prototype);
  for (const name of ['ip', 'ips'])
    wrapGetter(prototype, name, (req) => void messages.get(req)?.reads?.add(REMOTE_ADDRESS));
  // Whether the client has the answer already, by headers made for that.
  wrapGetter(prototype, 'fresh', () => undefined);
};

const wrapGetter = (prototype: object, name: string, before: (req: IncomingMessage) => void): void => {
  let holder: object | null = prototype;
  while (holder !== null && !Object.hasOwn(holder, name)) holder = Object.getPrototypeOf(holder) as object | null;
  const found = holder === null ? undefined : Object.getOwnPropertyDescriptor(holder, name);
  const { get } = found ?? {};
  if (found === undefined || get === undefined || (holder === prototype && found.configurable !== true)) return;
  Object.defineProperty(prototype, name, {
    ...found,
    configurable: true,
    get(this: Context['request']): unknown {
      before(this.req);
      return unnoticed(this.req, () => get.call(this) as unknown);
    },
  });
};
