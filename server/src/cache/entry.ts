import type { EpochMilliseconds } from './clock';
import type { CacheKey } from './key';
import type { Milliseconds } from './milliseconds';
import type { Sequence } from './sequence';
import type { Tag } from './tag';

/** A response as it went over the wire: bytes, never live objects, so that a hit re-serialises nothing. */
export interface StoredResponse {
  readonly status: number;
  /**
   * Name (as the route spelled it) and value of each header line the route itself produced, in the order it set them.
   * One name may have several lines. For `Vary`, only what the route added, unless `removed` names it.
   */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /**
   * Names (lower case) of the headers to which the route only appended: their lines are added to those that middlewares
   * in front have set. Left out if there are none.
   */
  readonly appended?: readonly string[] | undefined;
  /**
   * Names (lower case) of the headers that the route removed, whoever had set them, and `vary` if the route replaced
   * it. Left out if there are none.
   */
  readonly removed?: readonly string[] | undefined;
  /** The route's own choice whether the response is compressed (`ctx.compress`); left out if it made none. */
  readonly compress?: boolean | undefined;
  readonly body: Buffer;
  /**
   * What the controller left as the body. `json`: a value to serialise; `text`: a string; left out: bytes; `nothing`:
   * only a status; `untouched`: neither body nor status, which Strapi makes a 404; `error`: it threw what `body`
   * describes.
   */
  readonly left?: 'json' | 'text' | 'nothing' | 'untouched' | 'error' | undefined;
  /** Strong entity tag over `body` (RFC 9110, section 8.8.3), quotes included; `undefined` unless `enableEtag`. */
  readonly etag: string | undefined;
}

/** Where an entry belongs in the configuration; what admins see and purge by. */
export interface EntryLabels {
  /** Uid of the content type whose configuration cached it. */
  readonly contentType: string;
  /** The configured route's path pattern, such as `/api/articles/:id`. */
  readonly route: string;
  /** Route parameters as matched, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** The caller's identity, `''` for an entry shared by all callers. */
  readonly identity: string;
}

/** What the cache holds under a key. */
export interface Entry {
  readonly key: CacheKey;
  readonly response: StoredResponse;
  readonly labels: EntryLabels;
  /** Everything the response was computed from. */
  readonly tags: readonly Tag[];
  /**
   * Whether `tags` include what other requests read while the response was computed: its handler may have waited for
   * their work.
   */
  readonly readElsewhere?: boolean | undefined;
  /**
   * What the handler itself asked `strapi.auth.verify` for and was granted: each time the argument `config`, as JSON.
   * Left out if there is none.
   */
  readonly granted?: readonly string[] | undefined;
  /** The sequence number noted before anything the response depends on was read. */
  readonly sequence: Sequence;
  readonly createdAt: EpochMilliseconds;
  readonly maxAge: Milliseconds;
  /** How long the entry is kept beyond its `maxAge`, for `Provider.lookupExpired`; left out if it is not kept. */
  readonly keptFor?: Milliseconds | undefined;
  /** How long the computation of the response took, which is what one hit saves. */
  readonly cost: Milliseconds;
}

/** Bytes that an entry occupies at least. */
export const LEAST_SIZE = 256;

/** Bytes an entry occupies: its body, and an estimate of the rest. */
export const sizeOf = (entry: Entry): number => {
  let size = entry.response.body.byteLength + 2 * entry.key.length + LEAST_SIZE;
  for (const [name, value] of entry.response.headers) size += name.length + value.length;
  for (const name of entry.tags) size += name.length;
  return size;
};
