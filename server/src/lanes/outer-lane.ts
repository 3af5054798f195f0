import { LRUCache } from 'lru-cache';
import type { Clock } from '../cache/clock';
import { withDeadline } from '../cache/deadline';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { Milliseconds } from '../cache/milliseconds';
import type { Sequence } from '../cache/sequence';
import type { ResolvedRoute } from '../config/resolved-config';
import type { Guard, MaybePromise, Provider } from '../cache/provider';
import { SharedTags } from './shared-tags';

/** What the inner lane decided about one exact request, and until when that may be repeated. */
export interface Verdict<Extra> {
  readonly key: CacheKey;
  readonly route: ResolvedRoute;
  /** What was read to decide that the caller may see the answer, and the number noted before any of it was read. */
  readonly guard: Guard;
  /** Milliseconds since the epoch; the credential may expire without a write. */
  readonly expiresAt: number;
  /** The entry it was answered by: a later one under the same key may have other headers. */
  readonly entryCreatedAt: number;
  readonly entrySequence: Sequence;
  /** What the lane itself needs to answer. */
  readonly extra: Extra;
}

export interface Repetition<Extra> {
  readonly verdict: Verdict<Extra>;
  readonly entry: Entry;
}

/** Memory for verdicts before the least recently repeated go. */
const MAX_VERDICT_BYTES = 32 * 1024 * 1024;

/** What a verdict takes beside its texts: its own object, the guard's, the lane's, and its place in the map. */
const VERDICT_OVERHEAD = 600;

/**
 * Repeats decisions, makes none: remembers that an exact request was answered by an entry under permissions read at a
 * sequence number, and finds that entry again as long as both still hold.
 */
export class OuterLane<Extra> {
  readonly #verdicts: LRUCache<string, Verdict<Extra>>;
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

  /** @param extraBytes what the lane's own part takes, beside what it shares. */
  remember(fingerprint: string, verdict: Verdict<Extra>, extraBytes = 0): void {
    const { tags, bytes } = this.#permissions.share(verdict.guard.tags);
    this.#verdicts.set(
      fingerprint,
      { ...verdict, guard: { tags, since: verdict.guard.since } },
      { size: VERDICT_OVERHEAD + fingerprint.length + bytes + extraBytes },
    );
  }

  /** A request that turns out to need the full stack after all. */
  forget(fingerprint: string): void {
    this.#verdicts.delete(fingerprint);
  }

  /** The entry that answers this exact request, or `undefined` when the full stack has to. */
  find(fingerprint: string): MaybePromise<Repetition<Extra> | undefined> {
    const verdict = this.#verdicts.get(fingerprint);
    if (verdict === undefined) return undefined;
    if (verdict.expiresAt <= this.#clock.now()) {
      this.#verdicts.delete(fingerprint);
      return undefined;
    }
    // A store that fails is asked once more by the inner lane; not a third time, by the next request like this one.
    const forget = (): undefined => void this.#verdicts.delete(fingerprint);
    try {
      const found = this.#provider.lookup(verdict.key, verdict.guard);
      if (!(found instanceof Promise)) return this.#repeat(fingerprint, verdict, found.entry);
      return withDeadline(found, this.#getTimeout).then(
        ({ entry }) => this.#repeat(fingerprint, verdict, entry),
        forget,
      );
    } catch {
      return forget();
    }
  }

  #repeat(fingerprint: string, verdict: Verdict<Extra>, entry: Entry | undefined): Repetition<Extra> | undefined {
    if (entry === undefined || entry.createdAt !== verdict.entryCreatedAt || entry.sequence !== verdict.entrySequence) {
      this.#verdicts.delete(fingerprint);
      return undefined;
    }
    return { verdict, entry };
  }

  get size(): number {
    return this.#verdicts.size;
  }

  /** Of verdicts; about what they take of the heap. */
  get bytes(): number {
    return this.#verdicts.calculatedSize;
  }
}
