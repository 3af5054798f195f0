import { deepEqual, equal, ok } from 'node:assert/strict';
import { EVERY_ANSWER, type EdgeDebt, type EdgeKey } from '../server/src/cache/edge-purge';
import { milliseconds } from '../server/src/cache/milliseconds';
import type { EdgeLedger, Provider } from '../server/src/cache/provider';
import { EVERYTHING, tag } from '../server/src/cache/tag';
import { noted } from './sample-entry';
import { withProvider, type ProviderSubject } from './subject';

const keysOf = (text: string): EdgeKey[] => text.split(' ') as EdgeKey[];

/** The debts without the one for everything, which every store has at first. */
const single = (debts: readonly EdgeDebt[]): readonly EdgeDebt[] =>
  debts.filter(({ keys }) => !keys.includes(EVERY_ANSWER));

const everything = (debts: readonly EdgeDebt[]): readonly EdgeDebt[] =>
  debts.filter(({ keys }) => keys.includes(EVERY_ANSWER));

const ANY_AGE = milliseconds(0);
const documents = [{ contentType: 'api::article.article', documentId: 'one' }];

/** The edge ledger, if the provider has one: which keys caches at the edge were given, and which they have to purge. */
export const describeEdge = (subject: ProviderSubject): void => {
  const { it } = subject;

  const withEdge = (test: (edge: EdgeLedger, provider: Provider, other: EdgeLedger) => Promise<void>): Promise<void> =>
    withProvider(subject, async ({ provider, open }) => {
      if (provider.edge === undefined) return;
      const other = subject.shared === true ? (await open()).edge : provider.edge;
      ok(other);
      await test(provider.edge, provider, other);
    });

  it('tells of a write only the keys that any process has handed out', () =>
    withEdge(async (edge, _provider, other) => {
      equal(await other.issueKeys(keysOf('a b'), []), true);
      const owed = single(await edge.owe('write', keysOf('b c'), documents));
      deepEqual(owed, [{ id: 'write', keys: keysOf('b'), documents }]);
      deepEqual(single(await edge.owe('another', keysOf('c d'), documents)), []);
    }));

  it('lets no answer out under new keys that was made before a write, and any that was made after it', () =>
    withEdge(async (edge, provider) => {
      const since = await noted(provider);
      const made = (number: typeof since) => [{ tags: [tag('articles')], since: number }];
      const written = await provider.invalidate([tag('articles')]);
      equal(await edge.issueKeys(keysOf('a'), made(since)), false);
      deepEqual(single(await edge.owe('write', keysOf('a'), [])), []);
      equal(await edge.issueKeys(keysOf('a'), made(written)), true);
      const guards = [...made(written), { tags: [], since: written }];
      await provider.invalidate([EVERYTHING]);
      equal(await edge.issueKeys(keysOf('b'), guards), false);
    }));

  it('lets none out whose tags are announced', () =>
    withEdge(async (edge, provider) => {
      const announcement = await provider.announce([tag('articles')]);
      if (announcement === undefined) return;
      const guards = [{ tags: [tag('articles')], since: await noted(provider) }];
      equal(await edge.issueKeys(keysOf('a'), guards), false);
      const since = await provider.invalidate([tag('articles')], announcement);
      equal(await edge.issueKeys(keysOf('a'), [{ tags: [tag('articles')], since }]), true);
    }));

  it('owes everything at first', () =>
    withEdge(async (edge) => {
      equal(everything(await edge.owed(ANY_AGE)).length, 1);
    }));

  if (subject.shared !== true) return;

  it('has others make up for what a process has owed, until it is settled', () =>
    withEdge(async (edge, _provider, other) => {
      await edge.issueKeys(keysOf('a b c'), []);
      await edge.owe('write', keysOf('a b'), []);
      await edge.owe('later', keysOf('c'), []);
      // The call that comes with the stamp names fewer keys, and replaces the earlier one.
      await edge.owe('write', keysOf('b'), documents);
      deepEqual(single(await other.owed(milliseconds(60_000))), []);
      const owed = [...single(await other.owed(ANY_AGE))].sort((one, two) => one.id.localeCompare(two.id));
      deepEqual(owed, [
        { id: 'later', keys: keysOf('c'), documents: [] },
        { id: 'write', keys: keysOf('b'), documents },
      ]);
      await edge.settle('write');
      await other.settle('later');
      deepEqual(single(await edge.owed(ANY_AGE)), []);
    }));

  it('tells of everything with every write, until it is settled', () =>
    withEdge(async (edge, provider, other) => {
      const settled = async (): Promise<void> => {
        for (const { id } of everything(await other.owed(ANY_AGE))) await other.settle(id);
      };
      equal(everything(await edge.owe('one', keysOf('a'), [])).length, 1);
      await settled();
      equal(everything(await edge.owe('two', keysOf('a'), [])).length, 0);
      await provider.invalidate([EVERYTHING]);
      equal(everything(await edge.owe('three', keysOf('a'), [])).length, 1);
    }));

  it('owes everything where another release starts, once', () =>
    withProvider(subject, async ({ provider, open }) => {
      if (provider.edge === undefined) return;
      for (const { id } of await provider.edge.owed(ANY_AGE)) await provider.edge.settle(id);
      const same = await open();
      equal((await same.edge?.owed(ANY_AGE))?.length, 0);
      const released = await open({ fingerprint: 'release-2' });
      const [debt] = (await released.edge?.owed(ANY_AGE)) ?? [];
      deepEqual(debt?.keys, [EVERY_ANSWER]);
      await released.edge?.settle(debt?.id ?? '');
      equal((await same.edge?.owed(ANY_AGE))?.length, 0);
    }));
};
