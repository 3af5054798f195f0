import { equal, ok } from 'node:assert/strict';
import { tag } from '../server/src/cache/tag';
import { bodyOf, fill, isServedUnder, key, noted, sampleEntry } from './sample-entry';
import { withProvider, type ProviderSubject } from './subject';

/** Writes are announced before their commit and stamped after it. */
export const describeAnnouncements = (subject: ProviderSubject): void => {
  const { it } = subject;

  it('serves and keeps nothing that carries an announced tag, where it announces at all', () =>
    withProvider(subject, async ({ provider, clock }) => {
      await fill(provider, clock, { key: key('before') });
      await fill(provider, clock, { key: key('other'), tags: ['other'] });
      const announcement = await provider.announce([tag('articles'), tag('rows')]);
      if (announcement === undefined) return;
      equal(await bodyOf(provider, key('before')), undefined);
      equal(await fill(provider, clock), false);
      ok(await bodyOf(provider, key('other')));
      const since = await noted(provider);
      equal(await isServedUnder(provider, clock, [tag('articles')], since), false);
      equal((await provider.lookup(key('other'), { tags: [tag('rows')], since })).entry, undefined);
      await provider.invalidate([tag('articles')], announcement);
      equal(await isServedUnder(provider, clock, [tag('articles'), tag('rows')], await noted(provider)), true);
      equal(await fill(provider, clock), true);
      ok(await bodyOf(provider));
    }));

  it('does not keep what was computed between the announcement and the stamp', () =>
    withProvider(subject, async ({ provider, clock }) => {
      const announcement = await provider.announce([tag('articles')]);
      const sequence = await noted(provider);
      await provider.invalidate([tag('articles')], announcement);
      equal(await provider.store(sampleEntry(sequence, clock)), false);
    }));

  it('keeps overlapping announcements apart', () =>
    withProvider(subject, async ({ provider, clock }) => {
      const first = await provider.announce([tag('articles')]);
      const second = await provider.announce([tag('articles')]);
      if (first === undefined || second === undefined) return;
      await provider.invalidate([tag('articles')], first);
      equal(await fill(provider, clock), false);
      await provider.invalidate([tag('articles')], second);
      equal(await fill(provider, clock), true);
    }));
};
