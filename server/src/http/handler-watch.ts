import type { Context } from 'koa';
import { EventEmitter } from 'node:events';
import type { Reason } from '../cache/response-cache';
import { exchangeOf } from './exchange';
import { noteReads, type ReadName, SESSION } from './request-reads';
import {
  asText,
  type Compressing,
  fieldNames,
  type HeaderChange,
  responseHeader,
  type RouteHeaders,
  watchHeaders,
} from './response-headers';

/** What a handler has done while it was watched. */
export interface Seen {
  /** What it has done to response headers. */
  readonly headers: RouteHeaders;
  /** What it has read of the request. */
  readonly reads: ReadonlySet<ReadName>;
  /** The reason not to store its response, if there is one. */
  readonly unstorable: Reason | undefined;
}

/** Set anew for each response, or about one connection only (RFC 9111, section 3.1; RFC 9110, section 7.6.1). */
const NEVER_KEPT: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'keep-alive', 'te', 'transfer-encoding', 'upgrade'],
  ...['proxy-authenticate', 'proxy-authentication-info', 'proxy-connection'],
]);

const linesOf = (value: number | string | string[] | undefined): string[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(String);

/** What the route has done to one header. */
interface Touch {
  /** The name as it was spelled last. */
  readonly spelled: string;
  /** The lines that a middleware in front had set. */
  readonly linesInFront: readonly string[];
  /** Whether the route has only appended to it. */
  readonly isAppended: boolean;
}

type Methods = ReadonlyMap<string, unknown>;

type Response = Context['response'];

/**
 * Watches a handler from the moment it is made until it is ended: what the handler reads of the request, what it does to
 * response headers, and what makes its response one that must not be stored.
 */
export class HandlerWatch {
  readonly #ctx: Context;
  readonly #reads = new Set<ReadName>();
  readonly #endReads: () => void;
  readonly #endHeaders: () => void;
  readonly #wishInFront: unknown;
  /** What the handler has done to headers, by lower-case name. */
  readonly #touched = new Map<string, Touch>();
  /** Whether Koa's `append` is running, which reads a header and sets the whole of it again. */
  #isAppending = false;
  readonly #appendBefore: Response['append'];
  readonly #append: Response['append'];
  readonly #methodsBefore: Readonly<Record<'res' | 'response', Methods>>;
  readonly #listenersBefore: number;

  constructor(ctx: Context) {
    const { res, response } = ctx;
    this.#ctx = ctx;
    // Before the request is watched: it is slower then.
    this.#listenersBefore = listenersForLeaving(ctx);
    this.#wishInFront = (ctx as Compressing).compress;
    this.#endHeaders = watchHeaders(res, (change, name) => this.#touch(change, name));
    this.#appendBefore = response.append;
    this.#append = this.#watchAppend(response);
    this.#endReads = noteReads(ctx, this.#reads);
    this.#methodsBefore = { res: ownMethods(res), response: ownMethods(response) };
  }

  /** Discards which headers were read so far. */
  forgetReads(): void {
    for (const name of this.#reads) if (name !== SESSION) this.#reads.delete(name);
  }

  /** Whether a response header was set so far, whatever its value. `name` is in lower case. */
  hasSet(name: string): boolean {
    return this.#touched.has(name);
  }

  /** Ends the watch. Whatever was patched for it is as it was before. */
  end(): Seen {
    const { response } = this.#ctx;
    this.#endReads();
    const unstorable =
      this.#replacedMethod() ??
      (this.#mayHaveStopped() ? GONE : undefined) ??
      (this.#reads.has(SESSION) ? OF_SESSION : undefined);
    this.#endHeaders();
    // Assigned, because to delete it would make the response a slow object.
    if (response.append === this.#append) response.append = this.#appendBefore;
    return { headers: this.#headersOfRoute(), reads: this.#reads, unstorable };
  }

  /**
   * Whether the client has left, and the handler may have stopped half way. It may look for that now and then
   * (`ctx.res.destroyed`), or at a signal that code in front has made. Strapi's own handlers do neither.
   */
  #mayHaveStopped(): boolean {
    const { req, res } = this.#ctx;
    // A response that waits for its turn on the connection does not learn of its end.
    if (!res.destroyed && !req.socket.destroyed) return false;
    const isByStrapi = exchangeOf(this.#ctx).recording?.isByStrapi === true;
    return !isByStrapi || listenersForLeaving(this.#ctx) !== this.#listenersBefore;
  }

  #watchAppend(response: Response): Response['append'] {
    const append = this.#appendBefore;
    return (response.append = (field, value) => {
      this.#isAppending = true;
      try {
        append.call(response, field, value);
      } finally {
        this.#isAppending = false;
      }
    });
  }

  #touch(change: HeaderChange, spelled: string): void {
    const name = spelled.toLowerCase();
    const { linesInFront, isAppended } = this.#touched.get(name) ?? {
      linesInFront: linesOf(this.#ctx.res.getHeader(name)),
      isAppended: name !== 'vary',
    };
    const appends = change === 'appendHeader' || this.#isAppending;
    this.#touched.set(name, { spelled, linesInFront, isAppended: isAppended && appends });
  }

  /**
   * A header that the route sets is captured even if a middleware in front has set the same value, because on a later
   * request the middleware may set another. For the same reason, if the route appends to a header, only the appended
   * lines are captured.
   */
  #headersOfRoute(): RouteHeaders {
    const { res } = this.#ctx;
    const headers: Array<readonly [string, string]> = [];
    const removed: string[] = [];
    const appended: string[] = [];
    const connection = this.#touched.has('connection') ? responseHeader(this.#ctx, 'Connection') : '';
    const ofConnection = new Set(fieldNames(connection));
    for (const [name, { spelled, linesInFront, isAppended }] of this.#touched) {
      if (NEVER_KEPT.has(name) || ofConnection.has(name)) continue;
      const lines = linesOf(res.getHeader(name));
      // If the former value of `Vary` is still at the beginning, the route has only added fields.
      const isReplaced = name === 'vary' && !asText(lines).startsWith(asText(linesInFront));
      if (lines.length === 0 || isReplaced) removed.push(name);
      if (isAppended) appended.push(name);
      for (const line of lines.slice(isAppended ? linesInFront.length : 0)) headers.push([spelled, line]);
    }
    const { compress } = this.#ctx as Compressing;
    return {
      headers,
      removed,
      ...(appended.length > 0 ? { appended } : {}),
      ...(typeof compress === 'boolean' && compress !== this.#wishInFront ? { compress } : {}),
    };
  }

  /** Names the first method that was replaced, as `on-headers` does with `writeHead`: such a response is not final. */
  #replacedMethod(): Reason | undefined {
    for (const name of ['res', 'response'] as const) {
      const before = this.#methodsBefore[name];
      for (const [method, is] of ownMethods(this.#ctx[name]))
        if (before.get(method) !== is)
          return {
            code: 'hooks',
            detail: `replaces ${name}.${method}, so its answer is not final`,
            about: `${name}.${method}`,
          };
    }
    return undefined;
  }
}

/** By request, response or connection: how many listeners for the client's leaving it was given since it is counted. */
const counted = new WeakMap<EventEmitter, number>();

const listenersForLeaving = ({ req, res, socket }: Context): number =>
  [req, res, socket].reduce((sum, emitter) => sum + (counted.get(emitter) ?? beginCounting(emitter)), 0);

/** Counts until the emitter ends. Clients may send many requests at once, and a connection has one counter for all. */
const beginCounting = (emitter: EventEmitter): 0 => {
  counted.set(emitter, 0);
  emitter.on('newListener', (event: string | symbol) => {
    if (event === 'close' || event === 'aborted') counted.set(emitter, (counted.get(emitter) ?? 0) + 1);
  });
  return 0;
};

const OF_SESSION: Reason = { code: 'session', detail: 'session' };

const GONE: Reason = {
  code: 'client-left',
  detail: 'its client has left, which its handler may have noticed',
  isPassing: true,
};

/**
 * The object's own methods and getters that hide inherited ones, except those for listeners, which change nothing. What
 * instrumentation replaces on prototypes acts on hits as well, and does not count.
 */
const ownMethods = (target: object): Methods => {
  const methods = new Map<string, unknown>();
  for (const name of inheritedNames(Object.getPrototypeOf(target) as object)) {
    // Most often there is none, and to list the object's own names would take twice as long.
    if (!Object.hasOwn(target, name)) continue;
    const property = Object.getOwnPropertyDescriptor(target, name);
    const method: unknown = property?.get ?? property?.value;
    if (typeof method === 'function') methods.set(name, method);
  }
  return methods;
};

const namesByPrototype = new WeakMap<object, readonly string[]>();

const inheritedNames = (prototype: object): readonly string[] => {
  const known = namesByPrototype.get(prototype);
  if (known !== undefined) return known;
  const names = new Set<string>();
  for (let holder: object | null = prototype; holder !== null; holder = Object.getPrototypeOf(holder) as object | null)
    for (const name of Object.getOwnPropertyNames(holder)) if (!(name in EventEmitter.prototype)) names.add(name);
  const made = [...names];
  namesByPrototype.set(prototype, made);
  return made;
};
