import { afterEach, expect, it, vi } from 'vitest';
import { entryAt, panelOf, TYPE } from '../../bench/panel-store';
import { documentEntries } from '../../../server/src/admin-api/documents';
import { listEntries, purgeEntries } from '../../../server/src/admin-api/entries';
import { previewPurge, purgeContentType, purgeDocuments } from '../../../server/src/admin-api/purge';
import { heldByRoute } from '../../../server/src/admin-api/routes';
import { summarise } from '../../../server/src/admin-api/stats';
import { systemClock } from '../../../server/src/cache/clock';
import { Inventory } from '../../../server/src/cache/inventory';
import { MemoryProvider } from '../../../server/src/providers/memory';
import type { RestCache } from '../../../server/src/plugin/rest-cache';

afterEach(() => void vi.restoreAllMocks());

const setUp = (count: number) => {
  const provider = new MemoryProvider({ clock: systemClock });
  for (let index = 0; index < count; index += 1) provider.store(entryAt(index));
  const enumerated = vi.spyOn(provider, 'summaries');
  const stamped = vi.spyOn(provider, 'invalidate');
  return { provider, enumerated, stamped, restCache: panelOf(provider, { inventory: new Inventory(provider) }) };
};

it.each<[string, (restCache: RestCache) => Promise<unknown>]>([
  ['of a type', (restCache) => purgeContentType(restCache, { contentType: TYPE })],
  [
    'of a parameter',
    (restCache) => purgeContentType(restCache, { contentType: TYPE, params: { id: 'document-of-13' } }),
  ],
  ['of documents', (restCache) => purgeDocuments(restCache, { contentType: TYPE, documents: ['document-of-13'] })],
])('a purge %s stamps and looks at no entry, so its answer does not count them', async (_what, purge) => {
  const { restCache, enumerated, stamped, provider } = setUp(400);
  expect(provider.lookup(entryAt(0).key).entry).toBeDefined();
  expect(await purge(restCache)).toEqual({ entries: null });
  expect(stamped).toHaveBeenCalledTimes(1);
  expect(enumerated).not.toHaveBeenCalled();
  expect(provider.lookup(entryAt(0).key).entry).toBeUndefined();
});

it('a purge tells what a preview of it has just counted', async () => {
  const { restCache, enumerated } = setUp(400);
  const purge = { contentType: TYPE, documents: ['document-of-13'] };
  const { entries } = await previewPurge(restCache, purge);
  expect(entries).toBeGreaterThan(0);
  enumerated.mockClear();
  expect(await purgeDocuments(restCache, purge)).toEqual({ entries });
  expect(await purgeDocuments(restCache, purge)).toEqual({ entries: null });
  expect(enumerated).not.toHaveBeenCalled();
});

it('what the panel shows agrees with the entries held', async () => {
  const { restCache, provider } = setUp(400);
  const entries = Array.from({ length: 400 }, (_, index) => entryAt(index));
  const ofType = entries.filter(({ labels }) => labels.contentType === TYPE);
  expect((await summarise(restCache)).totals).toMatchObject({ entries: 400, etags: 400 });
  const { routes, contentTypes } = await heldByRoute(restCache);
  expect(routes.map(({ path, entries: held }) => [path, held])).toEqual([
    ['/api/articles', 200],
    ['/api/articles/:id', 200],
  ]);
  expect(routes.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(provider.usage().bytes);
  const shown = entries.filter(({ tags }) => tags.some((name) => name === 'articles#77')).length;
  expect(shown).toBeGreaterThan(0);
  expect(await documentEntries(restCache, { uid: TYPE, documentId: 'document-of-77' })).toMatchObject({
    responses: shown,
  });
  const page = await listEntries(restCache, { contentType: TYPE, page: '2', pageSize: '30', sort: 'key:desc' });
  expect(page.pagination).toMatchObject({ total: ofType.length, pageCount: 4 });
  const sorted = ofType
    .map(({ key }) => key)
    .sort()
    .reverse();
  expect(page.results.map(({ key }) => key)).toEqual(sorted.slice(30, 60));
  const { entries: preview } = await previewPurge(restCache, { contentType: TYPE });
  expect(preview).toBe(ofType.length);
  expect(contentTypes).toEqual([{ uid: TYPE, purges: preview }]);
  expect(await purgeEntries(restCache, { contentType: TYPE })).toEqual({ entries: ofType.length });
  expect(provider.usage().entries).toBe(400 - ofType.length);
});

it('a search shows what matches best, whatever else comes first', async () => {
  const { restCache, provider } = setUp(0);
  for (const query of ['sort=a&x=1', 'sort=a', 'x=1', 'sort=ab'])
    provider.store({ ...entryAt(1), key: `/api/articles?${query}&&` as never });
  const found = async (search: string): Promise<unknown> => {
    const { results, pagination } = await listEntries(panelOf(provider, { inventory: restCache.inventory }), {
      search,
    });
    expect(pagination.total).toBe(results.length);
    return results.map(({ key }) => key);
  };
  expect(await found('/api/articles?sort=a*')).toEqual([
    '/api/articles?sort=a&&',
    '/api/articles?sort=a&x=1&&',
    '/api/articles?sort=ab&&',
  ]);
  expect(await found('sort=ab')).toEqual(['/api/articles?sort=ab&&']);
});
