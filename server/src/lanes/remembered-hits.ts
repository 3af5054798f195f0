import { LRUCache } from 'lru-cache';
import type { Clock } from '../cache/clock';
import { withDeadline } from '../cache/deadline';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { Milliseconds } from '../cache/milliseconds';
import type { Guard, Lookup, MaybePromise, Provider } from '../cache/provider';
import type { Sequence } from '../cache/sequence';
import type { Tag } from '../cache/tag';
import type { ResolvedRoute } from '../config/resolved-config';
import type { Served } from '../http/exchange';
import type { Recording } from '../observe/recording';
import type { EncodedName } from '../stack/encoded-bodies';

/** The final headers of a response, after all middlewares have run. */
export interface Snapshot {
  /** Name, value, name, value …, without the headers that differ in each response. */
  readonly fixed: readonly string[];
  /** Lower-case names of headers that other code had set before Koa, with a value of that response's own. */
  readonly arrived: readonly string[];
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** Whether the response has the header `Age`. */
  readonly age: boolean;
  readonly advertisedMaxAge: Milliseconds | undefined;
  readonly cacheStatus: boolean;
  /** The name of the compressed body that was sent; `undefined` if the stack had not compressed it. */
  readonly encoded: EncodedName | undefined;
}

/** What the route lane decided about one exact request, and until when that may be repeated. */
interface RememberedHit {
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
  readonly hit: RememberedHit;
  readonly entry: Entry;
}

/** Whether `entry` is the one that answered the request of the remembered hit. */
const isOf = ({ key, entryCreatedAt, entrySequence }: RememberedHit, entry: Entry): boolean =>
  entry.key === key && entry.createdAt === entryCreatedAt && entry.sequence === entrySequence;

/** Maximum memory for remembered hits, in bytes. Beyond it, the least recently used are dropped. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Memory of a hit besides its texts, in bytes: its objects, and its place in the map. */
const OVERHEAD = 600;

/**
 * Repeats decisions, but makes none. It remembers that an exact request was answered by an entry, under permissions
 * read at a sequence number. It finds that entry again as long as the entry is fresh and the permissions are not
 * stamped.
 */
export class RememberedHits {
  readonly #hits: LRUCache<string, RememberedHit>;
  readonly #permissions = new SharedTags();
  readonly #provider: Provider;
  readonly #clock: Clock;
  readonly #getTimeout: Milliseconds;

  /** @param getTimeout how long the store may take before the full stack answers instead. */
  constructor(provider: Provider, clock: Clock, getTimeout: Milliseconds, maxBytes = MAX_BYTES) {
    this.#hits = new LRUCache({ maxSize: maxBytes });
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
    fingerprint: string,
    { entry, route, expiresAt }: Pick<Served, 'entry' | 'route' | 'expiresAt'>,
    recording: Pick<Recording, 'guard'> | undefined,
    snapshot: Snapshot,
    snapshotBytes = 0,
  ): void {
    const guard = recording?.guard();
    if (guard === undefined) return;
    const { tags, bytes } = this.#permissions.share(guard.tags);
    this.#hits.set(
      fingerprint,
      {
        key: entry.key,
        route,
        guard: { tags, since: guard.since },
        expiresAt,
        entryCreatedAt: entry.createdAt,
        entrySequence: entry.sequence,
        snapshot,
      },
      { size: OVERHEAD + fingerprint.length + bytes + snapshotBytes },
    );
  }

  /** Forgets the hit of a request that needs the full stack after all. */
  forget(fingerprint: string): undefined {
    this.#hits.delete(fingerprint);
  }

  /** Forgets all remembered hits: every request needs the full stack again. */
  forgetAll(): void {
    this.#hits.clear();
  }

  /** The entry that answers this exact request, or `undefined` when the full stack has to. */
  find(fingerprint: string): MaybePromise<Repetition | undefined> {
    const hit = this.#hits.get(fingerprint);
    if (hit === undefined) return undefined;
    if (hit.expiresAt <= this.#clock.now()) return this.forget(fingerprint);
    // If the store fails, the route lane asks it once more. The hit is dropped, so that the next request with the
    // same fingerprint does not also ask twice.
    const failed = (): undefined => this.forget(fingerprint);
    const repeat = ({ entry }: Lookup): Repetition | undefined =>
      entry !== undefined && isOf(hit, entry) ? { hit, entry } : this.forget(fingerprint);
    try {
      const found = this.#provider.lookup(hit.key, hit.guard);
      return found instanceof Promise ? withDeadline(found, this.#getTimeout).then(repeat, failed) : repeat(found);
    } catch {
      return failed();
    }
  }
}

/** Maximum number of lists. Anonymous requests for a content type read the same permissions, each user others. */
const MAX_LISTS = 1000;

/** Holds equal lists of tags only once: thousands of remembered hits depend on the same few permissions. */
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
