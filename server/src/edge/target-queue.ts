import { DeadlineExceeded, withDeadline } from '../cache/deadline';
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
const REPEAT_AFTER = milliseconds(3000);

/** Keys that wait for a target; of more, everything is purged. */
const MAX_WAITING = 10_000;

/** Documents told in one purge; who needs all of them looks at the keys. */
const MAX_DOCUMENTS = 1000;

interface Job {
  readonly keys: readonly EdgeKey[];
  /** Those that the target has not taken yet. */
  readonly left: Set<EdgeKey>;
  /** Told when it has taken all, and when it has done so for the second time. */
  readonly onTaken: ReadonlyArray<() => void>;
  readonly onTakenTwice: ReadonlyArray<() => void>;
}

const jobOf = (
  keys: readonly EdgeKey[],
  onTaken: ReadonlyArray<() => void>,
  onTakenTwice: ReadonlyArray<() => void> = [],
): Job => ({ keys, left: new Set(keys), onTaken, onTakenTwice });

const tooSlow = (limit: Milliseconds): string => `it did not take a purge within ${limit} ms`;

const keysLeft = (jobs: readonly Job[]): ReadonlySet<EdgeKey> => new Set(jobs.flatMap(({ left }) => [...left]));

/**
 * What one target has to purge, in the order of the writes, one request at a time. What waits together goes together, and
 * all of it once more after a while. What fails is sent again until it is taken; a target that has failed, or was too slow,
 * holds up no write until it has taken everything.
 */
export class TargetQueue {
  readonly #settings: TargetQueueSettings;
  readonly #waiting: Job[] = [];
  readonly #documents = new Map<string, ChangedDocument>();
  /** Taken, and to be sent once more later. */
  readonly #again: Job[] = [];
  /** What has to be sent once more now. */
  readonly #due: Job[] = [];
  /** On its way. */
  #sent: readonly EdgeKey[] = [];
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
    return [...keysLeft(this.#waiting)].filter((key) => !this.#sent.includes(key)).length;
  }

  /**
   * Resolves when the target has taken the keys, or need not be waited for.
   *
   * @param onTaken told when it has taken them for the second time.
   */
  async purge(keys: readonly EdgeKey[], documents: readonly ChangedDocument[], onTaken?: () => void): Promise<void> {
    this.#addDocuments(documents);
    const onTakenTwice = onTaken === undefined ? [] : [onTaken];
    if (this.#behind !== undefined) {
      this.#add(this.#waiting, jobOf(keys, [], onTakenTwice));
      return;
    }
    const taken = new Promise<void>((resolve) => this.#add(this.#waiting, jobOf(keys, [resolve], onTakenTwice)));
    // Where what is being sent has come to its end, these go with the next. A failure is waited for no longer.
    const ended = (this.#sending ?? Promise.resolve()).then(() =>
      this.#behind === undefined ? this.#send() : undefined,
    );
    await withDeadline(Promise.race([taken, ended]), this.#settings.timeout).catch(() =>
      this.#fallBehind(tooSlow(this.#settings.timeout)),
    );
  }

  /** Sends what waits a last time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#repeat);
    if (this.#waiting.length === 0) return;
    await withDeadline(this.#send(), this.#settings.timeout).catch(() => undefined);
  }

  #addDocuments(documents: readonly ChangedDocument[]): void {
    for (const document of documents)
      if (this.#documents.size < MAX_DOCUMENTS)
        this.#documents.set(`${document.contentType} ${document.documentId}`, document);
  }

  #add(queue: Job[], ...jobs: readonly Job[]): void {
    queue.push(...jobs);
    if (queue.reduce((sum, { left }) => sum + left.size, 0) <= MAX_WAITING) return;
    const all = queue.splice(0);
    const tell = (event: 'onTaken' | 'onTakenTwice') => all.flatMap((each) => each[event]);
    queue.push(jobOf([this.#settings.everything], tell('onTaken'), tell('onTakenTwice')));
  }

  #send(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    const { target, onState } = this.#settings;
    while (this.#waiting.length + this.#due.length > 0) {
      const isRepetition = this.#waiting.length === 0;
      const queue = isRepetition ? this.#due : this.#waiting;
      // What comes meanwhile may have been read before these are purged.
      const jobs = [...queue];
      const keys = [...keysLeft(jobs)].slice(0, target.batch);
      const documents = isRepetition ? [] : [...this.#documents.values()];
      if (!isRepetition) this.#documents.clear();
      this.#sent = keys;
      try {
        const purge = { sequence: (this.#sequence += 1), keys, documents };
        // Somebody's own target may pay the signal no heed.
        await withDeadline(target.purge(purge, AbortSignal.timeout(LONGEST_PURGE)), LONGEST_PURGE);
      } catch (error) {
        this.#addDocuments(documents);
        if (error instanceof DeadlineExceeded) this.#fallBehind(tooSlow(LONGEST_PURGE));
        else this.#fallBehind(error instanceof Error ? error.message : String(error));
        this.#tryLater();
        return;
      } finally {
        this.#sent = [];
      }
      this.#failures = 0;
      for (const { left } of jobs) for (const key of keys) left.delete(key);
      for (let [job] = queue; job?.left.size === 0; [job] = queue) {
        queue.shift();
        for (const told of job.onTaken) told();
        if (!isRepetition) this.#repeatLater(jobOf(job.keys, job.onTakenTwice));
      }
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

  /** What is taken until then goes with it. */
  #repeatLater(job: Job): void {
    this.#again.push(job);
    if (this.#isClosed || this.#repeat !== undefined) return;
    this.#repeat = setTimeout(() => {
      this.#repeat = undefined;
      this.#add(this.#due, ...this.#again.splice(0));
      if (this.#behind === undefined) void this.#send();
    }, REPEAT_AFTER).unref();
  }
}
