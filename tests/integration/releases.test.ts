import { expect, it } from 'vitest';
import { copyFileSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import { systemClock } from '../../server/src/cache/clock';
import { MemoryProvider } from '../../server/src/providers/memory';
import { TEMPLATE_DATABASE, WORK } from '../application/paths';
import { startApplication } from '../application/start-application';

/**
 * A store that outlives the application: `strategy.resetOnStartup`, and the fingerprint that tells releases apart. What
 * changes the fingerprint: tests/unit/plugin/fingerprint.test.ts.
 */

/** Its `close()` keeps the entries, as a store in another process would. */
class LastingProvider extends MemoryProvider {
  override close(): void {
    // Does nothing, so that the next application finds the entries.
  }
}

const store = new LastingProvider({ clock: systemClock });

/** Another database would make it another application. */
const sqlite = path.join(mkdtempSync(path.join(WORK, 'releases-')), 'data.db');
copyFileSync(TEMPLATE_DATABASE, sqlite);

/** Starts a release of the application. Returns its fingerprint, and what its first request gets. */
const released = async (resetOnStartup: boolean) => {
  let fingerprint = '';
  const application = await startApplication({
    sqlite,
    restCache: {
      provider: { instance: (_options, settings) => (({ fingerprint } = settings), store) },
      strategy: { enableXCacheHeaders: true, resetOnStartup, contentTypes: ['api::tag.tag'] },
    },
  });
  const { cache } = await application.get('/api/tags');
  await application.stop();
  return { fingerprint, cache };
};

it('entries last over a restart, unless resetOnStartup ends them', async () => {
  const first = await released(false);
  expect(first).toEqual({ fingerprint: expect.stringMatching(/./) as unknown, cache: 'MISS' });
  expect(await released(false)).toEqual({ ...first, cache: 'HIT' });
  expect((await released(true)).cache).toBe('MISS');
});
