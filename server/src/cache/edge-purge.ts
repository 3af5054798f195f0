/**
 * Names a tag at the edge: a short digest, which reveals nothing of the database. If two tags have the same key, a
 * purge of one also purges the responses of the other. This costs computations, but no freshness.
 */
export type EdgeKey = string & { readonly __brand: 'edge-key' };

/** In an {@link EdgeDebt}: everything that caches at the edge hold. No response has this key. */
export const EVERY_ANSWER = '*' as EdgeKey;

/** A document that was written to. */
export interface ChangedDocument {
  /** The uid of its content type. */
  readonly contentType: string;
  readonly documentId: string;
}

/** What a target at the edge is to purge. */
export interface EdgePurge {
  /** Counts the purges that this process sends to the target. */
  readonly sequence: number;
  readonly keys: readonly EdgeKey[];
  /** The documents that were written to, as far as they are known; none for keys that are purged once more. */
  readonly documents: readonly ChangedDocument[];
}

/** A cache in front of the application that can be told which responses are no longer valid. */
export interface EdgeTarget {
  readonly name: string;
  /** Maximum number of keys in one purge. */
  readonly batch: number;
  /**
   * Purges the keys.
   *
   * @param signal aborts when the purge takes too long.
   * @throws Error if the target has not accepted the purge, which is then sent again.
   */
  purge(purge: EdgePurge, signal: AbortSignal): Promise<void>;
}

/** What the edge still has to purge for one write. */
export interface EdgeDebt {
  readonly id: string;
  readonly keys: readonly EdgeKey[];
  readonly documents: readonly ChangedDocument[];
}
