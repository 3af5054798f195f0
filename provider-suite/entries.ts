import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Entry } from '../server/src/cache/entry';
import type { CacheKey } from '../server/src/cache/key';
import { milliseconds } from '../server/src/cache/milliseconds';
import { summariesOf } from '../server/src/cache/summaries-of';
import { EVERYTHING, tag } from '../server/src/cache/tag';
import { bodyOf, fill, key, noted, sampleEntry } from './sample-entry';
import { withProvider, type ProviderSubject } from './subject';

/** An entry comes back exactly as it was stored, until its `maxAge` has passed. */
export const describeEntries = (subject: ProviderSubject): void => {
  const { it } = subject;

  it('misses with the current sequence number where nothing is stored', () =>
    withProvider(subject, async ({ provider }) => {
      const number = await provider.invalidate([tag('other')]);
      const lookup = await provider.lookup(key('articles'));
      equal(lookup.entry, undefined);
      equal(lookup.sequence, number);
    }));

  it('gives an entry back exactly as it was stored', () =>
    withProvider(subject, async ({ provider, clock }) => {
      const entry: Entry = {
        ...sampleEntry(await noted(provider), clock),
        key: '/api/articles?filters[title][$eq]=%C3%A4%20%26&accept=a,b&up:7' as CacheKey,
        response: {
          status: 206,
          headers: [
            ['x-first', 'ä"\\'],
            ['link', '</a>; rel=next'],
            ['link', '</b>; rel=prev'],
            ['x-empty', ''],
          ],
          body: Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256)),
          appended: ['link'],
          removed: ['x-powered-by'],
          compress: false,
          left: 'text',
          etag: undefined,
        },
        labels: { contentType: 'plugin::x.y', route: '/api/x/:id', params: { id: 'ä/ü' }, identity: 'up:7' },
        tags: [EVERYTHING, tag('articles'), tag('with space\nand line'), tag('"quoted"'), tag('ümläut'), tag('')],
        readElsewhere: true,
        granted: ['{"scope":"api::x.y.find"}'],
        cost: milliseconds(12.75),
      };
      equal(await provider.store(entry), true);
      const found = (await provider.lookup(entry.key)).entry;
      ok(found);
      deepEqual({ ...found, response: { ...found.response } }, entry);
    }));

  it('gives out an entry beyond its maxAge only where it is asked for such an entry, and not once it is invalidated', () =>
    withProvider(subject, async ({ provider, clock }) => {
      if (provider.lookupExpired === undefined) return;
      const entry = { ...sampleEntry(await noted(provider), clock), keptFor: milliseconds(60_000) };
      equal(await provider.store(entry), true);
      equal(await provider.lookupExpired(entry.key), undefined);
      clock.advance(entry.maxAge);
      equal((await provider.lookup(entry.key)).entry, undefined);
      equal((await provider.lookupExpired(entry.key))?.createdAt, entry.createdAt);
      await provider.invalidate(entry.tags.slice(-1));
      equal(await provider.lookupExpired(entry.key), undefined);
    }));

  it('lists an entry beyond its maxAge as long as it may be served', () =>
    withProvider(subject, async ({ provider, clock }) => {
      if (provider.lookupExpired === undefined) return;
      const listed = async (): Promise<CacheKey[]> => {
        const found: CacheKey[] = [];
        for await (const slice of summariesOf(provider, { lists: [], all: true }))
          found.push(...slice.map((summary) => summary.key));
        return found;
      };
      const entry = { ...sampleEntry(await noted(provider), clock), keptFor: milliseconds(60_000) };
      await provider.store(entry);
      clock.advance(entry.maxAge);
      deepEqual(await listed(), [entry.key]);
      clock.advance(60_000);
      deepEqual(await listed(), []);
    }));

  it('keeps no entry for longer than it was told', () =>
    withProvider(subject, async ({ provider, clock }) => {
      const entry = { ...sampleEntry(await noted(provider), clock), keptFor: milliseconds(1000) };
      equal(await provider.store(entry), true);
      clock.advance(entry.maxAge + 1000);
      equal(await provider.lookupExpired?.(entry.key), undefined);
    }));

  for (const [size, body] of [
    ['an empty body', ''],
    ['a body of a megabyte', 'x'.repeat(1024 * 1024)],
  ] as const) {
    it(`keeps ${size}`, () =>
      withProvider(subject, async ({ provider, clock }) => {
        await fill(provider, clock, { body });
        equal(await bodyOf(provider), body);
      }));
  }

  it('keeps keys apart', () =>
    withProvider(subject, async ({ provider, clock }) => {
      await fill(provider, clock, { key: key('a'), body: 'a' });
      await fill(provider, clock, { key: key('A'), body: 'A' });
      equal(await bodyOf(provider, key('a')), 'a');
      equal(await bodyOf(provider, key('A')), 'A');
      equal(await bodyOf(provider, key('*')), undefined);
    }));

  it('replaces an entry by a later one', () =>
    withProvider(subject, async ({ provider, clock }) => {
      await fill(provider, clock, { body: 'one' });
      await bodyOf(provider);
      await fill(provider, clock, { body: 'two' });
      equal(await bodyOf(provider), 'two');
    }));

  it('serves an entry until its maxAge has passed, and not at that moment', () =>
    withProvider(subject, async ({ provider, clock }) => {
      await fill(provider, clock, { maxAge: 60_000 });
      clock.advance(59_999);
      ok(await bodyOf(provider));
      clock.advance(1);
      equal(await bodyOf(provider), undefined);
    }));

  it('does not keep what is too old already', () =>
    withProvider(subject, async ({ provider, clock }) => {
      equal(await fill(provider, clock, { createdAt: clock.now() - 1000, maxAge: 1000 }), false);
      equal(await bodyOf(provider), undefined);
    }));

  it('keeps what is older than its maxAge already, but not what is too old to be served', () =>
    withProvider(subject, async ({ provider, clock }) => {
      if (provider.lookupExpired === undefined) return;
      const entry = { ...sampleEntry(await noted(provider), clock), keptFor: milliseconds(60_000) };
      clock.advance(entry.maxAge + 1000);
      equal(await provider.store(entry), true);
      equal((await provider.lookup(entry.key)).entry, undefined);
      equal((await provider.lookupExpired(entry.key))?.createdAt, entry.createdAt);
      clock.advance(59_000);
      equal(await provider.lookupExpired(entry.key), undefined);
      equal(await provider.store(entry), false);
    }));

  it('deletes one entry and says whether there was one', () =>
    withProvider(subject, async ({ provider, clock }) => {
      await fill(provider, clock, { key: key('a'), body: 'a' });
      await fill(provider, clock, { key: key('b'), body: 'b' });
      await bodyOf(provider, key('a'));
      equal(await provider.delete(key('a')), true);
      equal(await provider.delete(key('a')), false);
      equal(await bodyOf(provider, key('a')), undefined);
      equal(await bodyOf(provider, key('b')), 'b');
    }));
};
