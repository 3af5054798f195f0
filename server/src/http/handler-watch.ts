import type { Context } from 'koa';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Reason } from '../cache/response-cache';
import { noteReads, type ReadName } from './request-reads';
import {
  asText,
  type Compressing,
  fieldNames,
  type HeaderChange,
  responseHeader,
  type RouteHeaders,
  watchHeaders,
} from './response-headers';
import { watchSession } from './session-use';

/** What a handler has done while it was watched. */
export interface Seen {
  /** What it has done to response headers. */
  readonly headers: RouteHeaders;
  /** What it has read of the request. */
  readonly reads: ReadonlySet<ReadName>;
  /** Each of these is the reason not to store its response, if there is one: it has used the session, … */
  readonly session: Reason | undefined;
  /** … it has replaced a method of the response, … */
  readonly replacedMethods: Reason | undefined;
  /** … or its client has left, and it may have stopped half way. */
  readonly clientLeft: Reason | undefined;
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
  /** How many of its lines a middleware in front had set. */
  readonly linesInFront: number;
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
  readonly #usedSession: () => Reason | undefined;
  readonly #endReads: () => void;
  readonly #endSocket: () => void;
  readonly #endHeaders: () => void;
  readonly #wishInFront: unknown;
  readonly #varyInFront: string;
  /** What the handler has done to headers, by lower-case name. */
  readonly #touched = new Map<string, Touch>();
  /** Whether Koa's `append` is running, which reads a header and sets the whole of it again. */
  #isAppending = false;
  readonly #appendBefore: Response['append'];
  readonly #append: Response['append'];
  readonly #methodsBefore: Readonly<Record<'res' | 'response', Methods>>;
  #listensForLeaving = false;

  constructor(ctx: Context) {
    const { req, res, response, socket } = ctx;
    this.#ctx = ctx;
    // Before the request is watched: it is slower then.
    for (const emitter of [req, res]) emitter.on('newListener', this.#noteListener);
    this.#endSocket = onSocketListener(socket, this.#noteListener);
    this.#usedSession = watchSession(ctx);
    this.#wishInFront = (ctx as Compressing).compress;
    this.#varyInFront = responseHeader(ctx, 'Vary');
    this.#endHeaders = watchHeaders(res, (change, name) => this.#touch(change, name));
    this.#appendBefore = response.append;
    this.#append = this.#watchAppend(response);
    this.#endReads = noteReads(ctx, this.#reads);
    this.#methodsBefore = { res: ownMethods(res), response: ownMethods(response) };
  }

  /** Discards what was read so far. */
  forgetReads(): void {
    this.#reads.clear();
  }

  /** Whether a response header was set so far, whatever its value. `name` is in lower case. */
  hasSet(name: string): boolean {
    return this.#touched.has(name);
  }

  /** Ends the watch. Whatever was patched for it is as it was before. */
  end(): Seen {
    const { req, res, response } = this.#ctx;
    this.#endReads();
    for (const emitter of [req, res]) emitter.off('newListener', this.#noteListener);
    this.#endSocket();
    const replacedMethods = this.#replacedMethod();
    this.#endHeaders();
    // Assigned, because to delete it would make the response a slow object.
    if (response.append === this.#append) response.append = this.#appendBefore;
    return {
      headers: this.#headersOfRoute(),
      reads: this.#reads,
      session: this.#usedSession(),
      replacedMethods,
      clientLeft: this.#listensForLeaving && res.destroyed ? GONE : undefined,
    };
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
      linesInFront: linesOf(this.#ctx.res.getHeader(name)).length,
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
      const isReplaced = name === 'vary' && !asText(lines).startsWith(this.#varyInFront);
      if (lines.length === 0 || isReplaced) removed.push(name);
      if (isAppended) appended.push(name);
      for (const line of lines.slice(isAppended ? linesInFront : 0)) headers.push([spelled, line]);
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

  readonly #noteListener = (event: string | symbol): void => {
    this.#listensForLeaving ||= event === 'close' || event === 'aborted';
  };
}

type NoteListener = (event: string | symbol) => void;

const watchedSockets = new WeakMap<Socket, Set<NoteListener>>();

/**
 * Calls `note` with each listener that is added to a connection. It has one listener for all its requests, until it
 * ends: clients may send many requests at once, and Node.js warns of more than ten listeners.
 *
 * @returns ends the calls.
 */
const onSocketListener = (socket: Socket, note: NoteListener): (() => void) => {
  const notes = watchedSockets.get(socket) ?? listenTo(socket);
  notes.add(note);
  return () => void notes.delete(note);
};

const listenTo = (socket: Socket): Set<NoteListener> => {
  const notes = new Set<NoteListener>();
  watchedSockets.set(socket, notes);
  socket.on('newListener', (event: string | symbol) => notes.forEach((each) => each(event)));
  return notes;
};

const GONE: Reason = {
  code: 'client-left',
  detail: 'its client has left, and the handler listens for that',
  isPassing: true,
};

/**
 * The object's own methods and getters that hide inherited ones, except those for listeners, which change nothing. What
 * instrumentation replaces on prototypes acts on hits as well, and does not count.
 */
const ownMethods = (target: object): Methods => {
  let methods: Map<string, unknown> | undefined;
  for (const name of inheritedNames(Object.getPrototypeOf(target) as object)) {
    // Most often there is none, and to list the object's own names would take twice as long.
    if (!Object.hasOwn(target, name)) continue;
    const property = Object.getOwnPropertyDescriptor(target, name);
    const method: unknown = property?.get ?? property?.value;
    if (typeof method === 'function') (methods ??= new Map<string, unknown>()).set(name, method);
  }
  return methods ?? NO_METHODS;
};

const NO_METHODS: Methods = new Map();

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
