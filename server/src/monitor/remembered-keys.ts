import type { CacheKey } from '../cache/key';
import type { Entry } from '../cache/entry';
import { lruByText } from '../cache/lru-by-text';
import type { Reason } from '../cache/response-cache';
import { Sentence } from '../cache/sentence';

/**
 * Why there is no entry under a key: how the latest one left the store, or why the latest response was not stored.
 * `gone`: it left a store that does not report how.
 */
export type Absence =
  | {
      readonly cause: 'write' | 'purge';
      readonly at: number;
      /** The id of the activity record, which may have been dropped since. */
      readonly record: number;
      /**
       * The table whose change made the entry stale, or the path of the request that wrote; `''` for a write that stamps
       * everything. For a purge, who purged: `admin:Kim Doe`.
       */
      readonly detail: string;
    }
  | { readonly cause: 'expired' | 'evicted' | 'gone'; readonly at: number }
  | { readonly cause: 'refused'; readonly at: number; readonly reason: Reason };

/** An entry of which nobody has reported that it has left the store. */
export type Stored = Pick<Entry, 'createdAt' | 'maxAge' | 'sequence'>;

/** Maximum number of keys: more than the entries that the memory provider holds by default. */
export const MAX_REMEMBERED = 50_000;

/** Handlers choose the reasons of refusals. */
const lengthOf = ({ detail, about = '' }: Reason): number =>
  detail.length + (about instanceof Sentence ? about.text : about).length;

/** The latest keys under which a response was stored or refused. */
export const rememberedKeys = () =>
  lruByText<CacheKey, Stored | Absence>(MAX_REMEMBERED, (known) => ('reason' in known ? lengthOf(known.reason) : 0));
