import { describe, expect, it } from 'vitest';
import { systemClock } from '../../server/src/cache/clock';
import { MemoryProvider } from '../../server/src/providers/memory';
import { startApplication } from '../application/start-application';

/** `strategy.resetOnStartup`, with a store that outlives the application. */

/** Its `close()` keeps the entries, as a store in another process would. */
class LastingProvider extends MemoryProvider {
  override close(): void {
    // Does nothing, so that the next application finds the entries.
  }
}

const boot = (store: MemoryProvider, resetOnStartup: boolean) =>
  startApplication({
    restCache: {
      provider: { instance: store },
      strategy: { enableXCacheHeaders: true, resetOnStartup, contentTypes: ['api::writer.editor'] },
    },
  });

describe.each([
  [false, 'HIT'],
  [true, 'MISS'],
])('resetOnStartup: %s', (resetOnStartup, expected) => {
  it(`the first request after a restart is a ${expected}`, async () => {
    const store = new LastingProvider({ clock: systemClock });
    const first = await boot(store, resetOnStartup);
    expect((await first.get('/api/editors')).cache).toBe('MISS');
    await first.stop();
    const second = await boot(store, resetOnStartup);
    expect((await second.get('/api/editors')).cache).toBe(expected);
    await second.stop();
  });
});
