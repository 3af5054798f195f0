import { AsyncLocalStorage } from 'node:async_hooks';
import type { Sequence } from '../cache/sequence';
import type { Tag } from '../cache/tag';

/**
 * What one request has read. Reads made to decide whether the caller may see the answer (authentication,
 * authorisation, policies) are kept apart from those the answer itself was made of.
 */
export class Recording {
  readonly #content = new Set<Tag>();
  readonly #permission: Array<() => readonly Tag[]> = [];
  /** Why the answer must not be kept, once something was seen that forbids it. */
  unstorable: string | undefined;
  #makesAnswer = false;
  #open = true;

  /**
   * @param isWriteRequest for requests that may change content: POST, PUT, PATCH, DELETE.
   * @param since a sequence number noted before the request read anything, where one was at hand.
   * @param isAnonymous whether it shows no credential; asked when it matters, for a middleware may give it one.
   */
  constructor(
    readonly isWriteRequest: boolean,
    readonly since?: Sequence,
    readonly isAnonymous: () => boolean = () => false,
  ) {}

  /** From here on reads make the answer. */
  beginContent(): void {
    this.#makesAnswer = true;
  }

  get makesAnswer(): boolean {
    return this.#makesAnswer;
  }

  /** From here on reads (of work left running behind the request) no longer count. */
  close(): void {
    this.#open = false;
  }

  /** Something the answer is made of was read. */
  readContent(tags: readonly Tag[]): void {
    if (this.#open) for (const name of tags) this.#content.add(name);
  }

  /** Something was read before the answer; most requests never ask what that depended on, so it is told when asked. */
  readPermission(tags: () => readonly Tag[]): void {
    if (this.#open) this.#permission.push(tags);
  }

  get content(): ReadonlySet<Tag> {
    return this.#content;
  }

  /** The tags of what decided whether the caller may see the answer. */
  permission(): Tag[] {
    return [...new Set(this.#permission.flatMap((tags) => tags()))];
  }

  forbidStoring(reason: string): void {
    if (this.#open) this.unstorable ??= reason;
  }
}

/** Strapi's request context, as far as it is needed: leads from whatever runs for a request to its Koa context. */
export interface RequestContext {
  run(store: unknown, work: () => unknown): unknown;
  get(): unknown;
}

const RECORDING = Symbol('rest-cache recording');

interface RecordedContext {
  [RECORDING]?: Recording;
}

/** For work that Strapi's request context does not lead from to the request. */
const recordings = new AsyncLocalStorage<Recording>();

let requests: RequestContext | undefined;

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
    const outer = currentRecording();
    return run.call(requestContext, store, outer === undefined ? work : () => record(outer, work));
  };
  requests = requestContext;
};

/** Runs work so that every read in its asynchronous context is recorded. */
export const record = <T>(recording: Recording, work: () => T): T => recordings.run(recording, work);

/** The same for the work of a request. */
export const recordRequest = <T>(ctx: object, recording: Recording, work: () => T): T => {
  if (requests?.get() !== ctx) return record(recording, work);
  (ctx as RecordedContext)[RECORDING] = recording;
  return work();
};

/** The recording of the request on whose behalf the current code runs. */
export const currentRecording = (): Recording | undefined =>
  recordings.getStore() ?? (requests?.get() as RecordedContext | undefined)?.[RECORDING];
