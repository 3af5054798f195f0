import type { Context } from 'koa';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { Tag } from '../cache/tag';
import { CREDENTIAL_HEADERS } from '../config/hitpass';
import { isReadable } from '../http/variants';
import type { Headers } from './own-requests';

/** How to ask for a response that anybody may have. */
export interface Asked {
  readonly target: string;
  /** The headers that count in the key, and those by which the application knows its own address. */
  readonly headers: Headers;
  /** Whether a value may be a secret, of which the key holds a digest alone: it is written to no list. */
  readonly isSecret?: boolean | undefined;
}

/** A request whose response was stored lately. */
export interface KnownRequest extends Asked, Pick<Entry, 'key' | 'tags' | 'createdAt' | 'sequence' | 'cost'> {
  /** What the earlier responses under this key were worth. */
  readonly worthBefore: number;
}

/** The number of requests that are remembered at least, those whose responses are worth most. */
const MAX_KNOWN = 2000;

/** Longer requests, in characters, are not remembered: callers choose how long they are. */
const LONGEST = 8000;

/** Koa's `ctx.host` and `ctx.protocol`, of which handlers make absolute URLs. */
const OF_THE_ADDRESS: readonly string[] = ['host', 'x-forwarded-host', 'x-forwarded-proto'];

/**
 * The request of a visitor, with the headers of these names; `undefined` if it carries a credential.
 *
 * @param keyed names of the headers in the key.
 * @param varied names of those by which the responses under the key vary.
 */
export const askedBy = (
  { req, originalUrl }: Context,
  keyed: readonly string[],
  varied: readonly string[] = [],
): Asked | undefined => {
  const { headers } = req;
  if (CREDENTIAL_HEADERS.some((name) => headers[name] !== undefined)) return undefined;
  const sent = [...OF_THE_ADDRESS, ...keyed, ...varied].filter((name) => headers[name] !== undefined);
  return {
    target: originalUrl,
    headers: Object.fromEntries(sent.map((name) => [name, String(headers[name])])),
    isSecret: varied.some((name) => headers[name] !== undefined && !keyed.includes(name) && !isReadable(name)),
  };
};

/** Remembers how to ask again for the responses that anybody may have, and what each of them is worth. */
export class KnownRequests {
  readonly #byKey = new Map<CacheKey, KnownRequest>();
  readonly #hitsOf: (entry: Pick<Entry, 'key' | 'createdAt' | 'sequence'>) => number;
  readonly #seeds = new Map<CacheKey, number>();

  /** @param hitsOf how often an entry was served. */
  constructor(hitsOf: (entry: Pick<Entry, 'key' | 'createdAt' | 'sequence'>) => number) {
    this.#hitsOf = hitsOf;
  }

  /** What a key was worth before this process has begun. */
  seed(key: CacheKey, worth: number): void {
    this.#seeds.set(key, worth);
  }

  note({ target, headers, isSecret }: Asked, { key, tags, createdAt, sequence, cost }: Entry): void {
    if (target.length + key.length + Object.values(headers).join('').length > LONGEST) return;
    const known = this.#byKey.get(key);
    // A response that was purged before anybody asked again is still worth something.
    const worthBefore = (known === undefined ? (this.#seeds.get(key) ?? 0) : this.worthOf(known)) / 2;
    this.#seeds.delete(key);
    this.#byKey.set(key, { target, headers, isSecret, key, tags, createdAt, sequence, cost, worthBefore });
    if (this.#byKey.size > 2 * MAX_KNOWN) this.#prune();
  }

  of(key: CacheKey): KnownRequest | undefined {
    return this.#byKey.get(key);
  }

  /** Milliseconds that the hits have saved: of this response all, of earlier ones less and less. No hit is worth nothing. */
  worthOf(known: KnownRequest): number {
    return this.#hitsOf(known) * (known.cost + 1) + known.worthBefore;
  }

  /** Those that one of the tags concerns. */
  concernedBy(tags: ReadonlySet<Tag>): KnownRequest[] {
    return [...this.#byKey.values()].filter((known) => known.tags.some((tag) => tags.has(tag)));
  }

  /** All of them, the most valuable first. */
  byWorth(requests: Iterable<KnownRequest> = this.#byKey.values()): KnownRequest[] {
    return [...requests]
      .map((known) => [known, this.worthOf(known)] as const)
      .sort(([, one], [, other]) => other - one)
      .map(([known]) => known);
  }

  #prune(): void {
    for (const { key } of this.byWorth().slice(MAX_KNOWN)) this.#byKey.delete(key);
  }
}
