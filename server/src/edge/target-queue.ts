import { withDeadline } from '../cache/deadline';
import type { ChangedDocument, EdgeKey, EdgeTarget } from '../cache/edge-purge';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';

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
export const REPEAT_AFTER = milliseconds(3000);

/** Keys that wait for a target; of more, everything is purged. */
const MAX_WAITING = 10_000;

/** Documents told in one purge; who needs all of them looks at the keys. */
const MAX_DOCUMENTS = 1000;

/**
 * What one target has to purge, in the order of the writes, one request at a time. What waits together goes together. What
 * fails is sent again until it is taken; a target that has failed, or was too slow, holds up no write until it has taken
 * everything.
 */
export class TargetQueue {
  readonly #settings: TargetQueueSettings;
  #keys = new Set<EdgeKey>();
  #documents = new Map<string, ChangedDocument>();
  /** Sent, and to be sent once more. */
  #again = new Set<EdgeKey>();
  #sending: Promise<void> | undefined;
  #behind: string | undefined;
  #failures = 0;
  #sequence = 0;
  #retry: NodeJS.Timeout | undefined;
  #repeat: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(settings: TargetQueueSettings) {
    this.#settings = settings;
  }

  /** Why the target is behind; `undefined` where it is not. */
  get behind(): string | undefined {
    return this.#behind;
  }

  get waiting(): number {
    return this.#keys.size;
  }

  /** Resolves when the target has taken the keys, or need not be waited for. */
  async purge(keys: Iterable<EdgeKey>, documents: readonly ChangedDocument[]): Promise<void> {
    this.#add(keys, documents);
    if (this.#behind !== undefined) return;
    // What is being sent may have been read before these were added: they go with the next.
    const sent = (this.#sending ?? Promise.resolve()).then(() =>
      this.#behind === undefined ? this.#send() : undefined,
    );
    await withDeadline(sent, this.#settings.timeout).catch(() =>
      this.#fallBehind(`it did not take a purge within ${this.#settings.timeout} ms`),
    );
  }

  /** Sends what waits a last time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#repeat);
    if (this.#keys.size === 0) return;
    await withDeadline(this.#send(), this.#settings.timeout).catch(() => undefined);
  }

  #add(keys: Iterable<EdgeKey>, documents: readonly ChangedDocument[]): void {
    for (const key of keys) this.#keys.add(key);
    if (this.#keys.size > MAX_WAITING) this.#keys = new Set([this.#settings.everything]);
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
    while (this.#keys.size > 0) {
      const keys = [...this.#keys].slice(0, target.batch);
      const documents = [...this.#documents.values()];
      for (const key of keys) this.#keys.delete(key);
      this.#documents.clear();
      try {
        const purge = { sequence: (this.#sequence += 1), keys, documents };
        await target.purge(purge, AbortSignal.timeout(LONGEST_PURGE));
      } catch (error) {
        this.#add(keys, documents);
        this.#fallBehind(error instanceof Error ? error.message : String(error));
        this.#tryLater();
        return;
      }
      this.#failures = 0;
      for (const key of keys) this.#again.add(key);
      this.#repeatLater();
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
  #repeatLater(): void {
    if (this.#isClosed || this.#repeat !== undefined) return;
    this.#repeat = setTimeout(() => {
      this.#repeat = undefined;
      const again = this.#again;
      this.#again = new Set();
      void this.#repeatNow(again);
    }, REPEAT_AFTER).unref();
  }

  async #repeatNow(keys: ReadonlySet<EdgeKey>): Promise<void> {
    for (let rest = [...keys]; rest.length > 0; rest = rest.slice(this.#settings.target.batch)) {
      const purge = {
        sequence: (this.#sequence += 1),
        keys: rest.slice(0, this.#settings.target.batch),
        documents: [],
      };
      try {
        await this.#settings.target.purge(purge, AbortSignal.timeout(LONGEST_PURGE));
      } catch {
        // As an ordinary purge, which is repeated until it is taken.
        this.#add(purge.keys, []);
        this.#fallBehind('it did not take the repetition of a purge');
        this.#tryLater();
      }
    }
  }
}
