import { deepEqual, equal, ok } from 'node:assert/strict';
import { sizeOf } from '../server/src/cache/entry';
import type { EntrySummary, SummaryQuestion } from '../server/src/cache/entry-summary';
import { milliseconds } from '../server/src/cache/milliseconds';
import { tag } from '../server/src/cache/tag';
import type { Provider } from '../server/src/cache/provider';
import { summariesOf } from '../server/src/cache/summaries-of';
import { bodyOf, fill, isServedUnder, key, noted, sampleEntry } from './sample-entry';
import { withProvider, type ProviderSubject } from './subject';

const summarised = async (provider: Provider, question: SummaryQuestion): Promise<EntrySummary[]> => {
  const found: EntrySummary[] = [];
  for await (const slice of summariesOf(provider, question)) found.push(...slice);
  return found.sort((one, other) => (one.key < other.key ? -1 : 1));
};

const keysOf = async (provider: Provider): Promise<string[]> =>
  (await summarised(provider, { lists: [], all: true })).map((summary) => summary.key);

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

  it('says of each entry all but its body and its headers', () =>
    withProvider(subject, async ({ provider, clock }) => {
      const entry = {
        ...sampleEntry(await noted(provider), clock),
        labels: { contentType: 'plugin::x.y', route: '/api/x/:id', params: { id: 'ä/ü' }, identity: 'up:7' },
        maxAge: milliseconds(12_345),
      };
      await provider.store(entry);
      const { response, labels, sequence, createdAt, maxAge } = entry;
      const plain = { ...entry, key: key('plain'), response: { ...response, etag: undefined } };
      await provider.store(plain);
      const said = { labels, sequence, createdAt, maxAge, carries: [] };
      deepEqual(await summarised(provider, { lists: [], all: true }), [
        { ...said, key: entry.key, size: sizeOf(entry), hasEtag: true },
        { ...said, key: plain.key, size: sizeOf(plain), hasEtag: false },
      ]);
    }));

  it('says which entries carry one of the tags asked about', () =>
    withProvider(subject, async ({ provider, clock }) => {
      const tagsOf = { a: ['one', 'two'], b: ['two'], c: ['three'], d: ['one', 'dead'] };
      for (const [name, tags] of Object.entries(tagsOf)) await fill(provider, clock, { key: key(name), tags });
      await provider.invalidate([tag('dead')]);
      const lists = [[tag('one'), tag('four')], [], [tag('two'), tag('one'), tag('"quoted"\n')]];
      const carried = async (all: boolean): Promise<unknown> =>
        (await summarised(provider, { lists, all })).map((summary) => [summary.key, summary.carries]);
      const found = [
        [key('a'), [true, false, true]],
        [key('b'), [false, false, true]],
      ];
      deepEqual(await carried(false), found);
      deepEqual(await carried(true), [...found, [key('c'), [false, false, false]]]);
      deepEqual(await summarised(provider, { lists: [], all: false }), []);
      const many = Array.from({ length: 3000 }, (_, index) => tag(`many ${index}`));
      deepEqual(
        (await summarised(provider, { lists: [[...many, tag('three')]], all: false })).map((summary) => summary.key),
        [key('c')],
      );
    }));

  it('says nothing of what is dead, however much was stamped', () =>
    withProvider(subject, async ({ provider, clock }) => {
      for (const name of ['a', 'b', 'c']) await fill(provider, clock, { key: key(name), tags: [name] });
      for (const name of ['other', 'b'])
        await provider.invalidate([tag(name), ...Array.from({ length: 1500 }, (_, index) => tag(`${name} ${index}`))]);
      deepEqual(await keysOf(provider), [key('a'), key('c')]);
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
