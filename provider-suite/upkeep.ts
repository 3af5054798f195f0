import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Entry } from '../server/src/cache/entry';
import { tag } from '../server/src/cache/tag';
import type { Provider } from '../server/src/cache/provider';
import { bodyOf, fill, isServedUnder, key, noted } from './sample-entry';
import { withProvider, type ProviderSubject } from './subject';

const keysOf = async (provider: Provider): Promise<string[]> => {
  const found: Entry[] = [];
  for await (const entry of provider.entries()) found.push(entry);
  return found.map((entry) => entry.key).sort();
};

/** What the admin panel needs (enumeration, totals, clearing, health), and closing. */
export const describeUpkeep = (subject: ProviderSubject): void => {
  const { it } = subject;

  it('enumerates valid entries only', () =>
    withProvider(subject, async ({ provider, clock }) => {
      const names = Array.from({ length: 120 }, (_, index) => `n${index}`);
      for (const name of names) await fill(provider, clock, { key: key(name), tags: [name] });
      await fill(provider, clock, { key: key('short'), maxAge: 1000 });
      await provider.invalidate([tag('n7'), tag('n8')]);
      clock.advance(1000);
      const expected = names.filter((name) => name !== 'n7' && name !== 'n8').map(key);
      deepEqual(await keysOf(provider), expected.sort());
    }));

  it('counts entries and bytes', () =>
    withProvider(subject, async ({ provider, clock }) => {
      deepEqual({ ...(await provider.usage()), maxBytes: undefined }, { entries: 0, bytes: 0, maxBytes: undefined });
      await fill(provider, clock, { key: key('a'), body: 'x'.repeat(10_000) });
      await fill(provider, clock, { key: key('a'), body: 'y'.repeat(10_000) });
      await fill(provider, clock, { key: key('b'), body: 'z' });
      const { entries, bytes } = await provider.usage();
      equal(entries, 2);
      ok(bytes > 0 && bytes < 20_000, `${bytes} bytes`);
      await provider.delete(key('a'));
      equal((await provider.usage()).entries, 1);
      ok((await provider.usage()).bytes < bytes);
    }));

  it('forgets every entry when it is cleared, and goes on', () =>
    withProvider(subject, async ({ provider, clock }) => {
      for (const name of ['a', 'b', 'c']) await fill(provider, clock, { key: key(name) });
      const early = await noted(provider);
      await provider.clear();
      for (const name of ['a', 'b', 'c']) equal(await bodyOf(provider, key(name)), undefined);
      deepEqual(await keysOf(provider), []);
      equal((await provider.usage()).entries, 0);
      equal(await isServedUnder(provider, clock, [tag('anything')], early), false);
      equal(await fill(provider, clock, { key: key('a') }), true);
      ok(await bodyOf(provider, key('a')));
    }));

  it('is up, and says since when', () =>
    withProvider(subject, ({ provider }) => {
      const { state, since } = provider.health();
      equal(state, 'up');
      ok(Number.isFinite(since));
      return Promise.resolve();
    }));

  it('can be closed', () => withProvider(subject, () => Promise.resolve()));
};
