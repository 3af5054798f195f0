import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { type Computation, ResponseCache } from '../../../server/src/cache/response-cache';
import type { CacheKey } from '../../../server/src/cache/key';
import { MemoryProvider } from '../../../server/src/providers/memory';
import { ManualClock } from '../../simulation/manual-clock';
import { anEntry } from '../monitor/route';

describe.each([1, 20_000])(
  'a response that was being computed when its entry and others, %i in all, were purged by hand',
  (all) => {
    it('is neither stored nor shared', async () => {
      const clock = new ManualClock();
      const provider = new MemoryProvider({ clock });
      const cache = new ResponseCache({
        provider,
        clock,
        getTimeout: milliseconds(500),
        onStoreError: () => undefined,
      });
      const { response, labels, tags, maxAge, key } = anEntry();
      const made = (body: string): Computation => ({
        ...{ labels, tags, maxAge },
        response: { ...response, body: Buffer.from(body) },
      });
      const cacheKeyOf = (other: number): CacheKey => `/api/others/${other}?&&` as CacheKey;
      const bodyUnder = (): string | undefined => provider.lookup(key).entry?.response.body.toString();

      let finish = (_made: Computation): void => undefined;
      const before = cache.resolve(key, () => new Promise((resolve) => (finish = resolve)));
      clock.pass(milliseconds(1));
      await cache.delete(key);
      for (let other = 1; other < all; other += 1) await cache.delete(cacheKeyOf(other));
      clock.pass(milliseconds(1));
      const after = cache.resolve(key, () => Promise.resolve(made('after the purge')));
      finish(made('before the purge'));
      expect(await before).toMatchObject({ kind: 'miss', refused: { code: 'changed' } });
      expect(await after).toMatchObject({ kind: 'miss' });
      expect(bodyUnder()).toBe('after the purge');
    });
  },
);
