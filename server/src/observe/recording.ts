import type { Sentence } from '../cache/sentence';
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Guard } from '../cache/provider';
import type { Sequence } from '../cache/sequence';
import type { Tag } from '../cache/tag';

/** A read made by authentication or authorisation. Its tags are computed on demand: most requests never need them. */
export interface PermissionRead {
  readonly tables: readonly string[];
  readonly tags: () => readonly Tag[];
}

export interface RecordingOptions {
  /** For requests that may change content: POST, PUT, PATCH, DELETE. */
  readonly isWriteRequest?: boolean;
  /** A sequence number noted before the request read anything, where one was at hand. */
  readonly since?: Sequence | undefined;
  /** For work that is never cached: what it reads matters only to requests that may wait for it. */
  readonly namesTablesOnly?: boolean;
}

/**
 * What one request has read. Reads made by authentication and authorisation decide whether the caller may see the
 * answer; all others, wherever they are made, are content: the answer may be made of them.
 */
export class Recording {
  readonly isWriteRequest: boolean;
  readonly since: Sequence | undefined;
  readonly namesTablesOnly: boolean;
  readonly content = new Set<Tag>();
  /** The part of `content` that was read before the handler was called, by policies and middlewares. */
  readonly early = new Set<Tag>();
  readonly permissionReads: PermissionRead[] = [];
  /** Whether the handler is Strapi's own, which only asks which relations it may show, and waits for nobody else. */
  isByStrapi = false;
  /** What the handler has asked authorisation for and was granted (`strapi.auth.verify`), as JSON. */
  readonly granted = new Set<string>();
  /** Why the answer must not be stored; `undefined` if nothing has forbidden it so far. */
  unstorable: Sentence | undefined;
  /** The route's handler is making the answer. */
  makesAnswer = false;
  /** Whether the handler itself has read anything. */
  hasReadForAnswer = false;
  /** Whether the handler has written anything. */
  hasWritten = false;
  isOpen = true;
  /** How often content was read so far: by anything but authentication and authorisation. */
  contentReads = 0;
  #statements = 0;
  #whenQuiet: (() => void) | undefined;

  constructor({ isWriteRequest = false, since, namesTablesOnly = false }: RecordingOptions = {}) {
    this.isWriteRequest = isWriteRequest;
    this.since = since;
    this.namesTablesOnly = namesTablesOnly;
  }

  /**
   * The request is over: what is read from here on (by work left running behind it) no longer counts for it.
   *
   * @param whenQuiet called once all statements that the request has sent are answered, because other requests may wait
   * for these; and again for each statement that was kept waiting and is sent later.
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

  /** The statement is answered, or has failed. */
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

  /**
   * The tags of what decided whether the caller may see the answer: of all permission reads, and of what was read
   * before the handler was called.
   */
  permissionTags(): Tag[] {
    return [...new Set([...this.permissionReads.flatMap(({ tags }) => tags()), ...this.early])];
  }

  /**
   * The tags with the sequence number noted before any of it was read; `undefined` if no number was at hand, or if no
   * tag names a part of what was read.
   */
  guard(): Guard | undefined {
    if (this.since === undefined || this.unstorable !== undefined) return undefined;
    return { tags: this.permissionTags(), since: this.since };
  }

  forbidStoring(reason: Sentence): void {
    this.unstorable ??= reason;
  }
}

/** The part of Strapi's request context that is used here: finds the Koa context of the request that code runs for. */
export interface RequestContext {
  run(store: unknown, work: () => unknown): unknown;
  get(): unknown;
}

/** What the current code runs for. */
interface Place {
  readonly recording: Recording;
  /** Whether it runs within authentication or authorisation. */
  readonly authenticates: boolean;
}

/** The property of a Koa context that holds what the plugin knows about its request (`http/exchange.ts`). */
export const EXCHANGE = Symbol('rest-cache exchange');
/** Marks the proxy of a context that stands for it within authentication and authorisation. */
const AUTHENTICATES = Symbol('rest-cache authenticates');

interface KnownContext {
  readonly [EXCHANGE]?: { readonly recording: Recording | undefined };
  readonly [AUTHENTICATES]?: true;
}

/** For code whose request cannot be found through Strapi's request context. */
const places = new AsyncLocalStorage<Place>();

let requests: RequestContext | undefined;
let enterContext: RequestContext['run'] | undefined;

/**
 * From now on, finds recordings through Strapi's own asynchronous context: a further one makes every promise of the
 * process more expensive, measured as 3 to 4 % of an uncached request (Node.js 20). If code within a request opens a
 * request context of its own, the request cannot be found through it, so the recording is then passed on separately.
 */
export const followRequests = (requestContext: RequestContext): void => {
  // At the first boot nothing is followed yet. A Strapi without a request context is an obstacle then, too.
  if (requests !== undefined && requests === requestContext) return;
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

/**
 * Runs the work of a request so that its reads are recorded. Opens no context if the recording can be found through
 * Strapi's request context.
 */
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
 * @param work is given `leave`, which runs what comes after authentication, no longer as a part of it.
 */
export const authenticating = <T>(work: (leave: <R>(rest: () => R) => R) => T): T => {
  const place = currentPlace();
  if (place === undefined) return work((rest) => rest());
  if (places.getStore() !== undefined || enterContext === undefined || requests === undefined)
    return places.run({ ...place, authenticates: true }, () => work((rest) => places.run(place, rest)));
  // Strapi's own context is used here too. Code that asks it for the Koa context gets a proxy that behaves like it.
  const enter = <R>(store: unknown, inner: () => R): R => enterContext?.call(requests, store, inner) as R;
  const ctx = requests.get() as object;
  return enter(new Proxy(ctx, AUTHENTICATING), () => work((rest) => enter(ctx, rest)));
};

/**
 * A proxy is used, and not an object that inherits from the context: once another object inherits from it, everything
 * done with the context is slower until the request ends.
 */
const AUTHENTICATING: ProxyHandler<object> = {
  get: (ctx, name): unknown => (name === AUTHENTICATES ? true : Reflect.get(ctx, name)),
};
