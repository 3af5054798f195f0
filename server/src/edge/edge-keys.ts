import { createHash } from 'node:crypto';
import type { EdgeKey } from '../cache/edge-purge';
import { lruByText } from '../cache/lru-by-text';
import { EVERYTHING, type Tag } from '../cache/tag';
import { namedBy } from '../dependencies/tags';

/** 48 bits, in the characters of base64url. */
const KEY_LENGTH = 8;

/** Maximum number of tags whose keys are remembered; hashing a tag again costs a microsecond. */
const MAX_REMEMBERED = 50_000;

/**
 * Hashed to the keys that a response carries if those of its tags do not fit: one for each table, and for each content
 * type that can be purged. No tag begins with a space.
 */
const groupOf = (tag: Tag): string => ` ${namedBy(tag).group}`;
const ANYTHING = ' ';

/** Turns tags into the keys that responses carry, and that are purged when the tags are stamped. */
export class EdgeKeys {
  readonly #keys = lruByText<string, EdgeKey>(MAX_REMEMBERED);
  readonly #prefix: string;
  readonly #maxBytes: number;
  readonly #separator: string;
  readonly #quote: string;

  /**
   * @param header name of the response header, which decides on its syntax: `Cache-Groups` is a list of strings (RFC
   *   9875, section 2), `Cache-Tag` has commas, all others have spaces.
   * @param maxBytes maximum length of the header's value.
   * @param prefix keeps applications behind one edge apart.
   */
  constructor(header: string, maxBytes: number, prefix: string) {
    const name = header.toLowerCase();
    this.#quote = name === 'cache-groups' ? '"' : '';
    this.#separator = this.#quote !== '' ? ', ' : name === 'cache-tag' ? ',' : ' ';
    this.#maxBytes = maxBytes;
    this.#prefix = prefix;
  }

  /**
   * The keys of a response that was made from what the tags name. If they do not fit into the header, the keys of each
   * table are replaced by one for the table; if these do not fit either, by one that every write purges.
   */
  ofAnswer(tags: Iterable<Tag>): readonly EdgeKey[] {
    const distinct = [...new Set(tags)];
    const keys = distinct.map((tag) => this.#keyOf(tag));
    if (this.#fit(keys.length)) return keys;
    const groups = new Set(distinct.filter((tag) => tag !== EVERYTHING).map(groupOf));
    const everything = this.#keyOf(EVERYTHING);
    const ofGroups = [everything, ...[...groups].map((name) => this.#keyOf(name))];
    return this.#fit(ofGroups.length) ? ofGroups : [everything, this.#keyOf(ANYTHING)];
  }

  /** All keys to purge when these tags are stamped: those that a response with one of these tags may carry. */
  ofPurge(tags: Iterable<Tag>): ReadonlySet<EdgeKey> {
    const keys = new Set([this.#keyOf(ANYTHING)]);
    for (const tag of tags) {
      keys.add(this.#keyOf(tag));
      if (tag !== EVERYTHING) keys.add(this.#keyOf(groupOf(tag)));
    }
    return keys;
  }

  /** Those of the tags that name a table, or a content type, of which any response has been given one of these keys. */
  ofShown(tags: readonly Tag[], keys: ReadonlySet<EdgeKey>): readonly Tag[] {
    if (keys.has(this.#keyOf(ANYTHING))) return tags;
    const isGiven = (tag: Tag): boolean => keys.has(this.#keyOf(tag)) || keys.has(this.#keyOf(groupOf(tag)));
    const shown = new Set(tags.filter((tag) => tag !== EVERYTHING && isGiven(tag)).map(groupOf));
    return tags.filter((tag) => shown.has(groupOf(tag)));
  }

  /** The key that every response carries. */
  get everything(): EdgeKey {
    return this.#keyOf(EVERYTHING);
  }

  /** The header's value. `own` is the value that the header has already; it comes first. */
  format(keys: readonly EdgeKey[], own = ''): string {
    const all = keys.map((key) => this.#quote + key + this.#quote);
    return (own === '' ? all : [own, ...all]).join(this.#separator);
  }

  #fit(count: number): boolean {
    const each = KEY_LENGTH + 2 * this.#quote.length + this.#separator.length;
    return count * each - this.#separator.length <= this.#maxBytes;
  }

  #keyOf(name: string): EdgeKey {
    const known = this.#keys.get(name);
    if (known !== undefined) return known;
    const digest = createHash('sha256').update(`${this.#prefix}\n${name}`).digest('base64url');
    const key = digest.slice(0, KEY_LENGTH) as EdgeKey;
    this.#keys.set(name, key);
    return key;
  }
}
