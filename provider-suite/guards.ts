import { equal, ok } from 'node:assert/strict';
import { EVERYTHING, tag } from '../server/src/cache/tag';
import type { Guard } from '../server/src/cache/provider';
import { fill, isServedUnder, key, noted } from './sample-entry';
import { withProvider, type ProviderSubject } from './subject';

/** A guard says what else must be unchanged for an entry to be served. */
export const describeGuards = (subject: ProviderSubject): void => {
  const { it } = subject;

  it('serves an entry while its guard holds', () =>
    withProvider(subject, async ({ provider, clock }) => {
      await fill(provider, clock);
      const since = await noted(provider);
      ok((await provider.lookup(key('articles'), { tags: [tag('permissions')], since })).entry);
      await provider.invalidate([tag('other')]);
      ok((await provider.lookup(key('articles'), { tags: [tag('permissions')], since })).entry);
    }));

  it('misses when the guard fails, and keeps the entry for others', () =>
    withProvider(subject, async ({ provider, clock }) => {
      await fill(provider, clock);
      const since = await noted(provider);
      ok((await provider.lookup(key('articles'), { tags: [tag('permissions')], since })).entry);
      const number = await provider.invalidate([tag('permissions')]);
      const guarded = await provider.lookup(key('articles'), { tags: [tag('permissions')], since });
      equal(guarded.entry, undefined);
      equal(guarded.sequence, number);
      ok((await provider.lookup(key('articles'))).entry);
      ok((await provider.lookup(key('articles'), { tags: [tag('permissions')], since: number })).entry);
    }));

  it('never says that a guard holds which does not', () =>
    withProvider(subject, async ({ provider, open }) => {
      const since = await noted(provider);
      const guard = (): Guard => ({ tags: [tag('permissions')], since });
      const kept = guard();
      await provider.holds?.(kept);
      await provider.invalidate([tag('permissions')]);
      equal((await provider.holds?.(kept)) ?? false, false);
      equal((await provider.holds?.(guard())) ?? false, false);
      const number = await noted(provider);
      await provider.invalidate([EVERYTHING]);
      equal((await provider.holds?.({ tags: [], since: number })) ?? false, false);
      if (subject.shared !== true) return;
      const other = await open();
      const later = { tags: [tag('permissions')], since: await noted(other) };
      await other.invalidate([tag('permissions')]);
      equal((await other.holds?.(later)) ?? false, false);
      const noticed = { tags: [tag('permissions')], since: await noted(provider) };
      await provider.holds?.(noticed);
      await other.invalidate([tag('permissions')]);
      equal((await provider.holds?.(noticed)) ?? false, false);
    }));

  it('fails a guard of which anything was stamped since, or everything', () =>
    withProvider(subject, async ({ provider, clock }) => {
      const start = await noted(provider);
      equal(await isServedUnder(provider, clock, [tag('a'), tag('b')], start), true);
      equal(await isServedUnder(provider, clock, [], start), true);
      const number = await provider.invalidate([tag('b')]);
      equal(await isServedUnder(provider, clock, [tag('a'), tag('b')], start), false);
      equal(await isServedUnder(provider, clock, [tag('a')], start), true);
      equal(await isServedUnder(provider, clock, [tag('b')], number), true);
      const reset = await provider.invalidate([EVERYTHING]);
      equal(await isServedUnder(provider, clock, [tag('a')], number), false);
      equal(await isServedUnder(provider, clock, [], number), false);
      equal(await isServedUnder(provider, clock, [tag('a')], reset), true);
    }));
};
