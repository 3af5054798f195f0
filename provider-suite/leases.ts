import { equal, ok } from 'node:assert/strict';
import { milliseconds } from '../server/src/cache/milliseconds';
import { fill, key, noted, sampleEntry } from './sample-entry';
import { withProvider, type ProviderSubject } from './subject';

const LEASE = milliseconds(1000);
const LIMIT = milliseconds(400);

/** One computation per key across processes. Providers without `awaitEntry` have no part in it. */
export const describeLeases = (subject: ProviderSubject): void => {
  const { it } = subject;

  it('leases a missing key to one process at a time, and to nobody who does not ask', () =>
    withProvider(subject, async ({ provider, open }) => {
      if (provider.awaitEntry === undefined) return;
      const other = await open();
      equal((await provider.lookup(key('a'))).entry, undefined);
      const first = await provider.lookup(key('a'), undefined, LEASE);
      const second = await other.lookup(key('a'), undefined, LEASE);
      const elsewhere = await other.lookup(key('b'), undefined, LEASE);
      equal(first.entry === undefined && first.leased, true);
      equal(second.entry === undefined && second.leased, false);
      equal(elsewhere.entry === undefined && elsewhere.leased, true);
    }));

  it('hands the entry to those who wait for it', () =>
    withProvider(subject, async ({ provider, clock, open }) => {
      if (provider.awaitEntry === undefined) return;
      const other = await open();
      const mine = await provider.lookup(key('articles'), undefined, LEASE);
      await other.lookup(key('articles'), undefined, LEASE);
      const waiting = other.awaitEntry?.(key('articles'), LEASE, milliseconds(2000));
      ok(mine.sequence !== undefined);
      await provider.store(sampleEntry(mine.sequence, clock, { body: 'computed once' }));
      equal((await waiting)?.entry?.response.body.toString(), 'computed once');
    }));

  it('passes the lease on when a response is refused, and waits for nobody after a release', () =>
    withProvider(subject, async ({ provider, clock, open }) => {
      if (provider.awaitEntry === undefined) return;
      const other = await open();
      await provider.lookup(key('articles'), undefined, LEASE);
      const early = await noted(provider);
      await provider.clear();
      equal(await provider.store(sampleEntry(early, clock)), false);
      const taken = await other.lookup(key('articles'), undefined, LEASE);
      equal(taken.entry === undefined && taken.leased, true);
      await other.release?.(key('articles'));
      for (const waiter of [provider, other]) {
        const free = await waiter.lookup(key('articles'), undefined, LEASE);
        equal(free.entry === undefined && free.leased, true);
      }
    }));

  it('waits no longer than it was told', () =>
    withProvider(subject, async ({ provider, open }) => {
      if (provider.awaitEntry === undefined) return;
      const other = await open();
      await provider.lookup(key('a'), undefined, milliseconds(60_000));
      const began = performance.now();
      const found = await other.awaitEntry?.(key('a'), LEASE, LIMIT);
      const waited = performance.now() - began;
      equal(found?.entry, undefined);
      ok(found?.sequence !== undefined);
      ok(waited < LIMIT + 150, `${waited} ms`);
    }));

  it('takes over from a process that died', () =>
    withProvider(subject, async ({ provider, clock, open }) => {
      if (provider.awaitEntry === undefined) return;
      const other = await open();
      await provider.lookup(key('a'), undefined, milliseconds(100));
      const found = await other.awaitEntry?.(key('a'), LEASE, milliseconds(1000));
      equal(found?.entry === undefined && found?.leased, true);
      equal(await fill(other, clock, { key: key('a') }), true);
    }));
};
