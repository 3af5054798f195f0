import { expect, it } from 'vitest';
import { EVERYTHING, type Tag } from '../../../server/src/cache/tag';
import { keyTag, membershipTag, pathTag, rowTag, tableTag } from '../../../server/src/dependencies/tags';
import { partitionScope } from '../../../server/src/dependencies/row-scope';
import { writtenSubject } from '../../../server/src/admin-api/activity';

const UIDS: Readonly<Record<string, string>> = {
  articles: 'api::article.article',
  files: 'plugin::upload.file',
  strapi_releases: 'plugin::content-releases.release',
};
const subject = (...tags: Tag[]) => writtenSubject(tags, (table) => UIDS[table]);

it('names the document, whatever scope its tag has', () => {
  for (const scope of ['', partitionScope('published', undefined), partitionScope('draft', 'en')]) {
    expect(subject(rowTag('articles', '7'), keyTag('articles', scope, 'document_id', 'abc'))).toEqual({
      kind: 'documents',
      uid: 'api::article.article',
      documentIds: ['abc'],
      count: 1,
    });
  }
});

it('does not take another column that ends alike for the document id', () => {
  expect(subject(keyTag('articles', '', 'related_document_id', 'abc'))).toMatchObject({ kind: 'tables' });
});

it('names the first documents of many, and how many there are', () => {
  const ids = Array.from({ length: 30 }, (_, index) => `document${index}`);
  expect(subject(...ids.map((id) => keyTag('articles', '', 'document_id', id)))).toEqual({
    kind: 'documents',
    uid: 'api::article.article',
    documentIds: ids.slice(0, 5),
    count: 30,
  });
});

it("prefers the application's own content to what is written beside it", () => {
  const written = subject(
    keyTag('strapi_releases', '', 'document_id', 'release'),
    keyTag('articles', '', 'document_id', 'abc'),
  );
  expect(written).toMatchObject({ uid: 'api::article.article', documentIds: ['abc'] });
});

it('names content types, and tables that belong to none, where no document is known', () => {
  expect(subject(tableTag('articles'), membershipTag('articles_tags_lnk'))).toEqual({
    kind: 'tables',
    uids: ['api::article.article'],
    tables: ['articles_tags_lnk'],
  });
});

it('names the path of a request that has written elsewhere than in the database', () => {
  expect(subject(pathTag('/api/weather'))).toEqual({ kind: 'tables', uids: [], tables: ['/api/weather'] });
});

it('says everything when everything was stamped', () => {
  expect(subject(tableTag('articles'), EVERYTHING)).toEqual({ kind: 'everything' });
});
