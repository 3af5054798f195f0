import { AsyncLocalStorage } from 'node:async_hooks';
import type { Guard } from '../cache/provider';
import type { Sequence } from '../cache/sequence';
import type { Tag } from '../cache/tag';

/** A read that authentication or authorisation made; most requests never ask what it depended on. */
export interface PermissionRead {
  readonly tables: readonly string[];
  readonly tags: () => readonly Tag[];
}

/**
 * What one request has read. Reads made by authentication and authorisation decide whether the caller may see the
 * answer; all others, wherever they are made, are content: the answer may be made of them.
 */
export class Recording {
  readonly content = new Set<Tag>();
  /** What of the content was read before the handler was asked: by policies and middlewares. */
  readonly early = new Set<Tag>();
  readonly permissionReads: PermissionRead[] = [];
  /** What authorisation has granted the handler, as it asked (`strapi.auth.verify`). */
  readonly granted = new Set<string>();
  /** Why the answer must not be kept, once something was seen that forbids it. */
  unstorable: string | undefined;
  /** The route's handler is making the answer. */
  makesAnswer = false;
  /** Whether the handler itself has read anything. */
  hasReadForAnswer = false;
  isOpen = true;
  /** How often anything but authentication has read so far. */
  contentReads = 0;
  #statements = 0;
  #whenQuiet: (() => void) | undefined;

  /**
   * @param isWriteRequest for requests that may change content: POST, PUT, PATCH, DELETE.
   * @param since a sequence number noted before the request read anything, where one was at hand.
   * @param namesTablesOnly for what is never cached: what it reads matters only to those that wait for it.
   * @param isNobodys for what no request under way has sent; whoever has begun it ends it.
   */
  constructor(
    readonly isWriteRequest: boolean,
    readonly since?: Sequence,
    readonly namesTablesOnly = false,
    readonly isNobodys = false,
  ) {}

