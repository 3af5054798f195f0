import { LRUCache } from 'lru-cache';
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type CacheKey, keysAtMost, type VariantField, variantKey } from '../cache/key';
import type { Reason } from '../cache/response-cache';
import { BODY_SHAPING_HEADERS } from './request-key';
import { headerIn, SECRET_HEADERS } from './request-message';
import { fieldNames, fieldOf, type RouteHeaders } from './response-headers';

/** Keys whose `Vary` fields are remembered. The fields of other keys are learned again, at the price of a miss. */
const MAX_KEYS = 10_000;

/** `Vary` fields of all responses of the application together: each makes the spellings of requests longer. */
const MAX_FIELDS = 50;

/** Lists without quoted strings, in which case and blanks mean nothing (RFC 9110, sections 12.5.2 to 12.5.4). */
const LISTS: ReadonlySet<string> = new Set(['accept-charset', 'accept-encoding', 'accept-language']);

const READABLE: ReadonlySet<string> = new Set([...LISTS, 'accept', 'origin']);
const LONGEST_READABLE = 200;

/** Whether a header's values stand in keys as they are. Any other value may be a secret, and a digest stands for it. */
export const isReadable = (name: string): boolean => READABLE.has(name);

/** The request headers that a response names in `Vary` and its key lacks; or why it cannot be stored. */
export const variedBy = (
  produced: Pick<RouteHeaders, 'headers'>,
  keyedHeaders: readonly string[],
): readonly string[] | { readonly unstorable: Reason } => {
  const named = fieldNames(fieldOf(produced, 'vary') ?? '');
  const fields = named.filter((name) => !keyedHeaders.includes(name) && !BODY_SHAPING_HEADERS.includes(name));
  // A handler that names a credential answers each caller differently: see `keys.useAuth`.
  const refused = fields.find((name) => name === '*' || SECRET_HEADERS.includes(name));
  return refused === undefined ? fields : { unstorable: { code: 'vary', detail: `Vary: ${refused}` } };
};

/**
 * The request headers by which the responses under a key vary, as named by handlers in `Vary`. All fields that any
 * response under a key has named tell its variants apart, and each variant is an entry of its own. Each process learns
 * the fields for itself: as long as it does not know them, it finds none of the variants, which costs no more than a
 * miss.
 */
export class Variants {
  /** The fields by which the responses under each key have varied so far. */
  readonly #known = new LRUCache<CacheKey, readonly string[]>(keysAtMost(MAX_KEYS));
  readonly #fields = new Set<string>();
  readonly #onField: (name: string) => void;

  /** @param onField called when a field is named for the first time, before a response that varies by it is stored. */
  constructor(onField: (name: string) => void = () => undefined) {
    this.#onField = onField;
  }

  /** The fields by which the responses under a key have varied so far. */
  fieldsOf(key: CacheKey): readonly string[] {
    return this.#known.get(key) ?? [];
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
   * Notes the fields by which a response varies.
   *
   * @param named see {@link variedBy}.
   * @returns the key under which the response is stored; `undefined` if too many different fields are named.
   */
  learn(key: CacheKey, named: readonly string[], headers: IncomingHttpHeaders): CacheKey | undefined {
    const fields = [...new Set([...this.fieldsOf(key), ...named])].sort();
    if (fields.length === 0) return key;
    if (new Set([...this.#fields, ...fields]).size > MAX_FIELDS) return undefined;
    for (const name of fields) {
      if (this.#fields.has(name)) continue;
      this.#fields.add(name);
      this.#onField(name);
    }
    this.#known.set(key, fields);
    return this.keyFor(key, headers);
  }
}

const fieldIn = (headers: IncomingHttpHeaders, name: string): VariantField => {
  const value = headerIn(headers, name);
  if (value === undefined) return { name };
  if (isReadable(name) && value.length <= LONGEST_READABLE)
    return { name, value: LISTS.has(name) ? value.toLowerCase().replace(/\s/g, '') : value };
  return { name, digest: createHash('sha256').update(value).digest('base64url') };
};
