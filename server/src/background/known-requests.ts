import type { Context } from 'koa';
import type { Entry } from '../cache/entry';
import { isUnchanged } from '../cache/freshness';
import type { CacheKey } from '../cache/key';
import { NO_INVALIDATION, type Sequence } from '../cache/sequence';
import type { Tag } from '../cache/tag';
import { TagTexts } from '../cache/tag-texts';
import { CREDENTIAL_HEADERS } from '../config/hitpass';
import { originalHeaders } from '../http/request-key';
import { isReadable } from '../http/variants';
import type { Asked } from './own-requests';

/** How to ask for a response that anybody may have, and what it was worth to visitors: milliseconds that hits have saved. */
export interface Listed extends Asked {
  readonly key: CacheKey;
  readonly worth: number;
}

type Stored = Pick<Entry, 'key' | 'tags' | 'createdAt' | 'sequence' | 'cost'>;

/** `worth` is that of earlier responses; the entry of the latest is missing if another process has listed it. */
type Known = Listed & { readonly stored?: Stored; readonly bytes: number };

/** How much is remembered at least, in bytes, of those whose responses are worth most. Each purge looks at all tags. */
const MAX_BYTES = 2_000_000;

/** Callers choose how long texts are. Of a tag, a pointer is held. */
const bytesOf = ({ key, target, headers, stored }: Omit<Known, 'bytes'>): number =>
  JSON.stringify([key, target, headers]).length + 8 * (stored?.tags.length ?? 0);

/** Koa's `ctx.host` and `ctx.protocol`, of which handlers make absolute URLs. */
const OF_THE_ADDRESS: readonly string[] = ['host', 'x-forwarded-host', 'x-forwarded-proto'];

/**
 * The request of a visitor, with the headers of these names; `undefined` if it carries a credential, or a value that may
 * be a secret, of which the key holds a digest alone.
 *
 * @param keyed names of the headers in the key.
 * @param varied names of those by which the responses under the key vary.
 */
export const askedBy = (ctx: Context, keyed: readonly string[], varied: readonly string[] = []): Asked | undefined => {
  const headers = originalHeaders(ctx);
  const digested = varied.filter((name) => !keyed.includes(name) && !isReadable(name));
  if ([...CREDENTIAL_HEADERS, ...digested].some((name) => headers[name] !== undefined)) return undefined;
  const sent = [...OF_THE_ADDRESS, ...keyed, ...varied].filter((name) => headers[name] !== undefined);
  return { target: ctx.originalUrl, headers: Object.fromEntries(sent.map((name) => [name, String(headers[name])])) };
};

/** Remembers how to ask again for the responses that anybody may have, and what each of them is worth. */
export class KnownRequests {
  readonly #byKey = new Map<CacheKey, Known>();
  readonly #texts = new TagTexts();
  #bytes = 0;
  readonly #hitsOf: (stored: Stored) => number;

  /** @param hitsOf how often an entry was served. */
  constructor(hitsOf: (stored: Stored) => number) {
    this.#hitsOf = hitsOf;
  }

  /** Notes what earlier processes have listed. It is worth less, so that what nobody asks for disappears. */
  noteListed(listed: readonly Listed[]): void {
    // What several have listed is worth what it was worth most.
    for (const each of [...listed].sort(mostFirst))
      if (!this.#byKey.has(each.key)) this.#remember({ ...each, worth: each.worth / 2 });
  }

  note(asked: Asked, { key, tags, createdAt, sequence, cost }: Entry): void {
    const known = this.#byKey.get(key);
    // A response that was purged before anybody asked again is still worth something.
    const worth = known === undefined ? 0 : this.#worthOf(known) / 2;
    this.#remember({ ...asked, key, worth, stored: { key, tags: this.#texts.share(tags), createdAt, sequence, cost } });
  }

  #remember(known: Omit<Known, 'bytes'>): void {
    const bytes = bytesOf(known);
    this.#bytes += bytes - (this.#byKey.get(known.key)?.bytes ?? 0);
    this.#byKey.set(known.key, { ...known, bytes });
    if (this.#bytes > 2 * MAX_BYTES) this.#forgetLeast();
  }

  #forgetLeast(): void {
    this.#bytes = 0;
    for (const { key, bytes } of this.byWorth())
      if (this.#bytes + bytes <= MAX_BYTES) this.#bytes += bytes;
      else this.#byKey.delete(key);
  }

  of(key: CacheKey): Asked | undefined {
    return this.#byKey.get(key);
  }

  /** Of the latest response all, of earlier ones less and less. No hit is worth nothing. */
  #worthOf({ stored, worth }: Known): number {
    return worth + (stored === undefined ? 0 : this.#hitsOf(stored) * (stored.cost + 1));
  }

  /**
   * Those whose response has one of these keys, or was computed before one of these tags was stamped; the most valuable
   * first.
   *
   * @param purged keys and tags, each with at least the number of its stamp.
   */
  concernedBy(purged: ReadonlyMap<Tag | CacheKey, Sequence>): Known[] {
    const stampOf = (name: Tag): Sequence => purged.get(name) ?? NO_INVALIDATION;
    return this.byWorth(
      ({ key, stored }) =>
        purged.has(key) || (stored !== undefined && !isUnchanged(stored.tags, stored.sequence, stampOf)),
    );
  }

  /** All of them, or those for which `isMeant` holds, the most valuable first. */
  byWorth(isMeant: (known: Known) => boolean = () => true): Known[] {
    return [...this.#byKey.values()]
      .filter(isMeant)
      .map((known) => ({ ...known, worth: this.#worthOf(known) }))
      .sort(mostFirst);
  }
}

const mostFirst = (one: Listed, other: Listed): number => other.worth - one.worth;
