import qs from 'qs';
import type { Entry } from '../../server/src/cache/entry';
import { systemClock } from '../../server/src/cache/clock';
import type { CacheKey } from '../../server/src/cache/key';
import { milliseconds } from '../../server/src/cache/milliseconds';
import type { Provider } from '../../server/src/cache/provider';
import { sequence } from '../../server/src/cache/sequence';
import { EVERYTHING, tag } from '../../server/src/cache/tag';
import type { RestCache } from '../../server/src/plugin/rest-cache';
import { describedCatalog } from '../application/described-catalog';

export const TYPE = 'api::article.article';
const TABLE = 'articles';
const COLUMNS = ['id', 'document_id', 'title', 'locale', 'published_at'];

/** Rows that a response shows; each row gives two tags. */
const ROWS_SHOWN = 20;
const ROWS = 10_000;

/** A list of 20 rows of 20 kB under a key of 100 characters. */
export const entryAt = (index: number): Entry => {
  const rows = Array.from({ length: ROWS_SHOWN }, (_, place) => (index * 7 + place * 13) % ROWS);
  return {
    key: `/api/articles?filters[title][$contains]=a-title-that-is-typed-${String(index).padStart(6, '0')}&pagination[page]=2&&` as CacheKey,
    response: {
      status: 200,
      headers: [['content-type', 'application/json; charset=utf-8']],
      body: Buffer.alloc(20_000, 120),
      etag: '"abcdefghijklmnopqrstuvwxyz0"',
    },
    labels: {
      contentType: index % 4 === 0 ? TYPE : `api::other-${index % 4}.other-${index % 4}`,
      route: index % 2 === 0 ? '/api/articles' : '/api/articles/:id',
      params: index % 2 === 0 ? {} : { id: `document-of-${index}` },
      identity: index % 10 === 0 ? `up:${index % 300}` : '',
    },
    tags: [
      EVERYTHING,
      tag(`type:${index % 4 === 0 ? TYPE : 'other'}`),
      ...['categories', 'authors', 'files_related_mph', 'articles_category_lnk'].map((table) => tag(`${table}!`)),
      ...rows.flatMap((row) => [tag(`${TABLE}#${row}`), tag(`${TABLE}@published.document_id=s:document-of-${row}`)]),
    ],
    sequence: sequence(0),
    createdAt: systemClock.now(),
    maxAge: milliseconds(3_600_000),
    cost: milliseconds(5),
  };
};

/** Stores so many entries, and writes to some documents in between. */
export const fill = async (provider: Provider, count: number): Promise<void> => {
  const since = await provider.invalidate([tag('something else')]);
  for (let first = 0; first < count; first += 200)
    await Promise.all(
      Array.from({ length: Math.min(200, count - first) }, async (_, place) =>
        provider.store({ ...entryAt(first + place), sequence: since }),
      ),
    );
  for (let write = 0; write < 50; write += 1) await provider.invalidate([tag(`${TABLE}#${ROWS + write}`)]);
};

/** As Koa's request, which Strapi's query parser is attached to. */
const REQUEST = {
  get query() {
    return qs.parse((this as unknown as { req: { url: string } }).req.url.split('?')[1] ?? '');
  },
};

interface Search {
  readonly where: { readonly $and?: ReadonlyArray<{ readonly $or: ReadonlyArray<{ readonly documentId?: string }> }> };
}

const named = (conditions: NonNullable<Search['where']['$and']>): object[] =>
  conditions.flatMap(({ $or }) => $or.filter(({ documentId }) => documentId !== undefined));

const row = (documentId: string): object => ({
  id: Number(documentId.split('-').at(-1)),
  document_id: documentId,
  title: 'a title',
  locale: 'en',
  published_at: 1,
});

/** What the admin API needs of a running application. */
export const panelOf = (provider: Provider, more: object = {}): RestCache => {
  const catalog = describedCatalog(
    { tables: [{ name: TABLE, columns: COLUMNS.map((name) => ({ name })), foreignKeys: [] }] },
    new Map([[TYPE, TABLE]]),
  );
  const parts = {
    provider,
    cache: provider,
    cachedUids: [TYPE],
    documentUids: [TYPE],
    shownUids: [TYPE],
    catalog: () => catalog,
    observability: {
      metrics: { hitsOf: () => 0 },
      activity: { readAll: () => Promise.resolve([]) },
      purged: () => undefined,
    },
    async hasPurged(this: RestCache) {
      this.inventory.changed();
    },
    lanes: {},
    config: {
      provider: { name: provider.name, getTimeout: 500 },
      strategy: {
        precision: 'document',
        clearRelatedCache: true,
        contentTypes: [
          {
            uid: TYPE,
            routes: [{ path: '/api/articles/:id', paramNames: ['id'], maxAge: 1 }],
            maxAge: 1,
            hitpass: false,
            keys: {},
          },
        ],
      },
    },
    purge: async ({ tags }: { tags: Parameters<Provider['invalidate']>[0] }) => void (await provider.invalidate(tags)),
    strapi: {
      server: { app: { request: REQUEST } },
      contentTypes: { [TYPE]: { info: {}, attributes: {} } },
      contentType: () => ({ attributes: {} }),
      db: {
        metadata: { has: () => true, get: () => ({ tableName: TABLE }) },
        getConnection: () => ({
          whereIn: (_column: string, documentIds: readonly string[]) => Promise.resolve(documentIds.map(row)),
        }),
        query: () => ({ findMany: ({ where }: Search) => Promise.resolve(where.$and ?? []).then(named) }),
      },
    },
    ...more,
  };
  return parts as unknown as RestCache;
};
