import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { sampleEntry } from '../../../provider-suite';
import { DeadlineExceeded } from '../../../server/src/cache/deadline';
import type { EntrySummary } from '../../../server/src/cache/entry-summary';
import { Inventory, type Inquiry } from '../../../server/src/cache/inventory';
import type { CacheKey } from '../../../server/src/cache/key';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { tag } from '../../../server/src/cache/tag';
import { MemoryProvider } from '../../../server/src/providers/memory';

const clock = { now: () => milliseconds(1000) };

afterEach(() => void vi.restoreAllMocks());

const setUp = (count = 3) => {
  const provider = new MemoryProvider({ clock });
  for (let index = 0; index < count; index += 1)
    provider.store(
      sampleEntry(provider.knownSequence(), clock, { key: `${index}` as CacheKey, tags: [`tag ${index}`] }),
    );
  const enumerated = vi.spyOn(provider, 'summaries');
  return { provider, enumerated, inventory: new Inventory(provider) };
};

/** Asks for keys. */
const keys = (
  name: string,
  tags?: readonly string[],
  onAdd = (_summary: EntrySummary): unknown => undefined,
): Inquiry<string[]> => ({
  name,
  lists: tags && [tags.map(tag)],
  begin: () => {
    const answer: string[] = [];
    return {
      answer,
      add: (summary) => {
        onAdd(summary);
        answer.push(`${summary.key}${summary.carries.join()}`);
      },
    };
  },
});

it('the same question of several admins costs one enumeration, also while it is under way', async () => {
  const { inventory, enumerated } = setUp();
  const asked: Array<Promise<string[]>> = [];
  const ask = (): void => void asked.push(inventory.ask(keys('same', undefined, more)));
  const more = ({ key }: EntrySummary): unknown => key === '1' && [ask(), ask(), ask()];
  ask();
  ask();
  await asked[0];
  expect(await Promise.all(asked)).toEqual(Array.from({ length: 5 }, () => ['0', '1', '2']));
  expect(enumerated).toHaveBeenCalledTimes(1);
  await inventory.ask(keys('same'));
  expect(enumerated).toHaveBeenCalledTimes(2);
});

it('different questions asked while the store is enumerated share the next enumeration, each with its own answer', async () => {
  const { inventory, enumerated } = setUp();
  const first = inventory.ask(keys('first', ['tag 0'], () => void asked.push(...later())));
  const asked: Array<Promise<string[]>> = [];
  const later = () => [
    inventory.ask(keys('one', ['tag 1', 'tag 2'])),
    inventory.ask(keys('other', ['tag 0'])),
    inventory.ask(keys('all')),
    inventory.ask(keys('none', ['tag 9'])),
  ];
  expect(await first).toEqual(['0true']);
  expect(await Promise.all(asked)).toEqual([['1true', '2true'], ['0true'], ['0', '1', '2'], []]);
  expect(enumerated).toHaveBeenCalledTimes(2);
});

it.each([
  ['something was purged', ({ provider }: ReturnType<typeof setUp>) => void provider.invalidate([tag('tag 1')])],
  [
    'an entry was deleted',
    ({ provider, inventory }: ReturnType<typeof setUp>) => {
      provider.delete('1' as CacheKey);
      inventory.changed();
    },
  ],
])('the enumeration under way is not shared after %s', async (_what, change) => {
  const made = setUp();
  let later: Promise<string[]> | undefined;
  const first = made.inventory.ask(
    keys('same', undefined, ({ key }) => {
      if (key !== '2') return;
      change(made);
      later = made.inventory.ask(keys('same'));
    }),
  );
  expect(await first).toEqual(['0', '1', '2']);
  expect(await later).toEqual(['0', '2']);
});

it('others have their turn during an enumeration, whatever an inquiry does with each entry', async () => {
  const { inventory, enumerated } = setUp(1000);
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  let turns = 0;
  let isOver = false;
  const others = async (): Promise<void> => {
    for (; !isOver; turns += 1) await nextTurn();
  };
  const beside = others();
  const turnsAt: number[] = [];
  await inventory.ask(
    keys('slow', undefined, () => {
      now += 1;
      turnsAt.push(turns);
    }),
  );
  isOver = true;
  await beside;
  expect(enumerated).toHaveBeenCalledTimes(1);
  for (let at = 0; at + 4 < turnsAt.length; at += 1) expect(turnsAt[at + 4]).toBeGreaterThan(turnsAt[at] ?? 0);
});

it('an enumeration ends at its deadline, and none is begun for a while; visitors are asked nothing', async () => {
  const { inventory, enumerated, provider } = setUp();
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  await expect(inventory.ask(keys('slow', undefined, () => void (now += 30_000)))).rejects.toThrow(DeadlineExceeded);
  await expect(inventory.ask(keys('next'))).rejects.toThrow(DeadlineExceeded);
  expect(enumerated).toHaveBeenCalledTimes(1);
  expect(provider.lookup('1' as CacheKey).entry).toBeDefined();
  now += 1000;
  expect(await inventory.ask(keys('next'))).toEqual(['0', '1', '2']);
});

it('a failure that cost nothing is not remembered', async () => {
  const { inventory, enumerated } = setUp();
  enumerated.mockImplementationOnce(() => {
    throw new Error('away');
  });
  await expect(inventory.ask(keys('one'))).rejects.toThrow('away');
  expect(await inventory.ask(keys('one'))).toEqual(['0', '1', '2']);
});

it('a provider that has only entries is asked for those', async () => {
  const { provider } = setUp();
  const { lookup } = provider;
  const entries = ['2', '0'].map((key) => lookup.call(provider, key as CacheKey).entry);
  const custom = Object.assign(Object.create(provider) as MemoryProvider, {
    summaries: undefined,
    entries: () => entries,
    knownSequence: () => 0,
  });
  expect(await new Inventory(custom).ask(keys('two', ['tag 0']))).toEqual(['0true']);
  expect(await new Inventory(custom).ask(keys('all'))).toEqual(['2', '0']);
});

it('knows for a minute what it has counted: entries that are stored later are not in it', async () => {
  const { inventory, provider } = setUp();
  const counted = { ...keys('kept', ['tag 0']), isKept: true };
  await inventory.ask(counted);
  provider.store(sampleEntry(provider.knownSequence(), clock, { key: 'later' as CacheKey, tags: ['tag 0'] }));
  const later = performance.now() + 60_000;
  vi.spyOn(performance, 'now').mockReturnValue(later);
  expect(inventory.known(counted)).toBeUndefined();
});

it('knows what it has just counted, until something changes', async () => {
  const { inventory, provider } = setUp();
  const counted = { ...keys('kept', ['tag 0']), isKept: true };
  const passing = keys('passing');
  expect(inventory.known(counted)).toBeUndefined();
  await Promise.all([inventory.ask(counted), inventory.ask(passing)]);
  expect([inventory.known(counted), inventory.known(passing)]).toEqual([['0true'], undefined]);
  provider.invalidate([tag('tag 9')]);
  expect(inventory.known(counted)).toBeUndefined();
  await inventory.ask(counted);
  inventory.changed();
  expect(inventory.known(counted)).toBeUndefined();
  await inventory.ask(counted);
  for (let more = 0; more < 5; more += 1) await inventory.ask({ ...keys(`other ${more}`), isKept: true });
  expect(inventory.known(counted)).toBeUndefined();
});
