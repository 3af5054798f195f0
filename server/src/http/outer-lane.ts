import { LRUCache } from 'lru-cache';
import type { Clock } from '../cache/clock';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { Sequence } from '../cache/sequence';
import type { Tag } from '../cache/tag';
import type { ResolvedRoute } from '../config/resolved-config';
import type { MaybePromise, Provider } from '../providers/contract';

/** What the inner lane decided about one exact request, and until when that may be repeated. */
export interface Verdict<Extra> {
  readonly key: CacheKey;
  readonly route: ResolvedRoute;
  /** Read to decide that the caller may see the answer. */
  readonly permission: readonly Tag[];
  /** Noted before any of it was read. */
  readonly since: Sequence;
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

/** Requests remembered; a few hundred bytes each. */
const MAX_VERDICTS = 20_000;

/**
 * Repeats decisions, makes none: remembers that an exact request was answered by an entry under permissions read at a
 * sequence number, and finds that entry again as long as both still hold.
 */
export class OuterLane<Extra> {
  readonly #verdicts = new LRUCache<string, Verdict<Extra>>({ max: MAX_VERDICTS });
  readonly #provider: Provider;
  readonly #clock: Clock;

  constructor(provider: Provider, clock: Clock) {
    this.#provider = provider;
    this.#clock = clock;
  }

  remember(fingerprint: string, verdict: Verdict<Extra>): void {
    this.#verdicts.set(fingerprint, verdict);
  }

  /** The entry that answers this exact request, or `undefined` when the full stack has to. */
  find(fingerprint: string): MaybePromise<Repetition<Extra> | undefined> {
    const verdict = this.#verdicts.get(fingerprint);
    if (verdict === undefined) return undefined;
    if (verdict.expiresAt <= this.#clock.now()) {
      this.#verdicts.delete(fingerprint);
      return undefined;
    }
    const found = this.#provider.lookup(verdict.key, { tags: verdict.permission, since: verdict.since });
    return found instanceof Promise
      ? found.then(
          ({ entry }) => this.#repeat(fingerprint, verdict, entry),
          () => undefined,
        )
      : this.#repeat(fingerprint, verdict, found.entry);
  }

  #repeat(fingerprint: string, verdict: Verdict<Extra>, entry: Entry | undefined): Repetition<Extra> | undefined {
    if (
      entry === undefined ||
      entry.createdAt !== verdict.entryCreatedAt ||
      entry.sequence !== verdict.entrySequence
    ) {
      this.#verdicts.delete(fingerprint);
      return undefined;
    }
    return { verdict, entry };
  }

  get size(): number {
    return this.#verdicts.size;
  }
}
