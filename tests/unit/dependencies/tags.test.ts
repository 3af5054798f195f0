import fc from 'fast-check';
import { expect, it } from 'vitest';
import { EVERYTHING } from '../../../server/src/cache/tag';
import {
  anyRowTag,
  columnTag,
  contentTypeTag,
  keySubstanceTag,
  keyTag,
  membershipTag,
  movedReferenceTag,
  namedBy,
  narrowingTags,
  paramsTag,
  pathTag,
  rowTag,
  spanTag,
  substanceTag,
  tableTag,
  tieTag,
} from '../../../server/src/dependencies/tags';

const scopes = ['', '|published|', '|draft|fr', '||en', '@article_id.draft', '@related_id=api::article.article/draft'];

const tagsOf = (table: string, scope: string) => [
  tableTag(table),
  anyRowTag(table, scope),
  membershipTag(table, scope),
  columnTag(table, scope, 'title'),
  movedReferenceTag(table, scope, 'author_id'),
  rowTag(table, '7'),
  substanceTag(table, '7'),
  keyTag(table, scope, 'slug', 'a:document_id=b'),
  keySubstanceTag(table, scope, 'slug', 'a'),
  tieTag(table, scope, 'title', 'x'),
  spanTag(table, scope, '1.0'),
];

const anyTable = fc.oneof(
  fc.constantFrom('articles', 'other.articles', 'type', 'entry', 'a%2eb', 'a b', 'what?', 'up_users'),
  fc.string({ minLength: 1 }),
);

it('every tag of a table names it, whatever it is called', () => {
  fc.assert(
    fc.property(anyTable, fc.constantFrom(...scopes), (table, scope) => {
      for (const name of tagsOf(table, scope)) expect(namedBy(name)).toMatchObject({ table, documentId: undefined });
      expect(new Set(tagsOf(table, scope).map((name) => namedBy(name).group)).size).toBe(1);
    }),
  );
});

it('tags of two tables have different groups, and are different', () => {
  fc.assert(
    fc.property(anyTable, anyTable, (one, other) => {
      fc.pre(one !== other);
      expect(namedBy(tableTag(one)).group).not.toBe(namedBy(tableTag(other)).group);
      const tags = new Set<string>(tagsOf(one, ''));
      for (const name of tagsOf(other, '')) expect(tags.has(name)).toBe(false);
    }),
  );
});

it('a look-up by document id names the document', () => {
  for (const table of ['articles', 'other.articles', 'type'])
    for (const scope of ['', '|published|', '|draft|fr'])
      expect(namedBy(keyTag(table, scope, 'document_id', 'abc:1'))).toMatchObject({ table, documentId: 'abc:1' });
  expect(namedBy(keyTag('articles', '', 'related_document_id', 'abc')).documentId).toBeUndefined();
});

it('what is purged by hand names no table, and has one group with all that narrows it', () => {
  const uid = 'api::article.article';
  const { group } = namedBy(contentTypeTag(uid));
  for (const name of [contentTypeTag(uid), paramsTag(uid, { id: 'a?b' }), ...narrowingTags(uid, { id: '1', of: 'x' })])
    expect(namedBy(name)).toEqual({ group, table: undefined, documentId: undefined });
  expect(namedBy(contentTypeTag('api::author.author')).group).not.toBe(group);
  expect(namedBy(pathTag('/api/articles')).table).toBeUndefined();
  expect(namedBy(pathTag('/api/articles')).group).not.toBe(namedBy(pathTag('/api/authors')).group);
  expect(namedBy(EVERYTHING)).toMatchObject({ table: undefined, documentId: undefined });
});

it('a purge names the parameters of a route in any order', () => {
  const uid = 'api::article.article';
  expect(paramsTag(uid, { section: 'news', id: '1' })).toBe(paramsTag(uid, { id: '1', section: 'news' }));
  expect(narrowingTags(uid, { section: 'news', id: '1' })).toContain(paramsTag(uid, { id: '1', section: 'news' }));
});

it('each of the first six parameters doubles the tags by which purges are narrowed, and no further one', () => {
  const namesOf = (count: number): string[] => Array.from({ length: count }, (_, index) => `p${index}`);
  const tagsFor = (count: number) => narrowingTags('api::a.a', Object.fromEntries(namesOf(count).map((n) => [n, '1'])));
  expect([1, 2, 6, 7].map((count) => tagsFor(count).length)).toEqual([1, 3, 63, 63]);
});
