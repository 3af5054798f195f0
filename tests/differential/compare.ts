import type { Causes } from './causes';
import { rawRequest } from '../application/raw-request';
import { NONCE } from './configuration';
import type { CachedUrl } from './urls';

interface Answer {
  readonly status: number;
  readonly cache: unknown;
  readonly body: string;
}

interface Server {
  readonly origin: string;
}

/** An entry whose bytes differ from what the application would answer. */
export interface Stale {
  readonly path: string;
  readonly served: string;
  readonly correct: string;
}

/** The state of the cached URLs since the last comparison. */
export interface Comparison {
  /** The URLs whose entries were gone. */
  readonly invalidated: readonly CachedUrl[];
  /** Those of the invalidated URLs whose bytes had really changed. */
  readonly changed: readonly CachedUrl[];
  readonly stale: readonly Stale[];
}

interface Known {
  readonly url: CachedUrl;
  last: Answer;
  /** Whether the answer was stored. One such as 403 is not, and so cannot be invalidated. */
  held: boolean;
}

/** The cached URLs, and the latest answer of each. */
export class CachedAnswers {
  readonly #server: Server;
  readonly #concurrency: number;
  readonly #causes: Causes | undefined;
  #known: Known[] = [];

  constructor(server: Server, concurrency: number, causes?: Causes) {
    this.#server = server;
    this.#concurrency = concurrency;
    this.#causes = causes;
  }

  /** Fills the cache. */
  async warm(urls: readonly CachedUrl[]): Promise<void> {
    this.#known = urls.map((url) => ({ url, last: { status: 0, cache: null, body: '' }, held: false }));
    await this.#each(async (known) => this.#renew(known, await this.#get(known.url)));
  }

  /** URLs that are not in the cache now. */
  get absent(): readonly CachedUrl[] {
    return this.#known.filter(({ held }) => !held).map(({ url }) => url);
  }

  get size(): number {
    return this.#known.length;
  }

  get held(): readonly CachedUrl[] {
    return this.#known.filter(({ held }) => held).map(({ url }) => url);
  }

  /** Requests every URL as clients do. For each hit, it also requests the URL past the cache and compares the two. */
  async compare(kind: string): Promise<Comparison> {
    const invalidated: CachedUrl[] = [];
    const changed: CachedUrl[] = [];
    const stale: Stale[] = [];
    await this.#each(async (known) => {
      const { url, last, held } = known;
      const answer = await this.#get(url);
      if (answer.cache === 'HIT') {
        const correct = await this.#getUncached(url);
        if (!isSame(answer, correct)) {
          stale.push({ path: url.path, served: describe(answer), correct: describe(correct) });
          changed.push(url);
        }
        return;
      }
      if (held) {
        invalidated.push(url);
        if (!isSame(answer, last)) changed.push(url);
        else this.#causes?.needless(kind, url.path);
      }
      await this.#renew(known, answer);
    });
    return { invalidated, changed, stale };
  }

  async #renew(known: Known, answer: Answer): Promise<void> {
    await this.#causes?.stored(known.url.path);
    const again = await this.#get(known.url);
    if (!isSame(answer, again))
      throw new Error(`${known.url.path} does not answer the same twice: ${difference(answer.body, again.body)}`);
    known.last = answer;
    known.held = again.cache === 'HIT';
  }

  async #each(look: (known: Known) => Promise<void>): Promise<void> {
    const rest = this.#known.values();
    await Promise.all(
      Array.from({ length: this.#concurrency }, async () => {
        for (const known of rest) await look(known);
      }),
    );
  }

  #get({ path, token }: CachedUrl): Promise<Answer> {
    return ask(this.#server, path, token === undefined ? {} : { authorization: `Bearer ${token}` });
  }

  /**
   * Bypasses the cache: public requests with a cookie, requests of users with a header value that no request had
   * before.
   */
  async #getUncached({ path, token }: CachedUrl): Promise<Answer> {
    nonce += 1;
    const answer = await ask(
      this.#server,
      path,
      token === undefined ? { cookie: 'uncached=1' } : { authorization: `Bearer ${token}`, [NONCE]: String(nonce) },
    );
    if (answer.cache === 'HIT') throw new Error(`${path} was to be asked past the cache`);
    return answer;
  }
}

const ask = async (server: Server, path: string, headers: Readonly<Record<string, string>>): Promise<Answer> => {
  const { status, headers: sent, body } = await rawRequest(server, path, { headers });
  return { status, cache: sent['x-cache'] ?? null, body: body.toString() };
};

/** One counter for the whole process, because several comparisons may run against one application. */
let nonce = 0;

const isSame = (one: Answer, other: Answer): boolean =>
  one.status === other.status && (one.body === other.body || inOrder(one.body) === inOrder(other.body));

/**
 * If the pool has several connections, Strapi adds populated relations in the order in which their queries end, so even
 * two uncached answers may differ. Only the order of properties is evened out here.
 */
const inOrder = (body: string): string => {
  if (!body.startsWith('{')) return body;
  return JSON.stringify(JSON.parse(body), (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)))
      : value,
  );
};

const describe = ({ status, body }: Answer): string => `${status} ${body}`;

/** The first place where two texts differ, with some context. */
export const difference = (one: string, other: string): string => {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const from = Math.max(0, at - 80);
  return `…${one.slice(from, at + 120)}… instead of …${other.slice(from, at + 120)}…`;
};
