import type { ChangedDocument, EdgeKey, EdgeTarget } from '../cache/edge-purge';
import type { Milliseconds } from '../cache/milliseconds';
import type { Tag } from '../cache/tag';
import type { InvalidationSink } from '../observe/commit-and-stamp';
import { EdgeKeys } from './edge-keys';
import { REPEAT_AFTER, TargetQueue } from './target-queue';

export interface EdgeSettings {
  /** The response header that carries keys. */
  readonly header: string;
  readonly maxHeaderBytes: number;
  readonly keysPrefix: string;
  readonly timeout: Milliseconds;
  readonly targets: readonly EdgeTarget[];
  /** Whether no other process hands out answers of this application. */
  readonly isOfOneProcess: boolean;
  readonly documentsOf: (tags: readonly Tag[]) => readonly ChangedDocument[];
  /** Heads that were made before are not to be sent any more: what they say of the edge has changed. */
  readonly onHeadsChanged: () => void;
  readonly onState: (target: string, behind: string | undefined) => void;
}

export interface TargetState {
  readonly name: string;
  /** Why it is behind with its purges; `undefined` where it is not. */
  readonly behind: string | undefined;
  /** Keys that it still has to take. */
  readonly waiting: number;
}

/** In words, for the log and the panel. */
export const behindWarning = (name: string, behind: string): string =>
  `the edge target ${name} is behind with its purges: ${behind}. It is asked again until it takes them; meanwhile the edge ` +
  'is told to keep nothing new, and what it keeps may be stale.';

/** Keys remembered as handed out, some 40 bytes each; past them everything is purged, and they are counted anew. */
const MAX_HANDED_OUT = 200_000;

/** What caches in front of the application are told: which keys an answer has, and which have to go. */
export class Edge {
  readonly #settings: EdgeSettings;
  readonly #keys: EdgeKeys;
  readonly #queues: readonly TargetQueue[];
  readonly #handedOut = new Set<EdgeKey>();
  /** Keys that were purged before anybody had them. */
  #unknown = { old: new Set<EdgeKey>(), new: new Set<EdgeKey>() };
  #looking: NodeJS.Timeout | undefined;

  constructor(settings: EdgeSettings) {
    const { header, maxHeaderBytes, keysPrefix, targets, timeout, onHeadsChanged, onState } = settings;
    this.#settings = settings;
    this.#keys = new EdgeKeys(header, maxHeaderBytes, keysPrefix);
    this.#queues = targets.map(
      (target) =>
        new TargetQueue({
          target,
          timeout,
          everything: this.#keys.everything,
          onState: (behind) => {
            onHeadsChanged();
            onState(target.name, behind);
          },
        }),
    );
  }

  /** Whether something that should be gone may still be answered by the edge, which is then not to keep more. */
  get isBehind(): boolean {
    return this.#queues.some(({ behind }) => behind !== undefined);
  }

  get header(): string {
    return this.#settings.header;
  }

  /**
   * The header's value for an answer that is about to be handed out.
   *
   * @param own what the handler has set there; `''` for nothing.
   */
  keysOfAnswer(tags: Iterable<Tag>, own: string): string {
    const keys = this.#keys.ofAnswer(tags);
    for (const key of keys) this.#handedOut.add(key);
    if (this.#handedOut.size > MAX_HANDED_OUT) this.#forgetHandedOut(keys);
    return this.#keys.format(keys, own);
  }

  #forgetHandedOut(current: readonly EdgeKey[]): void {
    this.#handedOut.clear();
    for (const key of current) this.#handedOut.add(key);
    this.#settings.onHeadsChanged();
    for (const queue of this.#queues) void queue.purge([this.#keys.everything], []);
  }

  /**
   * Purges what was made of any of these; resolves when every target has taken it, or need not be waited for. Never
   * rejects. Where this process is the only one, nothing is purged that it has not handed out.
   */
  async purge(tags: readonly Tag[]): Promise<void> {
    const keys = [...this.#keys.ofPurge(tags)];
    const { isOfOneProcess, documentsOf } = this.#settings;
    const known = isOfOneProcess ? keys.filter((key) => this.#handedOut.has(key)) : keys;
    if (known.length < keys.length) this.#lookAgain(keys.filter((key) => !this.#handedOut.has(key)));
    if (known.length === 0) return;
    const documents = documentsOf(tags);
    await Promise.all(this.#queues.map((queue) => queue.purge(known, documents)));
  }

  /**
   * An answer may have been found before the write, and be handed out after its purge: keys that were nobody's are looked at
   * once more, not before that time has passed.
   */
  #lookAgain(keys: readonly EdgeKey[]): void {
    for (const key of keys) this.#unknown.new.add(key);
    this.#looking ??= setInterval(() => {
      const late = [...this.#unknown.old].filter((key) => this.#handedOut.has(key));
      this.#unknown = { old: this.#unknown.new, new: new Set() };
      if (late.length > 0) for (const queue of this.#queues) void queue.purge(late, []);
      if (this.#unknown.old.size > 0) return;
      clearInterval(this.#looking);
      this.#looking = undefined;
    }, REPEAT_AFTER).unref();
  }

  /** At the start: what an earlier process has handed out, and may still have had to purge, is not known. */
  async purgeEverything(): Promise<void> {
    await Promise.all(this.#queues.map((queue) => queue.purge([this.#keys.everything], [])));
  }

  /** How each target is doing. */
  get targets(): readonly TargetState[] {
    return this.#queues.map(({ behind, waiting }, index) => ({
      name: this.#settings.targets[index]?.name ?? '',
      behind,
      waiting,
    }));
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    await Promise.all(this.#queues.map((queue) => queue.close()));
  }
}

/** A sink whose writes are acknowledged when the edge has been purged as well, or need not be waited for. */
export const purgingTheEdge = (sink: InvalidationSink, edge: Edge): InvalidationSink => ({
  announce: (tags) => sink.announce(tags),
  invalidate: async (tags, announcement): Promise<unknown> => {
    try {
      return await sink.invalidate(tags, announcement);
    } finally {
      await edge.purge(tags);
    }
  },
});
