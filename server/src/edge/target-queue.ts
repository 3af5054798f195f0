import { withDeadline } from '../cache/deadline';
import type { ChangedDocument, EdgeKey, EdgeTarget } from '../cache/edge-purge';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import { Backlog } from './backlog';

export interface TargetQueueSettings {
  readonly target: EdgeTarget;
  /** How long a write waits for its purge. */
  readonly timeout: Milliseconds;
  /** Stands for all keys, where there are too many. */
  readonly everything: EdgeKey;
  /** Told when the target falls behind, with why, and when it has caught up. */
  readonly onState: (behind: string | undefined) => void;
}

/** How long one purge may take before it counts as failed. */
const LONGEST_PURGE = milliseconds(10_000);

const FIRST_PAUSE = milliseconds(500);
const LONGEST_PAUSE = milliseconds(30_000);

/** When a purge is repeated, for answers that were on their way to the edge when it was made. */
const REPEAT_AFTER = milliseconds(3000);

/** Documents told in one purge; who needs all of them looks at the keys. */
const MAX_DOCUMENTS = 1000;

/**
 * What one target has to purge, in the order of the writes, one request at a time. What waits together goes together, and
 * all of it once more after a while. What fails is sent again until it is taken; a target that has failed, or was too slow,
 * holds up no write until it has taken everything.
 */
export class TargetQueue {
  readonly #settings: TargetQueueSettings;
  readonly #waiting: Backlog;
  readonly #documents = new Map<string, ChangedDocument>();
  /** Taken, and to be sent once more later. */
  #again: Backlog;
  /** What has to be sent once more now. */
  #due: Backlog;
  #sending: Promise<void> | undefined;
  #behind: string | undefined;
  #failures = 0;
  #sequence = 0;
  #retry: NodeJS.Timeout | undefined;
  #repeat: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(settings: TargetQueueSettings) {
    this.#settings = settings;
    this.#waiting = new Backlog(settings.everything);
    this.#again = new Backlog(settings.everything);
    this.#due = new Backlog(settings.everything);
  }

  /** Why the target is behind; `undefined` where it is not. */
  get behind(): string | undefined {
    return this.#behind;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves when the target has taken the keys, or need not be waited for.
   *
   * @param onTaken told when it has taken them for the second time.
   */
  async purge(keys: Iterable<EdgeKey>, documents: readonly ChangedDocument[], onTaken?: () => void): Promise<void> {
    this.#addDocuments(documents);
    const takenTwice = onTaken && (() => this.#again.add([], onTaken));
    if (this.#behind !== undefined) {
      this.#waiting.add(keys, takenTwice);
      return;
    }
    const taken = new Promise<void>((resolve) =>
      this.#waiting.add(keys, () => {
        resolve();
        takenTwice?.();
      }),
    );
    // Where what is being sent has come to its end, these go with the next. A failure is waited for no longer.
    const ended = (this.#sending ?? Promise.resolve()).then(() =>
      this.#behind === undefined ? this.#send() : undefined,
    );
    await withDeadline(Promise.race([taken, ended]), this.#settings.timeout).catch(() =>
      this.#fallBehind(`it did not take a purge within ${this.#settings.timeout} ms`),
    );
  }

  /** Sends what waits a last time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#repeat);
    if (this.#waiting.size === 0) return;
    await withDeadline(this.#send(), this.#settings.timeout).catch(() => undefined);
  }

  #addDocuments(documents: readonly ChangedDocument[]): void {
    for (const document of documents)
      if (this.#documents.size < MAX_DOCUMENTS)
        this.#documents.set(`${document.contentType} ${document.documentId}`, document);
  }

  #send(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    const { target, onState } = this.#settings;
    while (this.#waiting.size + this.#due.size > 0) {
      const isRepetition = this.#waiting.size === 0;
      const backlog = isRepetition ? this.#due : this.#waiting;
      const keys = backlog.take(target.batch);
      const documents = isRepetition ? [] : [...this.#documents.values()];
      if (!isRepetition) this.#documents.clear();
      try {
        const purge = { sequence: (this.#sequence += 1), keys, documents };
        await target.purge(purge, AbortSignal.timeout(LONGEST_PURGE));
      } catch (error) {
        backlog.putBack(keys);
        this.#addDocuments(documents);
        this.#fallBehind(error instanceof Error ? error.message : String(error));
        this.#tryLater();
        return;
      }
      this.#failures = 0;
      if (!isRepetition) this.#repeatLater(keys);
      for (const onTaken of backlog.taken()) onTaken();
    }
    if (this.#behind === undefined) return;
    this.#behind = undefined;
    onState(undefined);
  }

  #fallBehind(reason: string): void {
    if (this.#behind !== undefined) return;
    this.#behind = reason;
    this.#settings.onState(reason);
  }

  #tryLater(): void {
    if (this.#isClosed) return;
    const pause = Math.min(FIRST_PAUSE * 2 ** this.#failures, LONGEST_PAUSE);
    this.#failures += 1;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#send(), pause).unref();
  }

  /** Once, whatever comes meanwhile: what is sent after it begins is repeated with the next. */
  #repeatLater(keys: readonly EdgeKey[] = []): void {
    this.#again.add(keys);
    if (this.#isClosed || this.#repeat !== undefined) return;
    this.#repeat = setTimeout(() => {
      this.#repeat = undefined;
      // What has failed goes with what is tried again.
      if (this.#due.size > 0) return this.#repeatLater();
      [this.#due, this.#again] = [this.#again, this.#due];
      if (this.#behind === undefined) void this.#send();
    }, REPEAT_AFTER).unref();
  }
}
