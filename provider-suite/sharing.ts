import { deepEqual, equal, ok } from 'node:assert/strict';
import { milliseconds } from '../server/src/cache/milliseconds';
import { tag } from '../server/src/cache/tag';
import { bodyOf, fill, isServedUnder, key, noted, sampleEntry } from './sample-entry';
import { withProvider, type ProviderSubject } from './subject';

/** Several instances on one store. */
export const describeSharing = (subject: ProviderSubject): void => {
  const { it } = subject;

  it('serves to one instance what another has stored', () =>
    withProvider(subject, async ({ provider, clock, open }) => {
      const other = await open();
      await fill(provider, clock, { body: 'shared' });
      equal(await bodyOf(other), 'shared');
      equal(await bodyOf(other), 'shared');
    }));

  it('refuses at one instance what another has invalidated', () =>
    withProvider(subject, async ({ provider, clock, open }) => {
      const other = await open();
      const early = await noted(other);
      await provider.invalidate([tag('articles')]);
      equal(await other.store(sampleEntry(early, clock)), false);
      equal(await isServedUnder(other, clock, [tag('articles')], early), false);
    }));

  it('adds up what all instances count, where it counts', () =>
    withProvider(subject, async ({ provider, open }) => {
      if (provider.counters === undefined) return;
      const other = await open();
      const lifetime = milliseconds(60_000);
      await provider.counters.add('minute:1', { hits: 2, misses: 1 }, lifetime);
      await other.counters?.add('minute:1', { hits: 3 }, lifetime);
      await other.counters?.add('minute:3', { hits: 1 }, lifetime);
      const sums = await provider.counters.read(['minute:3', 'minute:2', 'minute:1']);
      deepEqual(
        sums.map((sum) => ({ ...sum })),
        [{ hits: 1 }, {}, { hits: 5, misses: 1 }],
      );
    }));

  it('keeps applications with different prefixes apart', () =>
    withProvider(subject, async ({ provider, clock, open }) => {
      const stranger = await open({ keysPrefix: `stranger-${Math.random()}` });
      await fill(provider, clock, { body: 'mine' });
      equal(await bodyOf(stranger), undefined);
      equal((await stranger.usage()).entries, 0);
      await stranger.invalidate([tag('articles')]);
      await stranger.clear();
      equal(await bodyOf(provider), 'mine');
    }));

  it('never serves one release what another has shaped, but lets both hear of writes', () =>
    withProvider(subject, async ({ provider, clock, open }) => {
      const next = await open({ fingerprint: 'release-2' });
      await fill(provider, clock, { key: key('a'), body: 'old shape' });
      equal(await bodyOf(next, key('a')), undefined);
      await fill(next, clock, { key: key('a'), body: 'new shape' });
      equal(await bodyOf(provider, key('a')), 'old shape');
      const since = await noted(next);
      await provider.invalidate([tag('articles')]);
      equal(await isServedUnder(next, clock, [tag('articles')], since), false);
    }));
};

/** For stores where every instance learns of an invalidation before it serves anything again. */
export const describeCoherence = (subject: ProviderSubject): void => {
  const { it } = subject;

  it('shows a write acknowledged by one to all, at once', () =>
    withProvider(subject, async ({ provider, clock, open }) => {
      const others = [await open(), await open()];
      for (let round = 0; round < 20; round += 1) {
        await fill(provider, clock, { body: `round ${round}` });
        for (const other of others) equal(await bodyOf(other), `round ${round}`);
        await others[round % 2]?.invalidate([tag('articles')]);
        for (const instance of [provider, ...others]) equal(await bodyOf(instance), undefined);
      }
      ok(true);
    }));

  it('shows a deletion by one to all, at once', () =>
    withProvider(subject, async ({ provider, clock, open }) => {
      const other = await open();
      await fill(provider, clock);
      ok(await bodyOf(other));
      await provider.delete(key('articles'));
      equal(await bodyOf(other), undefined);
    }));
};
