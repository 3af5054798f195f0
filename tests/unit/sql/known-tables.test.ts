import { describe, expect, it } from 'vitest';

import { analyse } from '../../../server/src/sql/analyse';
import type { Dialect, NamesInForce } from '../../../server/src/sql/tokens';
import { inWords } from './in-words';

/* The difference that it makes if the database has listed its tables. `unheard` is not one of them. */

const names: NamesInForce = {
  home: 'public',
  ownFunctions: new Set(['lower']),
  rowFunctions: new Set(),
  relations: new Set(['articles', 'authors', 'tags', 'title', 'sales', 'reports.sales']),
};

describe('statements on tables that the database has told of', () => {
  it.each<[sql: string, expected: string]>([
    // A table's name counts wherever it occurs, unless the statement is understood.
    ['select (select 1), authors from articles', 'opaque articles authors'],
    ['select max((select 1)) from articles order by tags', 'opaque articles tags'],
    ['select title from articles where tags = ?', 'articles: tags=?0 shows title'],
    ['select t0.authors from articles t0 where exists (select 1)', 'opaque articles'],
    // The name of a common table expression.
    ['with authors as (select 1) select * from authors, articles', 'opaque articles authors'],
    // A table that the database has not listed.
    [
      'select * from articles join unheard on articles.id = unheard.id',
      'articles: shows * + unheard: shows * [articles.id = unheard.id]',
    ],
    ['select * from articles where id in (table unheard)', 'opaque articles unheard'],
    ['select extract(year from unheard), (select 1) from articles', 'opaque articles'],
    // In another schema
    ['select * from reports.sales', 'opaque reports.sales'],
    ['select * from public.articles', 'articles'],
    ['select * from elsewhere.articles', 'opaque elsewhere.articles'],
    ['select * from a.b.articles', 'opaque a.b.articles'],
    // In a write.
    [
      'update articles set title = ? where articles.id = ?',
      'update articles title=?0 from <articles where articles.id = ?> [1] reads title',
    ],
    ['insert into articles (tags) values (?)', 'insert articles (tags=?0) reads tags'],
  ])('%s', (sql, expected) => {
    expect(inWords(analyse(sql, 'postgres', names))).toBe(expected);
  });

  it.each<[dialect: Dialect, sql: string, expected: string]>([
    ['mysql', 'update articles join unheard on true set articles.x = 1', 'writes articles unheard'],
    ['mysql', 'with unheard as (select 1) update articles join unheard on true set articles.x = 1', 'writes articles'],
  ])('%s: %s', (dialect, sql, expected) => {
    expect(inWords(analyse(sql, dialect, names))).toBe(expected);
  });
});
