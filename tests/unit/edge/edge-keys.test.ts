import { describe, expect, it } from 'vitest';
import { contentTypeTag, keyTag, paramsTag, rowTag } from '../../../server/src/dependencies/tags';
import { EVERYTHING, tag } from '../../../server/src/cache/tag';
import { EdgeKeys } from '../../../server/src/edge/edge-keys';

const rows = (count: number, table = 'articles') => Array.from({ length: count }, (_, id) => tag(`${table}#${id}`));
const withAll = (...tags: ReturnType<typeof tag>[]) => [EVERYTHING, tag('type:api::article.article'), ...tags];

/** Whether a purge of `stamped` reaches an answer with these `tags`. */
const reaches = (keys: EdgeKeys, tags: readonly ReturnType<typeof tag>[], stamped: ReturnType<typeof tag>): boolean => {
  const purged = keys.ofPurge([stamped]);
  return keys.ofAnswer(tags).some((key) => purged.has(key));
};

describe('the keys of an answer', () => {
  it('are one for each tag, short, and say nothing', () => {
    const keys = new EdgeKeys('Surrogate-Key', 4096, '').ofAnswer(withAll(...rows(3), ...rows(3)));
    expect(keys).toHaveLength(5);
    expect(keys.join(' ')).toMatch(/^([\w-]{8} ){4}[\w-]{8}$/);
  });

  it('are reached by each of its tags and by no other, while they fit', () => {
    const keys = new EdgeKeys('Surrogate-Key', 4096, '');
    const tags = withAll(...rows(30));
    for (const one of tags) expect(reaches(keys, tags, one)).toBe(true);
    expect(reaches(keys, tags, tag('articles#30'))).toBe(false);
  });

  it.each([
    [300, 'articles#30', 'tags#1'],
    [70, undefined, undefined],
  ])('are still reached by each of its tags where only %i bytes fit', (maxBytes, sameTable, otherTable) => {
    const keys = new EdgeKeys('Surrogate-Key', maxBytes, '');
    const tables = ['articles', 'authors', 'categories', 'files', 'pages', 'users', 'links', 'homes', 'seos'];
    const tags = withAll(...tables.flatMap((table) => rows(10, table)));
    expect(keys.format(keys.ofAnswer(tags)).length).toBeLessThanOrEqual(maxBytes);
    for (const one of tags) expect(reaches(keys, tags, one)).toBe(true);
    // The answer has the key of the table instead. It is reached needlessly by other rows of the table, but by no other
    // table.
    if (sameTable !== undefined) expect(reaches(keys, tags, tag(sameTable))).toBe(true);
    if (otherTable !== undefined) expect(reaches(keys, tags, tag(otherTable))).toBe(false);
  });

  it('are reached by a purge of its content type, and by none of another, where they do not fit', () => {
    const keys = new EdgeKeys('Surrogate-Key', 300, '');
    const tags = [...withAll(...rows(200)), paramsTag('api::article.article', { id: '7' })];
    expect(reaches(keys, tags, paramsTag('api::article.article', { id: '7' }))).toBe(true);
    expect(reaches(keys, tags, contentTypeTag('api::article.article'))).toBe(true);
    expect(reaches(keys, tags, contentTypeTag('api::author.author'))).toBe(false);
    // The table that is called like the beginning of the tags of content types.
    expect(reaches(keys, [EVERYTHING, keyTag('type', '', 'name', 'x'), ...rows(200)], rowTag('type', '7'))).toBe(true);
  });

  it('are other ones in another application', () => {
    const [one, other] = ['one', 'other'].map((prefix) => new EdgeKeys('xkey', 4096, prefix).everything);
    expect(one).not.toBe(other);
  });

  it.each([
    ['Surrogate-Key', /^[\w-]{8} [\w-]{8}$/, 'own '],
    ['xkey', /^[\w-]{8} [\w-]{8}$/, 'own '],
    ['cache-tag', /^[\w-]{8},[\w-]{8}$/, 'own,'],
    ['Cache-Groups', /^"[\w-]{8}", "[\w-]{8}"$/, 'own, '],
  ])('are written as %s has it, behind what the handler has set there', (header, form, own) => {
    const keys = new EdgeKeys(header, 4096, '');
    const value = keys.format(keys.ofAnswer([EVERYTHING, tag('a!')]));
    expect(value).toMatch(form);
    expect(keys.format(keys.ofAnswer([EVERYTHING, tag('a!')]), 'own')).toBe(own + value);
  });
});
