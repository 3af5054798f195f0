import { LRUCache } from 'lru-cache';
import type { Clock } from '../cache/clock';
import { withDeadline } from '../cache/deadline';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { Milliseconds } from '../cache/milliseconds';
import type { Guard, MaybePromise, Provider } from '../cache/provider';
import type { Sequence } from '../cache/sequence';
import type { Tag } from '../cache/tag';
import type { ResolvedRoute } from '../config/resolved-config';
import type { Served } from '../http/exchange';
import type { Recording } from '../observe/recording';
import type { EncodedName } from './encoded-bodies';

/** The final headers of a response, after all middlewares have run. */
export interface Snapshot {
  /** Name, value, name, value …, without the headers that differ in each response. */
  readonly fixed: readonly string[];
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** Whether the response has the header `Age`. */
  readonly age: boolean;
  readonly toldMaxAge: Milliseconds | undefined;
  readonly cacheStatus: boolean;
  /** The name of the compressed body that was sent; `undefined` if the stack had not compressed it. */
  readonly encoded: EncodedName | undefined;
}

/** What the route lane decided about one exact request, and until when that may be repeated. */
interface Verdict {
  readonly key: CacheKey;
  readonly route: ResolvedRoute;
  /** What was read to decide that the caller may see the answer, and the sequence number noted before that. */
  readonly guard: Guard;
  /** Milliseconds since the epoch; the credential may expire without a write. */
  readonly expiresAt: number;
  /** Identifies the entry that answered the request: a later entry under the same key may have other headers. */
  readonly entryCreatedAt: number;
  readonly entrySequence: Sequence;
  /** The head to send with the entry's bytes. */
  readonly snapshot: Snapshot;
}

export interface Repetition {
  readonly verdict: Verdict;
  readonly entry: Entry;
}

/** Whether `entry` is the one that answered the request of this verdict. */
const isOf = ({ key, entryCreatedAt, entrySequence }: Verdict, entry: Entry): boolean =>
  entry.key === key && entry.createdAt === entryCreatedAt && entry.sequence === entrySequence;

/** Maximum memory for verdicts, in bytes. Beyond it, the least recently used are dropped. */
const MAX_VERDICT_BYTES = 32 * 1024 * 1024;

/** Memory of a verdict besides its texts, in bytes: its objects, and its place in the map. */
const VERDICT_OVERHEAD = 600;

/**
 * Repeats decisions, but makes none. It remembers that an exact request was answered by an entry, under permissions
 * read at a sequence number. It finds that entry again as long as the entry is fresh and the permissions are not
 * stamped.
 */
export class OuterLane {
  readonly #verdicts: LRUCache<string, Verdict>;
  readonly #permissions = new SharedTags();
  readonly #provider: Provider;
  readonly #clock: Clock;
  readonly #getTimeout: Milliseconds;

  /** @param getTimeout how long the store may take before the full stack answers instead. */
  constructor(provider: Provider, clock: Clock, getTimeout: Milliseconds, maxBytes = MAX_VERDICT_BYTES) {
    this.#verdicts = new LRUCache({ maxSize: maxBytes });
    this.#provider = provider;
    this.#clock = clock;
    this.#getTimeout = getTimeout;
  }

  /**
   * Remembers a hit that was just given, if a sequence number was noted before the permissions were read.
   *
   * @param snapshotBytes the memory of `snapshot`, in bytes.
   */
  remember(
    spelling: string,
    { entry, route, expiresAt }: Pick<Served, 'entry' | 'route' | 'expiresAt'>,
    recording: Pick<Recording, 'guard'> | undefined,
    snapshot: Snapshot,
    snapshotBytes = 0,
  ): void {
    const guard = recording?.guard();
    if (guard === undefined) return;
    const { tags, bytes } = this.#permissions.share(guard.tags);
    this.#verdicts.set(
      spelling,
      {
        key: entry.key,
        route,
        guard: { tags, since: guard.since },
        expiresAt,
        entryCreatedAt: entry.createdAt,
        entrySequence: entry.sequence,
        snapshot,
      },
      { size: VERDICT_OVERHEAD + spelling.length + bytes + snapshotBytes },
    );
  }

  /** Forgets the verdict on a request that needs the full stack after all. */
  forget(spelling: string): void {
    this.#verdicts.delete(spelling);
  }

  /** Forgets all verdicts: every request needs the full stack again. */
  forgetAll(): void {
    this.#verdicts.clear();
  }

  /** The entry that answers this exact request, or `undefined` when the full stack has to. */
  find(spelling: string): MaybePromise<Repetition | undefined> {
    const verdict = this.#verdicts.get(spelling);
    if (verdict === undefined) return undefined;
    if (verdict.expiresAt <= this.#clock.now()) {
      this.#verdicts.delete(spelling);
      return undefined;
    }
    // If the store fails, the route lane asks it once more. The verdict is dropped, so that the next request with the
    // same spelling does not also ask twice.
    const forget = (): undefined => void this.#verdicts.delete(spelling);
    try {
      const found = this.#provider.lookup(verdict.key, verdict.guard);
      if (!(found instanceof Promise)) return this.#repeat(spelling, verdict, found.entry);
      return withDeadline(found, this.#getTimeout).then(({ entry }) => this.#repeat(spelling, verdict, entry), forget);
    } catch {
      return forget();
    }
  }

  #repeat(spelling: string, verdict: Verdict, entry: Entry | undefined): Repetition | undefined {
    if (entry === undefined || !isOf(verdict, entry)) {
      this.#verdicts.delete(spelling);
      return undefined;
    }
    return { verdict, entry };
  }
}

/** Maximum number of lists. Anonymous requests for a content type read the same permissions, each user others. */
const MAX_LISTS = 1000;

/** Holds equal lists of tags only once: thousands of verdicts depend on the same few permissions. */
export class SharedTags {
  readonly #lists = new LRUCache<string, readonly Tag[]>({ max: MAX_LISTS });

  /** The list to hold instead of `tags`, and how many bytes that adds. */
  share(tags: readonly Tag[]): { readonly tags: readonly Tag[]; readonly bytes: number } {
    const text = tags.join('\n');
    const known = this.#lists.get(text);
    if (known !== undefined) return { tags: known, bytes: 0 };
    this.#lists.set(text, tags);
    // The list, its texts, and the text that is its key in the map.
    return { tags, bytes: 2 * text.length + 24 * tags.length };
  }
}
