import type { OutcomeCounts } from '../api/responses';

/**
 * The share of hits among hits and misses, from 0 to 1; requests that bypassed the cache do not count. `null` if there
 * were neither hits nor misses.
 */
export const hitRatio = ({ hit, miss }: Pick<OutcomeCounts, 'hit' | 'miss'>): number | null =>
  hit + miss === 0 ? null : hit / (hit + miss);
