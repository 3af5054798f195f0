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
   * One name may have several lines. Of `Vary`, unless it is among those removed, what the route added.
   */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>;
  /** Names, lower case, of headers to which the route appended these lines, whatever was there; none if left out. */
  readonly appended?: readonly string[] | undefined;
  /** Names, lower case, of headers that the route took away, whoever had set them; none if left out. */
  readonly removed?: readonly string[] | undefined;
  /** Whether it is to be compressed, where the route has said so (`ctx.compress`). */
  readonly compress?: boolean | undefined;
  readonly body: Buffer;
  /**
   * What the controller had left as the body: something JSON is made of, a string, or (left out) bytes. `nothing`: a status
   * alone; `untouched`: not even that, and Strapi makes it a 404; `error`: it has thrown what `body` describes.
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
  /** Whether some of `tags` are there because others read it while the response was computed, who may share work. */
  readonly readElsewhere?: boolean | undefined;
  /** What the handler itself has asked authorisation for and was granted, as it asked; none if left out. */
  readonly granted?: readonly string[] | undefined;
  /** The sequence number noted before anything of it was read. */
  readonly sequence: Sequence;
  readonly createdAt: EpochMilliseconds;
  readonly maxAge: Milliseconds;
  /** How long the original computation took: what one hit saves. */
  readonly cost: Milliseconds;
}

/** Bytes an entry occupies: its body, and an estimate of what surrounds it. */
export const sizeOf = (entry: Entry): number => {
  let size = entry.response.body.byteLength + 2 * entry.key.length + 256;
  for (const [name, value] of entry.response.headers) size += name.length + value.length;
  for (const name of entry.tags) size += name.length;
  return size;
};
