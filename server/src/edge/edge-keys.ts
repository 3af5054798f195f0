import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { EdgeKey } from '../cache/edge-purge';
import { EVERYTHING, type Tag } from '../cache/tag';
import { tableOf } from '../dependencies/dependency-tags';

/** 48 bits, in the characters of base64url. */
const KEY_LENGTH = 8;

/** Keys of tags remembered; hashing them again costs a microsecond each. */
const MAX_REMEMBERED = 50_000;

/** Names of what answers carry whose keys would be too long: no tag has a blank in front. */
const tableName = (table: string): string => ` ${table}`;
const ANYTHING = ' ';

/** Gives tags the keys that answers carry, and that are purged when the tags are stamped. */
export class EdgeKeys {
  readonly #keys = new LRUCache<string, EdgeKey>({ max: MAX_REMEMBERED });
  readonly #prefix: string;
  readonly #maxBytes: number;
  readonly #separator: string;
  readonly #quote: string;

  /**
   * @param header names the response header, whose syntax follows from it: `Cache-Groups` is a list of strings (RFC 9875,
   *   section 2), `Cache-Tag` has commas, all others have spaces.
   * @param maxBytes of the header's value.
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
   * The keys of an answer that was made of what the tags name. Where they do not fit, all that a table's tags say becomes
   * one key for the table; where these do not fit either, there is one for whatever is written.
   */
  ofAnswer(tags: Iterable<Tag>): readonly EdgeKey[] {
    const distinct = [...new Set(tags)];
    const keys = distinct.map((tag) => this.#keyOf(tag));
    if (this.#fit(keys.length)) return keys;
    const tables = new Set(distinct.filter((tag) => tag !== EVERYTHING).map((tag) => tableName(tableOf(tag))));
    const everything = this.#keyOf(EVERYTHING);
    const ofTables = [everything, ...[...tables].map((name) => this.#keyOf(name))];
    return this.#fit(ofTables.length) ? ofTables : [everything, this.#keyOf(ANYTHING)];
  }

  /** Everything that an answer made of one of these may carry. */
  ofPurge(tags: Iterable<Tag>): ReadonlySet<EdgeKey> {
    const keys = new Set([this.#keyOf(ANYTHING)]);
    for (const tag of tags) {
      keys.add(this.#keyOf(tag));
      if (tag !== EVERYTHING) keys.add(this.#keyOf(tableName(tableOf(tag))));
    }
    return keys;
  }

  /** Every answer carries it. */
  get everything(): EdgeKey {
    return this.#keyOf(EVERYTHING);
  }

  /** The header's value; `own`: what stands there already. */
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
