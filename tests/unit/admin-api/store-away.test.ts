import type { Core } from '@strapi/strapi';
import { expect, it } from 'vitest';
import { askStore } from '../../../server/src/admin-api/store-away';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { withoutAddresses } from '../../../server/src/cache/without-addresses';
import { type RestCache, setRunning } from '../../../server/src/plugin/rest-cache';
import { failClosed } from '../../../server/src/providers/fail-closed';
import { MemoryProvider } from '../../../server/src/providers/memory';
import cacheStore from '../../../server/src/services/cache-store';
import { ManualClock } from '../../simulation/manual-clock';

/** What drivers of databases say, and what is left of it. */
const SAID = 'connect ECONNREFUSED "mongodb://cache:s3cret@db.internal:27017/x?authSource=admin" (after 3 tries)';
const TOLD = 'connect ECONNREFUSED "mongodb://…" (after 3 tries)';

const away = (state: 'up' | 'down'): RestCache => {
  const provider = new MemoryProvider({ clock: new ManualClock() });
  provider.health = () => ({ state, since: milliseconds(0), reason: SAID });
  const config = { provider: { name: './mongodb', getTimeout: 500 } };
  return { config, provider: failClosed(provider, milliseconds(500), () => undefined) } as unknown as RestCache;
};

it.each(['up', 'down'] as const)(
  'an error of a store that is %s is told without the address it connects to',
  async (state) => {
    const refused = await askStore(away(state), () => Promise.reject(new Error(SAID))).catch((error: unknown) => error);
    expect(refused).toMatchObject({ details: { reason: TOLD }, message: expect.stringContaining(TOLD) });
    expect(JSON.stringify(refused) + String(refused)).not.toMatch(/s3cret|db\.internal/);
  },
);

it('so is the state of the store, to whoever may read the metrics', () => {
  expect(away('down').provider.health().reason).toBe(TOLD);
});

it('a password ends at the address, whatever quotes it holds', () => {
  expect(withoutAddresses(`"redis://cache:it's"s3cret@db:6379" is away, and so is redis://db2`)).toBe(
    '"redis://…" is away, and so is redis://…',
  );
});

it('code of the application does not wait for a store that leaves its question open', async () => {
  const strapi = {} as Core.Strapi;
  const provider = new MemoryProvider({ clock: new ManualClock() });
  provider.lookup = () => new Promise(() => undefined) as never;
  const config = { provider: { name: './mongodb', getTimeout: 20 } };
  setRunning(strapi, { provider, config } as unknown as RestCache);
  await expect(cacheStore({ strapi }).get('/a?&&')).rejects.toThrow('did not answer within 20 ms');
});
