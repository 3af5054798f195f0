import { expect, it } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import type { Provider } from '../../../server/src/cache/provider';
import { ResponseCache } from '../../../server/src/cache/response-cache';
import { tag } from '../../../server/src/cache/tag';
import { MemoryProvider } from '../../../server/src/providers/memory';
import { ManualClock } from '../../simulation/manual-clock';
import { anEntry } from '../monitor/route';

const { response, labels, tags, key } = anEntry();
const MAX_AGE = milliseconds(60_000);

/** Why a response is not stored that is computed while `meanwhile` happens. */
const reasonWith = async (
  changed: Partial<Provider>,
  meanwhile: (provider: Provider, clock: ManualClock) => unknown = () => undefined,
  maxBytes = 1_000_000,
): Promise<unknown> => {
  const clock = new ManualClock();
  const provider: Provider = Object.assign(new MemoryProvider({ clock, maxBytes }), changed);
  const limits = { clock, getTimeout: milliseconds(50), onStoreError: () => undefined };
  const resolution = await new ResponseCache({ provider, ...limits }).resolve(key, async () => {
    await meanwhile(provider, clock);
    return { response, labels, tags: [...tags, tag('row')], maxAge: MAX_AGE };
  });
  return resolution.kind === 'miss' ? (resolution.refused?.code ?? 'stored') : resolution.kind;
};

it('a response is not stored because something changed, only where it did', async () => {
  expect(await reasonWith({})).toBe('stored');
  expect(await reasonWith({}, (provider) => provider.invalidate([tag('row')]))).toBe('changed');
});

it.each([
  ['throws', () => expect.fail('away')],
  ['rejects', () => Promise.reject(new Error('away'))],
  ['hangs', () => new Promise<boolean>(() => undefined)],
])('a response is not stored because the store was away, where it %s', async (_how, store) => {
  expect(await reasonWith({ store })).toBe('store-away');
});

it('a response is not stored because there is no room for it', async () => {
  expect(await reasonWith({}, () => undefined, 100)).toBe('no-room');
});

it('a response is not stored because it took too long, only where it did', async () => {
  expect(await reasonWith({}, (_provider, clock) => clock.pass(milliseconds(59_999)))).toBe('stored');
  expect(await reasonWith({}, (_provider, clock) => clock.pass(MAX_AGE))).toBe('slow');
});
