import { expect, it } from 'vitest';
import { wholeTableTags } from '../../../server/src/dependencies/tags';
import { readTags } from '../../../server/src/dependencies/read-plan';
import { analyse } from '../../../server/src/sql/analyse';
import { describedCatalog } from '../../application/described-catalog';

const catalog = describedCatalog({
  tables: [{ name: 'articles', columns: [{ name: 'id' }, { name: 'title' }], foreignKeys: [] }],
});

const tagsOf = (sql: string, ...bindings: unknown[]): readonly string[] => {
  const statement = analyse(sql, 'mysql', undefined);
  if (statement.kind !== 'read') throw new Error(`${sql} is no read`);
  return readTags(statement, { bindings, rows: [] }, catalog, 'document');
};

it('an object that is bound may name columns: any row of the table counts', () => {
  const whole = wholeTableTags('articles');
  expect(tagsOf('select title from articles where not ?', { title: 'a' })).toEqual(whole);
  expect(tagsOf('select title from articles where not ?', 1)).not.toEqual(expect.arrayContaining(whole));
});
