import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type CacheKey, type VariantField, variantKey } from '../cache/key';
import type { Reason } from '../cache/response-cache';
import { BODY_SHAPING_HEADERS } from './request-key';
import { CREDENTIAL_HEADERS, headerIn } from './request-message';
import { fieldNames, fieldOf, type RouteHeaders } from './response-headers';

/** Answers that are kept under one key; another takes the place of the oldest. */
const MAX_VARIANTS = 20;

/** Keys whose fields are remembered. The others are learned again, at the price of a miss. */
const MAX_KEYS = 10_000;

/** Fields by which the application's answers vary, all together: each makes spellings of requests longer. */
const MAX_FIELDS = 50;

/** Lists without quoted strings, whose case and blanks mean nothing (RFC 9110, sections 12.5.2 to 12.5.4). */
const LISTS: ReadonlySet<string> = new Set(['accept-charset', 'accept-encoding', 'accept-language']);

/** What may be read in a key. Anything else may be a secret, and is there as a digest. */
const READABLE: ReadonlySet<string> = new Set([...LISTS, 'accept', 'origin']);
const LONGEST_READABLE = 200;

/** Request headers that a handler's answer varies by, beside those of every key; or why it cannot be kept. */
export const variedBy = (
  produced: Pick<RouteHeaders, 'headers'>,
  keyedHeaders: readonly string[],
): readonly string[] | { readonly unstorable: Reason } => {
  const named = fieldNames(fieldOf(produced, 'vary') ?? '');
  const fields = named.filter((name) => !keyedHeaders.includes(name) && !BODY_SHAPING_HEADERS.includes(name));
  // Who names a credential answers each caller for themselves: see `keys.useAuth`.
  const refused = fields.find((name) => name === '*' || CREDENTIAL_HEADERS.includes(name));
  return refused === undefined ? fields : { unstorable: { code: 'vary', detail: `Vary: ${refused}` } };
};

interface Known {
  readonly fields: readonly string[];
  /** The oldest first. */
  readonly kept: Set<CacheKey>;
}

/**
 * By which request headers the answers under a key vary, as handlers have said it in `Vary`. All fields that any answer of
 * a key has named tell its variants apart, and each variant is an entry of its own: whoever does not know of the fields
 * finds none of them, and no more than that. So each process learns them for itself.
 */
export class Variants {
  readonly #known = new LRUCache<CacheKey, Known>({ max: MAX_KEYS });
  readonly #fields = new Set<string>();
  readonly #onField: (name: string) => void;

  /** @param onField told of each field when it is named for the first time, before anything is kept that varies by it. */
  constructor(onField: (name: string) => void = () => undefined) {
    this.#onField = onField;
  }

  /** By what the answers under a key have varied so far. */
  fieldsOf(key: CacheKey): readonly string[] {
    return this.#known.get(key)?.fields ?? [];
  }

  /** The key of the variant for a request with these headers. */
  keyFor(key: CacheKey, headers: IncomingHttpHeaders): CacheKey {
    const fields = this.fieldsOf(key);
    return fields.length === 0
      ? key
      : variantKey(
          key,
          fields.map((name) => fieldIn(headers, name)),
        );
  }

  /**
   * Takes note of what an answer varies by.
   *
   * @param onDropped given the variant whose place it takes, if so.
   * @returns the key to keep it under; `undefined` where too many different fields are named.
   */
  learn(
    key: CacheKey,
    named: readonly string[],
    headers: IncomingHttpHeaders,
    onDropped: (key: CacheKey) => void,
  ): CacheKey | undefined {
    const known = this.#known.get(key);
    if (known === undefined && named.length === 0) return key;
    const fields = [...new Set([...(known?.fields ?? []), ...named])].sort();
    if (new Set([...this.#fields, ...fields]).size > MAX_FIELDS) return undefined;
    for (const name of fields) {
      if (this.#fields.has(name)) continue;
      this.#fields.add(name);
      this.#onField(name);
    }
    const kept = known?.kept ?? new Set();
    this.#known.set(key, { fields, kept });
    const variant = this.keyFor(key, headers);
    kept.delete(variant);
    kept.add(variant);
    const [oldest] = kept;
    if (kept.size > MAX_VARIANTS && oldest !== undefined) {
      kept.delete(oldest);
      onDropped(oldest);
    }
    return variant;
  }
}

const fieldIn = (headers: IncomingHttpHeaders, name: string): VariantField => {
  const value = headerIn(headers, name);
  if (value === undefined) return { name };
  if (READABLE.has(name) && value.length <= LONGEST_READABLE)
    return { name, value: LISTS.has(name) ? value.toLowerCase().replace(/\s/g, '') : value };
  return { name, digest: createHash('sha256').update(value).digest('base64url') };
};
