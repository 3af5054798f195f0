import type { CacheKey } from '../cache/key';
import type { Provider, SharedLists } from '../cache/provider';
import type { Reason } from '../cache/response-cache';
import type { Sequence } from '../cache/sequence';
import type { Tag } from '../cache/tag';
import type { ResolvedWarm } from '../config/resolved-config';
import type { KnownRequests, Listed } from './known-requests';
import type { Asked, OwnRequests } from './own-requests';
import { rest } from './pace';
import { urlPattern } from './url-pattern';
import { readList, writeList } from './warm-list';

export interface WarmerSettings {
  readonly warm: ResolvedWarm;
  readonly known: KnownRequests;
  readonly provider: Pick<Provider, 'lookup' | 'health' | 'knownSequence'>;
  readonly own: Pick<OwnRequests, 'send' | 'outside'>;
  /** Where the list for the next boot is kept. */
  readonly lists: SharedLists;
  /** The URLs and patterns of the user. Never rejects. */
  readonly urls: () => Promise<readonly Asked[]>;
}

/** A response to compute, unless it is there by then. */
interface Waiting extends Asked {
  /** Missing for a URL of the user. */
  readonly key?: CacheKey;
  /** How long it waits if other work overtakes it, in milliseconds. */
  readonly delay?: number;
}

/** Writes that follow each other within this time count as one. The first of them is acknowledged by then. Milliseconds. */
const SETTLING = 50;

/** How often the list for the next boot is written, in milliseconds. */
const LISTING = 60_000;

/**
 * How long a response waits that other work has overtaken, in milliseconds: first, and at last. A job may keep its
 * transaction open for a while; one that never pauses is not raced for ever.
 */
const SHORTEST_DELAY = 100;
const LONGEST_DELAY = 30_000;

/** A response is not stored if something was written meanwhile, or if work beside it had not been committed. */
const isOvertaken = (reason: Reason | undefined): boolean =>
  reason?.isPassing === true && (reason.code === 'changed' || reason.code === 'sources');

/** Computes the most wanted responses again before a visitor asks for them. */
export class Warmer {
  readonly #settings: WarmerSettings;
  /** Each response waits once. The next one is the first. */
  #queue = new Map<string, Waiting>();
  /** Tags that were stamped, and keys of entries that were deleted, with the number that was known then. */
  readonly #purged = new Map<Tag | CacheKey, Sequence>();
  #workers = 0;
  #isClosed = false;
  /** How many responses the latest purge has concerned, and which of them are not warm again. */
  #ofPurge = { count: 0, cold: new Set<string>() };
  /** The user's URLs and patterns: what they stand for is warmed beyond the most wanted, as long as anybody asks for it. */
  #patterns: ReadonlyArray<(target: string) => boolean> = [];
  /** Keys of the user's URLs, which are warmed whoever asks for them. */
  readonly #pinned = new Set<CacheKey>();
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: WarmerSettings) {
    this.#settings = settings;
  }

  /** How much of the latest purge is warm again. */
  get state(): { readonly purged: number; readonly warm: number } {
    const { count, cold } = this.#ofPurge;
    return { purged: count, warm: count - cold.size };
  }

  /**
   * Called after tags were stamped, by this process or another, or entries deleted one by one. Returns at once: the writer
   * waits for it.
   */
  purged(names: ReadonlyArray<Tag | CacheKey>): void {
    const { warm, own, provider } = this.#settings;
    if (!warm.afterWrites || this.#isClosed) return;
    if (this.#purged.size === 0) own.outside(() => setTimeout(() => this.#settled(), SETTLING).unref());
    for (const name of names) this.#purged.set(name, provider.knownSequence());
  }

  #settled(): void {
    const chosen = this.#wanted(this.#settings.known.concernedBy(this.#purged));
    this.#purged.clear();
    if (chosen.length === 0) return;
    this.#ofPurge = { count: chosen.length, cold: new Set(chosen.map(nameOf)) };
    this.#prepend(chosen);
  }

  /** Those of `listed`, the most wanted of which come first, that are worth computing before anybody asks. */
  #wanted(listed: readonly Listed[], top = this.#settings.warm.top): Listed[] {
    return listed.filter(
      ({ key, target, worth }, place) =>
        this.#pinned.has(key) || (worth >= 1 && (place < top || this.#patterns.some((standsFor) => standsFor(target)))),
    );
  }

  #prepend(requests: readonly Waiting[]): void {
    if (this.#isClosed) return;
    const named = requests.map((request) => [nameOf(request), request] as const);
    // What is not known any more is not wanted any more.
    const left = [...this.#queue].filter(
      ([, { key }]) => key === undefined || this.#settings.known.of(key) !== undefined,
    );
    this.#queue = new Map([...named, ...left]);
    while (this.#workers < Math.min(this.#settings.warm.concurrency, this.#queue.size)) void this.#work();
  }

  async #work(): Promise<void> {
    this.#workers += 1;
    let worked = 0;
    for (;;) {
      await rest(worked);
      const [next] = this.#queue;
      if (next === undefined || this.#isClosed) break;
      const [name, request] = next;
      this.#queue.delete(name);
      const began = performance.now();
      if (await this.#warm(request).catch(() => false)) this.#ofPurge.cold.delete(name);
      worked = performance.now() - began;
    }
    this.#workers -= 1;
  }

  async #warm(request: Waiting): Promise<boolean> {
    const { provider, own } = this.#settings;
    const { key, delay = SHORTEST_DELAY } = request;
    if (key !== undefined && (await provider.lookup(key)).entry !== undefined) return true;
    const { made, reason } = await own.send(request, 'warm');
    if (isOvertaken(reason) && delay < LONGEST_DELAY)
      setTimeout(() => this.#prepend([{ ...request, delay: 3 * delay }]), delay).unref();
    if (key === undefined && made !== undefined) this.#pinned.add(made.key);
    return made !== undefined;
  }

  /** Called once the server listens. */
  async begin(): Promise<void> {
    const { warm, known, lists, provider } = this.#settings;
    this.#timer = setInterval(() => void this.#write(), LISTING).unref();
    while (provider.health().state !== 'up' && !this.#isClosed) await rest(100);
    known.noteListed(await readList(lists));
    // The user's function may take long.
    if (warm.atBoot) this.#prepend(this.#wanted(known.byWorth()));
    const urls = await this.#settings.urls();
    this.#patterns = urls.map(({ target }) => urlPattern(target));
    if (warm.atBoot)
      this.#prepend([...this.#wanted(known.byWorth()), ...urls.filter(({ target }) => !target.includes('*'))]);
  }

  /** The list for the next boot: twice what is warmed then, because some of it may not be asked for any more. */
  async #write(): Promise<void> {
    const { known, warm, lists } = this.#settings;
    const listed = this.#wanted(known.byWorth(), 2 * warm.top);
    if (listed.length > 0) await writeList(lists, listed);
  }

  /** Stops. Resolves once the list is written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#queue.clear();
    await this.#write();
  }
}

const nameOf = ({ key, target }: Waiting): string => key ?? target;