  /**
   * The request is over: what is read from here on (by work left running behind it) no longer counts for it.
   *
   * @param whenQuiet called once all statements it has sent are answered, for others may wait for these; again for each
   * that was kept waiting and is sent later.
   */
  close(whenQuiet?: () => void): void {
    this.isOpen = false;
    this.#whenQuiet = whenQuiet;
    if (this.#statements === 0) whenQuiet?.();
  }

  /** A statement that reads content is sent. */
  beginRead(): void {
    this.#statements += 1;
    this.contentReads += 1;
  }

  /** It is answered, whatever the answer. */
  endRead(tags: readonly Tag[]): void {
    this.#noteContent(tags);
    this.#statements -= 1;
    if (this.#statements === 0) this.#whenQuiet?.();
  }

  /** Something the answer may be made of was read. */
  readContent(tags: readonly Tag[]): void {
    this.contentReads += 1;
    this.#noteContent(tags);
  }

  #noteContent(tags: readonly Tag[]): void {
    for (const name of tags) this.content.add(name);
    if (!this.isOpen || this.namesTablesOnly) return;
    if (this.makesAnswer) this.hasReadForAnswer = true;
    else for (const name of tags) this.early.add(name);
  }

  /** Authentication or authorisation has read something. */
  readPermission(read: PermissionRead): void {
    if (this.isOpen && !this.namesTablesOnly) this.permissionReads.push(read);
  }

  /** Everything that was read on the way to the handler: what decided whether the caller may see the answer. */
  verdict(): Tag[] {
    return [...new Set([...this.permissionReads.flatMap(({ tags }) => tags()), ...this.early])];
  }

  /** The same with the number noted before any of it was read; `undefined` where none was at hand. */
  guard(): Guard | undefined {
    return this.since === undefined ? undefined : { tags: this.verdict(), since: this.since };
  }

  forbidStoring(reason: string): void {
    this.unstorable ??= reason;
  }
}

/** Strapi's request context, as far as it is needed: leads from whatever runs for a request to its Koa context. */
export interface RequestContext {
  run(store: unknown, work: () => unknown): unknown;
  get(): unknown;
}

/** Where the current code runs. */
interface Place {
  readonly recording: Recording;
  /** Within authentication or authorisation. */
  readonly authenticates: boolean;
}

/** Where a Koa context has what the plugin knows of its request, the recording among it (`http/exchange.ts`). */
export const EXCHANGE = Symbol('rest-cache exchange');
/** What behaves like a context and has this stands for it within authentication or authorisation. */
const AUTHENTICATES = Symbol('rest-cache authenticates');

interface KnownContext {
  readonly [EXCHANGE]?: { readonly recording: Recording | undefined };
  readonly [AUTHENTICATES]?: true;
}

/** For work that Strapi's request context does not lead from to the request. */
const places = new AsyncLocalStorage<Place>();

let requests: RequestContext | undefined;
let enterContext: RequestContext['run'] | undefined;

/**
 * Finds recordings by way of Strapi's own asynchronous context from now on: each one more makes every promise of the
 * process dearer, which showed as 3 to 4 % of an uncached request (Node.js 20). A context that somebody opens within a
 * request, of their own making, does not lead to the request; the recording then goes along by itself.
 */
export const followRequests = (requestContext: RequestContext): void => {
  if (requests === requestContext) return;
  if (Object.getOwnPropertyDescriptor(requestContext, 'run')?.writable !== true) return;
  const { run } = requestContext;
  requestContext.run = (store, work) => {
    const outer = currentPlace();
    return run.call(requestContext, store, outer === undefined ? work : () => places.run(outer, work));
  };
  requests = requestContext;
  enterContext = run;
};

/** Runs work so that every read in its asynchronous context is recorded. */
export const record = <T>(recording: Recording, work: () => T): T =>
  places.run({ recording, authenticates: false }, work);

/** The same for the work of a request, whose context leads to the recording where Strapi's own leads to the context. */
export const recordRequest = <T>(ctx: object, recording: Recording, work: () => T): T =>
  requests?.get() === ctx && (ctx as KnownContext)[EXCHANGE]?.recording === recording
    ? work()
    : record(recording, work);

const currentContext = (): KnownContext | null | undefined => requests?.get() as KnownContext | null | undefined;

/** The recording of the request on whose behalf the current code runs. */
export const currentRecording = (): Recording | undefined =>
  (places.getStore() ?? currentContext()?.[EXCHANGE])?.recording;

/** Whether the current code runs for authentication or authorisation. */
export const isAuthenticating = (): boolean =>
  places.getStore()?.authenticates ?? currentContext()?.[AUTHENTICATES] ?? false;

const currentPlace = (): Place | undefined => {
  const recording = currentRecording();
  return recording && { recording, authenticates: isAuthenticating() };
};

/**
 * Runs the work of authentication or authorisation.
 *
 * @param work is given `leave`, which runs what comes after it.
 */
export const authenticating = <T>(work: (leave: <R>(rest: () => R) => R) => T): T => {
  const place = currentPlace();
  if (place === undefined) return work((rest) => rest());
  if (places.getStore() !== undefined || enterContext === undefined || requests === undefined)
    return places.run({ ...place, authenticates: true }, () => work((rest) => places.run(place, rest)));
  // By Strapi's own context again. Whoever asks it for the request gets what behaves like it.
  const enter = <R>(store: unknown, inner: () => R): R => enterContext?.call(requests, store, inner) as R;
  const ctx = requests.get() as object;
  return enter(new Proxy(ctx, AUTHENTICATING), () => work((rest) => enter(ctx, rest)));
};

/** Not by inheritance: an object that others inherit from is slower in all that is done to it, until the request ends. */
const AUTHENTICATING: ProxyHandler<object> = {
  get: (ctx, name): unknown => (name === AUTHENTICATES ? true : Reflect.get(ctx, name)),
};
