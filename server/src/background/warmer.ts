import { setTimeout as pause } from 'node:timers/promises';
import type { CacheKey } from '../cache/key';
import type { Provider, SharedLists } from '../cache/provider';
import type { Sequence } from '../cache/sequence';
import type { Tag } from '../cache/tag';
import type { ResolvedWarm } from '../config/resolved-config';
import type { Asked, KnownRequests } from './known-requests';
import type { Send } from './own-requests';
import { rest } from './pace';
import { readList, writeList } from './warm-list';

export interface WarmerSettings {
  readonly warm: ResolvedWarm;
  readonly known: KnownRequests;
  readonly provider: Pick<Provider, 'lookup' | 'health' | 'knownSequence'>;
  readonly send: Send;
  /** Where the list for the next boot is kept. */
  readonly lists: SharedLists;
  /** Called with what keeps the URLs of the user from being warmed. */
  readonly onError: (error: unknown) => void;
  /** Runs work outside of any request. */
  readonly outside: <T>(work: () => T) => T;
}

/** A response to compute, unless it is there by then. */
interface Waiting extends Asked {
  readonly key: CacheKey | undefined;
}

/** Writes that follow each other within this time count as one. The first of them is acknowledged by then. Milliseconds. */
const SETTLING = 50;

/** How often the list for the next boot is written, in milliseconds. */
const LISTING = 60_000;

/** How much of the latest purge is warm again. */
export interface WarmState {
  readonly purged: number;
  readonly warm: number;
}

/** Computes the most wanted responses again before a visitor asks for them. */
export class Warmer {
  readonly #settings: WarmerSettings;
  /** By target and headers: each request waits once. The next one is the first. */
  #queue = new Map<string, Waiting>();
  /** Tags that were stamped, and keys of entries that were deleted, with the number that was known then. */
  readonly #purged = new Map<Tag | CacheKey, Sequence>();
  #isSettling = false;
  #workers = 0;
  #isClosed = false;
  /** How many requests the latest purge has concerned, and which of them are not warm again. */
  #ofPurge = { count: 0, cold: new Set<string>() };
  /** Targets of the user, which are warmed whoever asks for them. */
  readonly #pinned = new Set<string>();
  #patterns: readonly RegExp[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: WarmerSettings) {
    this.#settings = settings;
  }

  get state(): WarmState {
    const { count, cold } = this.#ofPurge;
    return { purged: count, warm: count - cold.size };
  }

  /**
   * Called after tags were stamped, by this process or another, or entries deleted one by one. Returns at once: the writer
   * waits for it.
   */
  purged(names: ReadonlyArray<Tag | CacheKey>): void {
    if (!this.#settings.warm.afterWrites || this.#isClosed) return;
    for (const name of names) this.#purged.set(name, this.#settings.provider.knownSequence());
    if (this.#isSettling) return;
    this.#isSettling = true;
    this.#settings.outside(() => setTimeout(() => this.#settled(), SETTLING).unref());
  }

  #settled(): void {
    this.#isSettling = false;
    const { known, warm } = this.#settings;
    const concerned = known.concernedBy(this.#purged);
    this.#purged.clear();
    const wanted = concerned.filter(({ worth }) => worth > 0).slice(0, warm.top);
    const chosen = new Set([...wanted, ...concerned.filter(({ target }) => this.#isPinned(target))]);
    if (chosen.size === 0) return;
    this.#ofPurge = { count: chosen.size, cold: new Set([...chosen].map(nameOf)) };
    this.#prepend([...chosen]);
  }

  #isPinned(target: string): boolean {
    return this.#pinned.has(target) || this.#patterns.some((pattern) => pattern.test(target));
  }

  /** Puts these first. */
  #prepend(requests: readonly Waiting[]): void {
    const before = this.#queue;
    this.#queue = new Map(requests.map((request) => [nameOf(request), request]));
    for (const [name, request] of before) if (!this.#queue.has(name)) this.#queue.set(name, request);
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
      const isWarm = await this.#warm(request).catch(() => false);
      if (isWarm) this.#ofPurge.cold.delete(name);
      worked = performance.now() - began;
    }
    this.#workers -= 1;
  }

  async #warm({ key, target, headers }: Waiting): Promise<boolean> {
    const { provider, send } = this.#settings;
    if (key !== undefined && (await provider.lookup(key)).entry !== undefined) return true;
    let outcome = await send(target, headers, 'warm');
    // What was read before the process knew the store's number, or before a write, is not stored.
    if (outcome.kind === 'uncached' && outcome.reason.code === 'changed') outcome = await send(target, headers, 'warm');
    return outcome.kind === 'stored' || outcome.kind === 'hit';
  }

  /** Called once the server listens. */
  async begin(): Promise<void> {
    const { warm, known, lists, provider } = this.#settings;
    this.#timer = setInterval(() => void this.#write(), LISTING).unref();
    while (provider.health().state !== 'up' && !this.#isClosed) await pause(100, undefined, { ref: false });
    known.noteListed(await readList(lists));
    const urls = await this.#urls();
    this.#patterns = urls.filter((url) => url.includes('*')).map(patternOf);
    for (const url of urls) if (!url.includes('*')) this.#pinned.add(url);
    if (!warm.atBoot || this.#isClosed) return;
    const top = known.byWorth().filter(({ target }, place) => place < warm.top || this.#isPinned(target));
    const others = [...this.#pinned].filter((url) => !top.some(({ target }) => target === url));
    this.#prepend([...top, ...others.map((target) => ({ key: undefined, target, headers: {} }))]);
  }

  async #urls(): Promise<readonly string[]> {
    const { warm, onError } = this.#settings;
    try {
      const urls: unknown = typeof warm.urls === 'function' ? await warm.urls() : warm.urls;
      const listed: readonly unknown[] = Array.isArray(urls) ? urls : [];
      return listed.filter((url): url is string => typeof url === 'string' && url.startsWith('/'));
    } catch (error) {
      onError(error);
      return [];
    }
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

const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .split('*')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );
