import { toSeconds, type Milliseconds } from '../cache/milliseconds';
import type { Reason } from '../cache/response-cache';

/** How a request was answered, for `X-Cache` and `Cache-Status`. `cost`: milliseconds Strapi took. */
export type CacheOutcome =
  /** `timeToLive` is negative for a response that is older than its `maxAge`. */
  | { readonly kind: 'hit'; readonly collapsed: boolean; readonly timeToLive: Milliseconds }
  | { readonly kind: 'miss'; readonly stored: boolean; readonly reason?: Reason; readonly cost: Milliseconds }
  | { readonly kind: 'hitpass'; readonly reason: Reason; readonly cost: Milliseconds };

/** Negative for a response that is older than its `maxAge` (RFC 9211, section 2.5). */
const secondsLeft = (left: Milliseconds): number => (left < 0 ? Math.floor(left / 1000) : toSeconds(left));

export const xCache = ({ kind }: CacheOutcome): 'HIT' | 'MISS' | 'HITPASS' =>
  kind === 'hit' ? 'HIT' : kind === 'miss' ? 'MISS' : 'HITPASS';

/** A string as structured fields spell it (RFC 8941, section 3.3.3). */
const sfString = (text: string): string => `"${text.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`;

/** The member this cache adds to `Cache-Status` (RFC 9211, section 2). */
export const cacheStatus = (outcome: CacheOutcome): string => {
  switch (outcome.kind) {
    case 'hit':
      return `rest-cache; ${outcome.collapsed ? 'fwd=miss; collapsed' : 'hit'}; ttl=${secondsLeft(outcome.timeToLive)}`;
    case 'miss':
      return `rest-cache; fwd=miss${outcome.stored ? '; stored' : ''}${outcome.reason === undefined ? '' : `; detail=${sfString(outcome.reason.detail)}`}`;
    case 'hitpass':
      return `rest-cache; fwd=bypass; detail=${sfString(outcome.reason.detail)}`;
  }
};

/**
 * Corrects `Cache-Status` for a response that was stored and then removed again: this cache's member then says why,
 * instead of `stored`. Caches in front may have added members behind it.
 */
export const notStored = (members: string, detail: string): string =>
  members.replace(/(rest-cache; fwd=miss); stored/, `$1; detail=${sfString(detail)}`);

/** Members of caches nearer to the origin come first (RFC 9211, section 2). */
export const afterOthers = (members: string, own: string): string => (members === '' ? own : `${members}, ${own}`);
