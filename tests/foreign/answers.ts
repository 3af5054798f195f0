import type { Seeded } from '../differential/seeded';
import { Browser, type Answer, type Question } from './answer';
import type { Caller } from './callers';
import { difference, isSameJson } from './same-answer';
import type { Url } from './urls';

/** An answer that differs from the application's own. */
export interface Finding {
  /**
   * `stale`: older than the last write. `shared`: another caller's answer. `bytes`: other bytes or headers, although
   * the answer was computed or is equivalent.
   */
  readonly sort: 'stale' | 'shared' | 'bytes';
  readonly after: string;
  readonly url: string;
  readonly caller: string;
  readonly what: string;
}

/** A URL with one of its callers. */
interface Pair {
  readonly url: Url;
  readonly caller: Caller;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether a difference was already reported. It is not reported again until the entry changes. */
  isKnown: boolean;
}

export interface AnswersSettings {
  readonly cached: string;
  readonly twin: string;
  readonly urls: readonly Url[];
  readonly callers: readonly Caller[];
  readonly random: Seeded;
  /** How many of a URL's callers ask after a write. */
  readonly sampled: number;
}

const CONCURRENCY = 4;

/** Requests the cached application and its uncached twin, and compares their answers. */
export class Answers {
  readonly findings: Finding[] = [];
  /** Cases in which the cache did not do what the table of URLs expects. */
  readonly unexpected = new Set<string>();
  asked = 0;
  hits = 0;
  compared = 0;
  /** How many pairs were answered by another caller's entry when they asked first, by path. */
  readonly shared = new Map<string, number>();
  readonly #cached: Browser;
  readonly #twin: Browser;
  readonly #random: Seeded;
  readonly #sampled: number;
  readonly #pairs: readonly Pair[];
  readonly #steady: readonly Pair[];
  readonly #byUrl: ReadonlyArray<readonly Pair[]>;

