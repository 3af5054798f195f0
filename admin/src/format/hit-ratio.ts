import type { OutcomeCounts } from '../api/responses';

/** Hits among the requests that asked the cache; bypassed ones did not. `null` where none did. */
export const hitRatio = ({ hit, miss }: Pick<OutcomeCounts, 'hit' | 'miss'>): number | null =>
  hit + miss === 0 ? null : hit / (hit + miss);
