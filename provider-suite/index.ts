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

/** Which of the tests apply to the provider. */
export interface SuiteOptions {
  /**
   * Whether an instance sees another instance's invalidations before it serves anything again. Default `true`; `false`
   * leaves out the tests of that, for stores whose instances may see them a limited time later.
   */
  readonly coherent?: boolean;
}

/**
 * Declares the tests that every provider must pass. `subject` creates the provider and holds `describe` and `it` of
 * your test runner. The assertions are those of `node:assert/strict`. With `shared: true` there are additional tests.
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