  constructor({ cached, twin, urls, callers, random, sampled }: AnswersSettings) {
    this.#cached = new Browser(cached);
    this.#twin = new Browser(twin);
    this.#random = random;
    this.#sampled = sampled;
    this.#byUrl = urls.map((url) =>
      callersOf(url, callers).map((caller) => ({
        url,
        caller,
        headers: { ...url.headers, ...caller.headers },
        isKnown: false,
      })),
    );
    this.#pairs = this.#byUrl.flat();
    this.#steady = this.#pairs.filter(({ url }) => url.isEmptying !== true);
  }

  get urls(): readonly Url[] {
    return this.#byUrl.flatMap(([first]) => (first === undefined ? [] : [first.url]));
  }

  /** The number of pairs of a URL and a caller. */
  get size(): number {
    return this.#pairs.length;
  }

  /** Fills the cache, and checks that it stores what the table of URLs expects. */
  async warm(): Promise<void> {
    const absent: Pair[] = [];
    await this.#each(this.#pairs, async (pair) => {
      const first = await this.#ask(pair);
      const { path } = pair.url;
      if (first.cache === 'HIT') this.shared.set(path, (this.shared.get(path) ?? 0) + 1);
      await this.#ask(pair);
      const { cache, status, body } = await this.#look('nothing was written', pair, true);
      const { expected } = pair.url;
      const isToBeCached = expected === 'cached' || (expected === 'public' && pair.caller.name === 'anonymous');
      const isRefused = status >= 300 || isGraphqlRefusal(body);
      if (isToBeCached && !isRefused && cache !== 'HIT') absent.push(pair);
      if (status >= 500) this.unexpected.add(`${urlOf(pair)} answers ${status}`);
    });
    // Some entries were invalidated by other requests of the first round.
    for (const pair of absent) {
      await this.#ask(pair);
      const { cache, headers } = await this.#ask(pair);
      const reason = headers.find(([name]) => name === 'cache-status')?.[1];
      if (cache !== 'HIT') this.unexpected.add(`${urlOf(pair)} is to be cached: ${reason ?? String(cache)}`);
    }
  }

  /** Sends requests while a write is under way. Their answers must not outlive the write. */
  async besiege(written: Promise<unknown>): Promise<void> {
    let isDone = false;
    void written.finally(() => (isDone = true));
    const underWay: Array<Promise<unknown>> = [];
    for (let round = 0; round < 8; round += 1) {
      const group = this.#random.sample(this.#steady, 6);
      underWay.push(...group.map((pair) => this.#ask(pair)));
      // The requests of the last round are sent immediately after the acknowledgement.
      if (isDone) break;
      await Promise.race([written, Promise.all(underWay.slice(-6))]);
    }
    await Promise.all([written, ...underWay]);
  }

  /** Requests every URL: as one caller, as some if callers make a difference, and now and then as all of them. */
  async compare(after: string): Promise<void> {
    const isThorough = this.#random.below(16) === 0;
    const chosen: Pair[] = [];
    for (const group of this.#byUrl.filter(([pair]) => isThorough || pair?.url.isEmptying !== true))
      chosen.push(...(isThorough ? group : this.#random.sample(group, group.length > 2 ? this.#sampled : 1)));
    await this.#each(chosen, async (pair) => {
      await this.#look(after, pair, this.#random.below(6) === 0);
    });
  }

  close(): void {
    this.#cached.close();
    this.#twin.close();
  }

  /** Requests one answer, and compares it with the twin's if it came from the cache or if `always` is set. */
  async #look(after: string, pair: Pair, always: boolean): Promise<Answer> {
    const answer = await this.#ask(pair);
    if (answer.cache !== 'HIT') pair.isKnown = false;
    if (answer.cache === 'HIT' && typeof pair.url.expected === 'object')
      this.unexpected.add(`${urlOf(pair)} is never to be a HIT: ${pair.url.expected.never}`);
    if (answer.cache !== 'HIT' && !always) return answer;
    this.compared += 1;
    const correct = await this.#twin.ask(questionOf(pair));
    const what = difference(answer, correct);
    if (what === undefined || pair.isKnown) return answer;
    // If the application itself gives a different answer each time, the table of URLs is wrong and not the cache.
    const again = await this.#twin.ask(questionOf(pair));
    const unsteady = difference(correct, again);
    if (unsteady !== undefined) {
      this.unexpected.add(`${urlOf(pair)} is never the same: ${unsteady}`);
      return answer;
    }
    pair.isKnown = true;
    const isComputed = answer.cache !== 'HIT';
    const isAlike = answer.status === correct.status && isSameJson(answer.body, correct.body);
    const isBytes = isComputed || isAlike || answer.body === correct.body;
    const sort = isBytes ? 'bytes' : await this.#sortOf(pair, answer);
    this.findings.push({
      sort,
      after,
      url: urlOf(pair),
      caller: pair.caller.name,
      what: `${String(answer.cache)} ${what}`,
    });
    return answer;
  }

  /** Whether the answer is one that another caller would get (`shared`) or an older one (`stale`). */
  async #sortOf(pair: Pair, answer: Answer): Promise<Finding['sort']> {
    for (const other of this.#pairs) {
      if (other === pair || other.url.path !== pair.url.path || other.url.body !== pair.url.body) continue;
      const theirs = await this.#twin.ask(questionOf(other));
      if (theirs.status === answer.status && theirs.body === answer.body) return 'shared';
    }
    return 'stale';
  }

  async #ask(pair: Pair): Promise<Answer> {
    const answer = await this.#cached.ask(questionOf(pair));
    this.asked += 1;
    if (answer.cache === 'HIT') this.hits += 1;
    return answer;
  }

  async #each(pairs: readonly Pair[], look: (pair: Pair) => Promise<void>): Promise<void> {
    const rest = pairs.values();
    await Promise.all(
      Array.from({ length: CONCURRENCY }, async () => {
        for (const pair of rest) await look(pair);
      }),
    );
  }
}

/** Two users of each role stand for all where they do not share. */
const callersOf = ({ isForAll, ofRole }: Url, callers: readonly Caller[]): readonly Caller[] => {
  if (isForAll === true) return callers.slice(0, 2);
  return ofRole === 'own' ? callers.filter((_, index) => index % 5 < 2) : callers;
};

const questionOf = ({ url: { path, body }, headers }: Pair): Question => ({ path, body, headers });

/** GraphQL answers 200 to a caller who lacks a permission. */
const isGraphqlRefusal = (body: string): boolean => body.startsWith('{"errors":[');

const urlOf = ({ url: { path, body = '', headers } }: Pair): string =>
  `${path}${body}${headers === undefined ? '' : ` with ${JSON.stringify(headers)}`}`;
