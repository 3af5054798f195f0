import { describe, expect, it } from 'vitest';
import { wholeTableTags } from '../../../server/src/dependencies/tags';
import { readTags } from '../../../server/src/dependencies/read-plan';
import type { Row } from '../../../server/src/sql/column-value';
import { analyse } from '../../../server/src/sql/analyse';
import { describedCatalog } from '../../application/described-catalog';

const catalog = describedCatalog({
  tables: [{ name: 'articles', columns: [{ name: 'id' }, { name: 'title' }], foreignKeys: [] }],
});

const tagsOf = (
  sql: string,
  bindings: readonly unknown[],
  rows: readonly Row[] = [],
  known = catalog,
): readonly string[] => {
  const statement = analyse(sql, 'mysql', undefined);
  if (statement.kind !== 'read') throw new Error(`${sql} is no read`);
  return readTags(statement, { bindings, rows }, known, 'document');
};

it('an object that is bound may name columns: any row of the table counts', () => {
  const whole = wholeTableTags('articles');
  expect(tagsOf('select title from articles where not ?', [{ title: 'a' }])).toEqual(whole);
  const withoutPrototype: unknown = Object.assign(Object.create(null), { title: 'a' });
  expect(tagsOf('select id from articles where id = ?', [withoutPrototype])).toEqual(whole);
  expect(tagsOf('select title from articles where not ?', [1])).not.toEqual(expect.arrayContaining(whole));
});

describe('a page of articles', () => {
  const rows = [
    { id: 1, title: 'a' },
    { id: 2, title: 'b' },
  ];
  const page = (sql: string, ...bindings: unknown[]): readonly string[] =>
    tagsOf(`select * from articles order by title, id ${sql}`, bindings, rows);

  it.each([
    ['limit ?', [3]],
    ['limit 3', []],
  ])('depends on what the whole list depends on, if it has fewer rows than its limit: %s', (sql, bindings) =>
    expect(page(sql, ...bindings)).toEqual(page('')),
  );

  it.each([
    ['limit ?', [2]],
    ['limit 2', []],
    ['limit ? offset ?', [3, 1]],
    ['limit ?', ['3']],
    // PostgreSQL rounds it.
    ['limit 2.4', []],
    ['limit ?', [2.4]],
  ])('depends on rows that may move onto it otherwise: %s', (sql, bindings) =>
    expect(page(sql, ...bindings)).not.toEqual(page('')),
  );
});

it('a list by a join table depends on the join rows of the status it asks for, and on no others', () => {
  const related = describedCatalog({
    tables: [
      { name: 'docs', columns: [{ name: 'id' }, { name: 'title' }, { name: 'published_at' }], foreignKeys: [] },
      {
        name: 'links',
        columns: [{ name: 'id' }, { name: 'doc_id' }, { name: 'tag_id' }],
        foreignKeys: [{ columns: ['doc_id'], referencedTable: 'docs' }],
      },
    ],
  });
  const sql = `select docs.title from docs inner join links on links.doc_id = docs.id
    where links.tag_id = ? and docs.published_at is not null`;
  const ofLinks = tagsOf(sql, [1], [], related).filter((name) => name.startsWith('links'));
  expect(ofLinks.length).toBeGreaterThan(1);
  for (const name of ofLinks) expect(name).toMatch(/^links(!$|@doc_id\.published)/);
});
