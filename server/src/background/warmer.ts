import { setTimeout as pause } from 'node:timers/promises';
import type { CacheKey } from '../cache/key';
import type { Provider } from '../cache/provider';
import type { Sequence } from '../cache/sequence';
import type { Tag } from '../cache/tag';
import type { ResolvedWarm } from '../config/resolved-config';
import type { Asked, KnownRequest, KnownRequests } from './known-requests';
import type { Send } from './own-requests';
import { rest } from './pace';
import type { Listed, WarmList } from './warm-list';

export interface WarmerSettings {
  readonly warm: ResolvedWarm;
  readonly known: KnownRequests;
  readonly provider: Pick<Provider, 'lookup' | 'health' | 'knownSequence'>;
  readonly send: Send;
  readonly list: WarmList;
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
  #stamped = new Set<Tag>();
  #deleted = new Set<CacheKey>();
  /** At least the number of the latest stamp among these. */
  #stampedAt: Sequence | undefined;
  #isSettling = false;
  #workers = 0;
  #isClosed = false;
  #ofPurge = new Set<string>();
  #latest = { purged: 0, warm: 0 };
  /** Targets of the user, which are warmed whoever asks for them. */
  readonly #pinned = new Set<string>();
  #patterns: readonly RegExp[] = [];
  /** What was listed at the boot. */
  #listed: readonly Listed[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: WarmerSettings) {
    this.#settings = settings;
  }

  get state(): WarmState {
    return { ...this.#latest };
  }

  /** Called after tags were stamped, by this process or another. Returns at once: the writer waits for it. */
  purged(tags: readonly Tag[]): void {
    if (!this.#follows) return;
    for (const tag of tags) this.#stamped.add(tag);
    this.#stampedAt = this.#settings.provider.knownSequence();
    this.#settle();
  }

  /** Called after entries were deleted one by one. */
  deleted(keys: readonly CacheKey[]): void {
    if (!this.#follows) return;
    for (const key of keys) this.#deleted.add(key);
    this.#settle();
  }

  get #follows(): boolean {
    return this.#settings.warm.afterWrites && !this.#isClosed;
  }

  #settle(): void {
    if (this.#isSettling) return;
    this.#isSettling = true;
    this.#settings.outside(() => setTimeout(() => this.#settled(), SETTLING).unref());
  }

  #settled(): void {
    this.#isSettling = false;
    const { known, warm } = this.#settings;
    const stampedAt = this.#stampedAt ?? 0;
    // A response that was computed since is not one of those that were purged. Redis tells of each stamp once more.
    const purged = known.concernedBy(this.#stamped).filter(({ sequence }) => sequence < stampedAt);
    const deleted = [...this.#deleted].map((key) => known.of(key)).filter((request) => request !== undefined);
    this.#stamped.clear();
    this.#deleted.clear();
    const concerned = known.byWorth(new Set([...purged, ...deleted]));
    const wanted = concerned.filter((request) => known.worthOf(request) > 0).slice(0, warm.top);
    const chosen = new Set([...wanted, ...concerned.filter(({ target }) => this.#isPinned(target))]);
    if (chosen.size === 0) return;
    this.#ofPurge = new Set([...chosen].map(nameOf));
    this.#latest = { purged: chosen.size, warm: 0 };
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
      if (isWarm && this.#ofPurge.delete(name)) this.#latest.warm += 1;
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
    const { warm, known, list, provider } = this.#settings;
    this.#timer = setInterval(() => void this.#write(), LISTING).unref();
    while (provider.health().state !== 'up' && !this.#isClosed) await pause(100, undefined, { ref: false });
    this.#listed = await list.read();
    for (const { key, worth } of this.#listed) known.seed(key, worth);
    const urls = await this.#urls();
    this.#patterns = urls.filter((url) => url.includes('*')).map(patternOf);
    for (const url of urls) if (!url.includes('*')) this.#pinned.add(url);
    if (!warm.atBoot || this.#isClosed) return;
    const top = this.#listed.filter(({ target }, place) => place < warm.top || this.#isPinned(target));
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
    const { known, warm, list } = this.#settings;
    const requests = known.byWorth().filter(({ isSecret }) => isSecret !== true);
    const kept = requests.filter(
      (request, place) => (place < 2 * warm.top && known.worthOf(request) > 0) || this.#isPinned(request.target),
    );
    // A process that ends soon has not warmed all that it was to warm.
    const left = this.#listed.filter(({ key, worth }) => worth > 1 && known.of(key) === undefined);
    const listed = [
      ...kept.map((request) => listedOf(request, known.worthOf(request))),
      ...left.map((one) => ({ ...one, worth: one.worth / 2 })),
    ];
    if (listed.length > 0) await list.write(listed.slice(0, Math.max(kept.length, 2 * warm.top)));
  }

  /** Stops. Resolves once the list is written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#queue.clear();
    await this.#write();
  }
}

const listedOf = ({ key, target, headers }: KnownRequest, worth: number): Listed => ({ key, target, headers, worth });

const nameOf = ({ target, headers }: Asked): string => JSON.stringify([target, headers]);

const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .split('*')
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );
