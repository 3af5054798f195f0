/**
 * What an edge cache knows a tag by: a short digest, which tells nobody what stands in the database. Two tags with one
 * key purge each other's answers, which costs computations and no freshness.
 */
export type EdgeKey = string & { readonly __brand: 'edge-key' };

/** In a {@link EdgeDebt}: all that caches at the edge have. No key of an answer looks like it. */
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
  /** What is known of the documents that were written to; none where a purge is repeated. */
  readonly documents: readonly ChangedDocument[];
}

/** A cache in front of the application that can be told which answers no longer hold. */
export interface EdgeTarget {
  readonly name: string;
  /** Keys in one purge at most. */
  readonly batch: number;
  /** @throws Error where the target has not taken it: it is asked again. */
  purge(purge: EdgePurge, signal: AbortSignal): Promise<void>;
}

/** What the edge still has to purge for one write. */
export interface EdgeDebt {
  readonly id: string;
  readonly keys: readonly EdgeKey[];
  readonly documents: readonly ChangedDocument[];
}
