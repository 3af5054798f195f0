import { LRUCache } from 'lru-cache';
import type { Entry } from '../cache/entry';
import type { CacheKey } from '../cache/key';
import type { Reason } from '../cache/response-cache';
import { Sentence } from '../cache/sentence';
import type { Actor } from './actor';

/** The purge or write that made an entry stale. */
export interface Removal {
  /** Of its activity record, which may have been dropped since. */
  readonly record: number;
  readonly kind: 'purge' | 'write';
  readonly actor: Actor;
  /**
   * The table whose change made the entry stale, or the path of the request that wrote; `undefined` for a purge, and for
   * a write that stamps everything.
   */
  readonly table: string | undefined;
}

/**
 * Why there is no entry under a key: how the latest one left the store, or why the latest response was not stored.
 * `gone`: it left a store that does not report how.
 */
export type Absence =
  | { readonly cause: 'changed'; readonly at: number; readonly by: Removal }
  | { readonly cause: 'expired' | 'evicted' | 'gone'; readonly at: number }
  | { readonly cause: 'refused'; readonly at: number; readonly reason: Reason };

/** What is kept of an entry after it was stored. */
export type Stored = Pick<Entry, 'createdAt' | 'maxAge' | 'sequence'>;

/** `stored` is set while nobody has reported that the entry has left the store. */
export interface Remembered {
  readonly stored?: Stored | undefined;
  readonly absence?: Absence | undefined;
}

/** Maximum number of keys: more than the entries that the memory provider holds by default. */
export const MAX_REMEMBERED = 50_000;

/** Maximum number of characters in all keys, which callers choose, and in the reasons of refusals, which handlers choose. */
const MAX_CHARACTERS = 8_000_000;

const lengthOf = ({ detail, about = '' }: Reason): number =>
  detail.length + (about instanceof Sentence ? about.text : about).length;

/** The latest keys under which a response was stored or refused. */
export const rememberedKeys = () =>
  new LRUCache<CacheKey, Remembered>({
    max: MAX_REMEMBERED,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: ({ absence }, key) =>
      1 + key.length + (absence?.cause === 'refused' ? lengthOf(absence.reason) : 0),
  });
