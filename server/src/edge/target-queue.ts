import { DeadlineExceeded, withDeadline } from '../cache/deadline';
import type { ChangedDocument, EdgeKey, EdgeTarget } from '../cache/edge-purge';
import { milliseconds, type Milliseconds } from '../cache/milliseconds';
import { messageOf } from '../cache/without-addresses';

export interface TargetQueueSettings {
  readonly target: EdgeTarget;
  /** How long a write waits for its purge. */
  readonly timeout: Milliseconds;
  /** The key of all responses, purged instead of single keys if there are too many. */
  readonly everything: EdgeKey;
  /** Called with the reason when the target falls behind, and with `undefined` when it has caught up. */
  readonly onState: (behind: string | undefined) => void;
}

/** How long one purge may take before it counts as failed. */
const LONGEST_PURGE = milliseconds(10_000);

const FIRST_PAUSE = milliseconds(500);
const LONGEST_PAUSE = milliseconds(30_000);

/** How long after a purge it is repeated, for responses that were on their way to the edge when it was made. */
const REPEAT_AFTER = milliseconds(3000);

/** How long a repetition may wait for others that are due soon after it. */
const REPEAT_TOGETHER = milliseconds(1000);

/** Maximum number of keys that wait for a target. If there are more, everything is purged instead. */
const MAX_WAITING = 10_000;

/** Maximum number of documents listed in one purge. A target that must not miss any uses the keys. */
const MAX_DOCUMENTS = 1000;

interface Job {
  readonly keys: readonly EdgeKey[];
  /** The keys that the target has not accepted yet. */
  readonly left: Set<EdgeKey>;
  /** Called when the target has accepted all keys, and when it has accepted them for the second time. */
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
 * The purges of one target, sent in the order of the writes, one request at a time. Keys that wait at the same time are
 * sent together, and all of them once more after `REPEAT_AFTER`, where new ones leave room for them. A purge that fails
 * is sent again until the target accepts it. No write waits for a target that has failed or was too slow, until the
 * target has accepted everything.
 */
export class TargetQueue {
  readonly #settings: TargetQueueSettings;
  readonly #waiting: Job[] = [];
  readonly #documents = new Map<string, ChangedDocument>();
  /** Jobs that were accepted, and the times (of `performance.now()`) from which on they are repeated. */
  readonly #again: Array<{ readonly job: Job; readonly from: number }> = [];
  /** Jobs whose repetition is due. */
  readonly #due: Job[] = [];
  /** The keys that are being sent. */
  #sent: ReadonlySet<EdgeKey> = new Set();
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

  get name(): string {
    return this.#settings.target.name;
  }

  /** Why the target is behind; `undefined` if it is not. */
  get behind(): string | undefined {
    return this.#behind;
  }

  get waiting(): number {
    return [...keysLeft(this.#waiting)].filter((key) => !this.#sent.has(key)).length;
  }

  /**
   * Sends a purge. Resolves when the target has accepted the keys or need not be waited for.
   *
   * @param onTaken called when the target has accepted them for the second time.
   */
  async purge(keys: readonly EdgeKey[], documents: readonly ChangedDocument[], onTaken?: () => void): Promise<void> {
    this.#addDocuments(documents);
    const onTakenTwice = onTaken === undefined ? [] : [onTaken];
    if (this.#behind !== undefined) {
      this.#add(this.#waiting, jobOf(keys, [], onTakenTwice));
      return;
    }
    const taken = new Promise<void>((resolve) => this.#add(this.#waiting, jobOf(keys, [resolve], onTakenTwice)));
    // These keys are sent when the current sending has ended. If it has failed, the write does not wait any longer.
    const ended = (this.#sending ?? Promise.resolve()).then(() =>
      this.#behind === undefined ? this.#send() : undefined,
    );
    await withDeadline(Promise.race([taken, ended]), this.#settings.timeout).catch(() =>
      this.#fallBehind(tooSlow(this.#settings.timeout)),
    );
  }

  /** Sends the waiting keys for the last time. */
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
    const callbacks = (event: 'onTaken' | 'onTakenTwice') => all.flatMap((each) => each[event]);
    queue.push(jobOf([this.#settings.everything], callbacks('onTaken'), callbacks('onTakenTwice')));
  }

  #send(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => (this.#sending = undefined));
    return this.#sending;
  }

  async #sendAll(): Promise<void> {
    const { target, onState } = this.#settings;
    const queues = [this.#waiting, this.#due];
    while (this.#waiting.length + this.#due.length > 0) {
      // Otherwise no repetition would ever be sent as long as one write follows the other.
      const hasRoom = keysLeft(this.#waiting).size < target.batch;
      // A copy: jobs added during this purge are not done by it, because the edge may get outdated responses after it.
      const jobs = hasRoom ? queues.flat() : [...this.#waiting];
      const keys = [...keysLeft(jobs)].slice(0, target.batch);
      const documents = [...this.#documents.values()];
      this.#documents.clear();
      this.#sent = new Set(keys);
      try {
        const purge = { sequence: (this.#sequence += 1), keys, documents };
        // A custom target may ignore the signal.
        await withDeadline(target.purge(purge, AbortSignal.timeout(LONGEST_PURGE)), LONGEST_PURGE);
      } catch (error) {
        this.#addDocuments(documents);
        this.#fallBehind(error instanceof DeadlineExceeded ? tooSlow(LONGEST_PURGE) : messageOf(error));
        this.#tryLater();
        return;
      } finally {
        this.#sent = new Set();
      }
      this.#failures = 0;
      for (const { left } of jobs) for (const key of keys) left.delete(key);
      for (const queue of queues)
        for (let [job] = queue; job?.left.size === 0; [job] = queue) {
          queue.shift();
          for (const callback of job.onTaken) callback();
          if (queue === this.#waiting) this.#repeatLater(jobOf(job.keys, job.onTakenTwice));
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

  #repeatLater(job: Job): void {
    this.#again.push({ job, from: Math.floor(performance.now()) + REPEAT_AFTER });
    this.#repeatIn(REPEAT_AFTER);
  }

  /** Repeats what is due by then. */
  #repeatIn(wait: number): void {
    if (this.#isClosed || this.#repeat !== undefined) return;
    this.#repeat = setTimeout(() => {
      this.#repeat = undefined;
      // A timer may come a fraction of a millisecond early.
      const now = Math.ceil(performance.now());
      const later = this.#again.findIndex(({ from }) => from > now);
      this.#add(this.#due, ...this.#again.splice(0, later < 0 ? Infinity : later).map(({ job }) => job));
      const [next] = this.#again;
      if (next !== undefined) this.#repeatIn(next.from - now + REPEAT_TOGETHER);
      if (this.#behind === undefined) void this.#send();
    }, wait).unref();
  }
}
