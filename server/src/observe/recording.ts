import { AsyncLocalStorage } from 'node:async_hooks';
import type { Sequence } from '../cache/sequence';
import type { Tag } from '../cache/tag';

/**
 * What one request has read. Reads made to decide whether the caller may see the answer (authentication,
 * authorisation, policies) are kept apart from those the answer itself was made of.
 */
export class Recording {
  readonly permission = new Set<Tag>();
  readonly content = new Set<Tag>();
  /** Why the answer must not be kept, once something was seen that forbids it. */
  unstorable: string | undefined;
  #phase: 'permission' | 'content' = 'permission';
  #open = true;

  /**
   * @param isWriteRequest for requests that may change content: POST, PUT, PATCH, DELETE.
   * @param since a sequence number noted before the request read anything, where one was at hand.
   */
  constructor(
    readonly isWriteRequest: boolean,
    readonly since?: Sequence,
  ) {}

  /** From here on reads make the answer. */
  beginContent(): void {
    this.#phase = 'content';
  }

  /** From here on reads (of work left running behind the request) no longer count. */
  close(): void {
    this.#open = false;
  }

  read(tags: readonly Tag[]): void {
    if (!this.#open) return;
    const target = this.#phase === 'content' ? this.content : this.permission;
    for (const name of tags) target.add(name);
  }

  forbidStoring(reason: string): void {
    if (this.#open) this.unstorable ??= reason;
  }
}

const recordings = new AsyncLocalStorage<Recording>();

/** Runs a request's work so that every read in its asynchronous context is recorded. */
export const record = <T>(recording: Recording, work: () => T): T => recordings.run(recording, work);

/** The recording of the request on whose behalf the current code runs. */
export const currentRecording = (): Recording | undefined => recordings.getStore();
