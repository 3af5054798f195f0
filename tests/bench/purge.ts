import { systemClock } from '../../server/src/cache/clock';
import type { Entry } from '../../server/src/cache/entry';
import type { CacheKey } from '../../server/src/cache/key';
import { milliseconds } from '../../server/src/cache/milliseconds';
import { EVERYTHING, tag } from '../../server/src/cache/tag';
import { MemoryProvider } from '../../server/src/providers/memory';

export interface PurgeTimes {
  readonly entries: number;
  /** Microseconds until the purge is done as seen from outside. */
  readonly purge: number;
  /** Milliseconds: the longest time for which the background sweep blocked the event loop. */
  readonly longestPause: number;
}

const TYPE = tag('type:api::article.article');

const entryAt = (index: number, provider: MemoryProvider): Entry => ({
  key: `/api/articles/${index}?&&` as CacheKey,
  response: { status: 200, headers: [['Content-Type', 'application/json']], body: Buffer.alloc(1000), etag: undefined },
  labels: {
    contentType: 'api::article.article',
    route: '/api/articles/:id',
    params: { id: String(index) },
    identity: '',
  },
  tags: [EVERYTHING, TYPE, tag(`articles:${index}`)],
  sequence: provider.knownSequence(),
  createdAt: systemClock.now(),
  maxAge: milliseconds(3_600_000),
  cost: milliseconds(5),
});

/** Measures a purge of all entries of a content type, with so many of them stored. */
export const measurePurge = async (entries: number): Promise<PurgeTimes> => {
  const provider = new MemoryProvider({ clock: systemClock, maxSize: entries + 1, maxBytes: 4 * 2 ** 30 });
  for (let index = 0; index < entries; index += 1) provider.store(entryAt(index, provider));
  const began = performance.now();
  provider.invalidate([TYPE]);
  const purge = (performance.now() - began) * 1000;
  let longestPause = 0;
  let last = performance.now();
  while (provider.usage().entries > 0) {
    await new Promise((resolve) => setImmediate(resolve));
    const now = performance.now();
    longestPause = Math.max(longestPause, now - last);
    last = now;
  }
  provider.close();
  return { entries, purge, longestPause };
};
