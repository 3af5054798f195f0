import type { UID } from '@strapi/strapi';
import { expect, it } from 'vitest';
import { writtenContentType } from '../../../server/src/admin-api/content-types';
import { summedAlike } from '../../../server/src/admin-api/routes';
import type { RestCache } from '../../../server/src/plugin/rest-cache';
import { describedCatalog } from '../../application/described-catalog';

const table = (name: string, references: Readonly<Record<string, string>> = {}) => ({
  name,
  columns: ['id', ...Object.keys(references)].map((column) => ({ name: column })),
  foreignKeys: Object.entries(references).map(([column, referencedTable]) => ({ columns: [column], referencedTable })),
});

const ARTICLE = 'api::article.article' as UID.ContentType;

const restCache = {
  strapi: { contentTypes: { [ARTICLE]: {}, 'api::author.author': {} } },
  catalog: () =>
    describedCatalog(
      {
        tables: [
          table('articles'),
          table('authors'),
          table('articles_author_lnk', { article_id: 'articles', author_id: 'authors' }),
          table('strapi_core_store_settings'),
        ],
      },
      new Map([
        [ARTICLE, 'articles'],
        ['api::author.author', 'authors'],
      ]),
    ),
} as unknown as RestCache;

it.each([
  ['articles', ARTICLE],
  ['articles_author_lnk', ARTICLE],
  ['strapi_core_store_settings', undefined],
  ['not_described', undefined],
])('a write to %s changes %s', (name, uid) => {
  expect(writtenContentType(restCache, name)).toBe(uid);
});

it('reasons that read alike are one, with their sum and an example', () => {
  const latest = { path: '/api/articles', headers: {} } as never;
  const reason = {
    kind: 'fill',
    code: 'write',
    detail: 'Article',
    about: null,
    count: 2,
    latest: null,
    advice: null,
  } as const;
  expect(summedAlike([reason, { ...reason, detail: 'Author' }, { ...reason, count: 3, latest }])).toEqual([
    { ...reason, count: 5, latest },
    { ...reason, detail: 'Author' },
  ]);
});
