import { expect, it } from 'vitest';
import { deleteEntries } from '../../../server/src/admin-api/entries';
import { contentTypePurge } from '../../../server/src/admin-api/purge';
import type { CacheKey } from '../../../server/src/cache/key';
import { TableCatalog } from '../../../server/src/database/table-catalog';
import { milliseconds } from '../../../server/src/cache/milliseconds';
import { narrowestTag, paramsTag, tableTag } from '../../../server/src/dependencies/tags';
import type { RestCache } from '../../../server/src/plugin/rest-cache';
import { MemoryProvider } from '../../../server/src/providers/memory';
import { ManualClock } from '../../simulation/manual-clock';
import { anEntry } from '../monitor/route';

it('a purge of one entry reaches the edge, even if the entry is older than its maxAge', async () => {
  const clock = new ManualClock();
  const provider = new MemoryProvider({ clock });
  const merely = anEntry({ key: '/old?&&', createdAt: clock.now(), maxAge: 1000 });
  const entry = { ...merely, keptFor: milliseconds(60_000) };
  provider.store(entry);
  clock.pass(milliseconds(2000));
  const purged: string[] = [];
  const restCache = {
    provider,
    cache: { delete: (key: CacheKey) => provider.delete(key) },
    edge: {},
    config: { provider: { getTimeout: 500 } },
    hasPurged: (_keys: unknown, tags: readonly string[]) => void purged.push(...tags),
  } as unknown as RestCache;
  expect(await deleteEntries(restCache, [{ key: entry.key }])).toBe(1);
  expect(purged).toEqual([narrowestTag(entry.labels)]);
});

it.each([
  [2000, 20],
  [20_000, 0],
])('a purge by a parameter that %i rows have reads their documents with %i queries', async (count, queries) => {
  const uid = 'api::article.article';
  const rows = Array.from({ length: count }, (_, index) => ({ documentId: `d${index}` }));
  let asked = 0;
  const strapi = {
    contentType: () => ({ attributes: { section: { type: 'string' } } }),
    db: {
      metadata: new Map([[uid, { tableName: 'articles' }]]),
      query: () => ({ findMany: ({ limit }: { limit: number }) => Promise.resolve(rows.slice(0, limit)) }),
      getConnection: () => ({ whereIn: () => ((asked += 1), Promise.resolve([])) }),
    },
  };
  const restCache = {
    strapi,
    config: { strategy: { clearRelatedCache: true } },
    catalog: () => new TableCatalog({ tables: [] }),
  } as unknown as RestCache;
  const { tags } = await contentTypePurge(restCache, uid, { section: 'news' });
  expect(asked).toBe(queries);
  expect(tags).toEqual(expect.arrayContaining([paramsTag(uid, { section: 'news' }), tableTag('articles')]));
});
