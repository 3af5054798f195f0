import { describeAnnouncements } from './announcements';
import { describeEdge } from './edge';
import { describeEntries } from './entries';
import { describeGuards } from './guards';
import { describeInvalidation } from './invalidation';
import { describeCoherence, describeSharing } from './sharing';
import type { ProviderSubject } from './subject';
import { describeUpkeep } from './upkeep';

export type { CreationSettings, ProviderSubject } from './subject';
export { TestClock } from './subject';
export { bodyOf, fill, isServedUnder, key, noted, sampleEntry } from './sample-entry';

/** How soon an instance follows what another one has invalidated. */
export interface SuiteOptions {
  /** `true` (default): before it serves anything again. `false`: within a bound of its own. */
  readonly coherent?: boolean;
}

/**
 * The tests every provider must pass. For the author of a provider: hand over how to create it and the functions of
 * your test runner; assertions are node's own.
 *
 * ```ts
 * import { describe, it } from 'node:test';
 * describeProvider({ name: 'mine', create: ({ clock }) => new MyProvider(clock), describe, it });
 * ```
 */
export const describeProvider = (subject: ProviderSubject, { coherent = true }: SuiteOptions = {}): void => {
  const { describe } = subject;
  describe(`provider contract: ${subject.name}`, () => {
    describe('entries', () => describeEntries(subject));
    describe('invalidation', () => describeInvalidation(subject));
    describe('guards', () => describeGuards(subject));
    describe('announcements', () => describeAnnouncements(subject));
    describe('upkeep', () => describeUpkeep(subject));
    describe('edge', () => describeEdge(subject));
    if (subject.shared !== true) return;
    describe('sharing', () => describeSharing(subject));
    if (coherent) describe('coherence', () => describeCoherence(subject));
  });
};
