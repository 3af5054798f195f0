import { setTimeout as pause } from 'node:timers/promises';
import type { CacheKey } from '../cache/key';
import type { Provider, SharedLists } from '../cache/provider';
import type { Sequence } from '../cache/sequence';
import type { Tag } from '../cache/tag';
import type { ResolvedWarm } from '../config/resolved-config';
import type { Asked, KnownRequests } from './known-requests';
import { isRefilled, type OwnOutcome, type OwnRequests } from './own-requests';
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
  /** Called with what keeps the URLs of the user from being warmed. */
  readonly onError: (error: unknown) => void;
}

/** A response to compute, unless it is there by then. */
interface Waiting extends Asked {
  readonly key?: CacheKey;
  /** How often other work has overtaken it. */
  readonly overtaken?: number;
}

/** Writes that follow each other within this time count as one. The first of them is acknowledged by then. Milliseconds. */
const SETTLING = 50;

/** How often the list for the next boot is written, in milliseconds. */
const LISTING = 60_000;

/**
 * How long is waited before a response is computed again that other work has overtaken, in milliseconds. A job may keep
 * its transaction open for a while; one that never pauses is not raced for ever.
 */
const AGAIN_AFTER: readonly number[] = [0, 100, 300, 1000, 3000, 10_000, 30_000];

/** A response is not stored if something was written meanwhile, or if work beside it had not been committed. */
const isOvertaken = (outcome: OwnOutcome): boolean =>
  outcome.kind === 'miss' &&
  outcome.reason?.isPassing === true &&
  (outcome.reason.code === 'changed' || outcome.reason.code === 'sources');

/** Computes the most wanted responses again before a visitor asks for them. */
export class Warmer {
  readonly #settings: WarmerSettings;
  /** By target and headers: each request waits once. The next one is the first. */
  #queue = new Map<string, Waiting>();
  /** Tags that were stamped, and keys of entries that were deleted, with the number that was known then. */
  readonly #purged = new Map<Tag | CacheKey, Sequence>();
  #workers = 0;
  #isClosed = false;
  /** How many requests the latest purge has concerned, and which of them are not warm again. */
  #ofPurge = { count: 0, cold: new Set<string>() };
  /** Targets that are warmed whoever asks for them. */
  #urls: ReadonlyArray<(target: string) => boolean> = [];
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
    const { known, warm } = this.#settings;
    const concerned = known.concernedBy(this.#purged);
    this.#purged.clear();
    const wanted = concerned.filter(({ worth }) => worth > 0).slice(0, warm.top);
    const chosen = [...new Set([...wanted, ...concerned.filter(({ target }) => this.#isPinned(target))])];
    if (chosen.length === 0) return;
    this.#ofPurge = { count: chosen.length, cold: new Set(chosen.map(nameOf)) };
    this.#prepend(chosen);
  }

  #isPinned(target: string): boolean {
    return this.#urls.some((standsFor) => standsFor(target));
  }

  #prepend(requests: readonly Waiting[]): void {
    if (this.#isClosed) return;
    this.#queue = new Map([...requests.map((request) => [nameOf(request), request] as const), ...this.#queue]);
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
    const { key, target, headers, overtaken = 0 } = request;
    if (key !== undefined && (await provider.lookup(key)).entry !== undefined) return true;
    const outcome = await own.send(target, headers, 'warm');
    const after = AGAIN_AFTER[overtaken];
    if (isOvertaken(outcome) && after !== undefined) {
      setTimeout(() => this.#prepend([{ ...request, overtaken: overtaken + 1 }]), after).unref();
    }
    return isRefilled(outcome);
  }

  /** Called once the server listens. */
  async begin(): Promise<void> {
    const { warm, known, lists, provider, onError } = this.#settings;
    this.#timer = setInterval(() => void this.#write(), LISTING).unref();
    while (provider.health().state !== 'up' && !this.#isClosed) await pause(100, undefined, { ref: false });
    known.noteListed(await readList(lists));
    let urls: readonly string[] = [];
    try {
      const written = typeof warm.urls === 'function' ? await warm.urls() : warm.urls;
      urls = written.filter((url) => url.startsWith('/'));
    } catch (error) {
      onError(error);
    }
    this.#urls = urls.map(urlPattern);
    if (!warm.atBoot) return;
    const top = known.byWorth().filter(({ target }, place) => place < warm.top || this.#isPinned(target));
    const others = urls.filter((url) => !url.includes('*') && !top.some(({ target }) => target === url));
    this.#prepend([...top, ...others.map((target) => ({ target, headers: {} }))]);
  }

  /** The list for the next boot: twice what is warmed then, because some of it may not be asked for any more. */
  async #write(): Promise<void> {
    const { known, warm, lists } = this.#settings;
    const listed = known
      .byWorth()
      .filter(({ worth, target }, place) => (place < 2 * warm.top && worth >= 1) || this.#isPinned(target));
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

const nameOf = ({ target, headers }: Asked): string => JSON.stringify([target, headers]);
