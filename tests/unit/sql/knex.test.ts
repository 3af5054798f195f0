import createKnex, { type Knex } from 'knex';
import { describe, expect, it } from 'vitest';

import { analyse } from '../../../server/src/sql/analyse';
import type { Dialect } from '../../../server/src/sql/tokens';
import { inWords } from './in-words';

const CLIENTS: ReadonlyArray<readonly [Dialect, Knex]> = [
  ['sqlite', createKnex({ client: 'better-sqlite3', useNullAsDefault: true })],
  ['postgres', createKnex({ client: 'pg' })],
  ['mysql', createKnex({ client: 'mysql2', log: { warn: () => undefined } })],
];

type Build = (knex: Knex) => { toSQL(): { readonly sql: string } };
type Case = readonly [what: string, build: Build, expected: string | Readonly<Record<Dialect, string>>];

/** What knex spells in its own way; tests/unit/sql/reads.test.ts and writes.test.ts have the rest. */
const CASES: readonly Case[] = [
  [
    'select, where, whereIn, orderBy, limit',
    (k) =>
      k('articles')
        .select('id', 'title')
        .where('views', '>', 1)
        .whereIn('locale', ['a', 'b'])
        .orderBy('title')
        .limit(1),
    'articles: locale=?1|?2 by views,title sorted title shows id,title id:id limited',
  ],
  [
    'where of a group',
    (k) =>
      k('articles')
        .where((q) => void q.where('a', 1).whereNull('b'))
        .whereNot('c', 2)
        .whereNotNull('d'),
    'articles: a=?0 b=null d!=null by c',
  ],
  ['whereIn of nothing', (k) => k('articles').whereIn('id', []), 'articles'],
  ['whereLike', (k) => k('articles').whereILike('title', '%x%').where('a', 1), 'articles: a=?1 by title'],
  ['whereJsonPath', (k) => k('articles').whereJsonPath('meta', '$.a', '=', 1).where('a', 2), 'articles: a=?2 by meta'],
  [
    'left join on several conditions',
    (k) =>
      k('articles as a')
        .leftJoin('authors as b', (on) => void on.on('a.author_id', 'b.id').onVal('b.locale', 'en').onNull('b.gone'))
        .select('a.*', 'b.name as author'),
    'articles a + authors b?: locale=?0 gone=null shows name [a.author_id = b.id]',
  ],
  ['withSchema', (k) => k.withSchema('other').from('articles').where('id', 1), 'articles: id=?0'],
  ['count', (k) => k('articles').count({ total: '*' }).where('a', 1), 'articles: a=?0 shows nothing aggregated'],
  [
    'groupBy, having',
    (k) => k('articles').select('author_id').max('views as most').groupBy('author_id').having('most', '>', 1),
    'opaque articles',
  ],
  ['with', (k) => k.with('x', k('a')).select('*').from('x').join('b', 'b.id', 'x.id'), 'opaque a b'],
  [
    'withRecursive',
    (k) => k.withRecursive('x', k('a').unionAll([k('b').join('x', 'x.id', 'b.id')])).from('x'),
    'opaque a b',
  ],
  [
    'forUpdate',
    (k) => k('articles').where('id', 1).forUpdate(),
    { sqlite: 'articles: id=?0', postgres: 'opaque articles', mysql: 'opaque articles' },
  ],
  ['insert', (k) => k('articles').insert({ title: 'x', views: 1 }), 'insert articles (title=?0,views=?1)'],
  [
    'insert of many',
    (k) =>
      k('articles').insert([
        { title: 'x', views: 1 },
        { title: 'y', views: 2 },
      ]),
    'insert articles (title=?0,views=?1) (title=?2,views=?3)',
  ],
  [
    'insert of uneven rows',
    (k) => k('articles').insert([{ title: 'x' }, { title: 'y', views: 2 }]),
    {
      sqlite: 'insert articles (title=?0,views=?1) (title=?2,views=?3)',
      postgres: 'insert articles (title=?0,views=…) (title=?1,views=?2)',
      mysql: 'insert articles (title=?0,views=…) (title=?1,views=?2)',
    },
  ],
  ['insert of nothing', (k) => k('articles').insert({}), 'insert articles rows unknown'],
  [
    'insert, returning',
    (k) => k('articles').insert({ title: 'x' }, ['id']),
    {
      sqlite: 'insert articles (title=?0) returning',
      postgres: 'insert articles (title=?0) returning',
      mysql: 'insert articles (title=?0)',
    },
  ],
  [
    'insert, on conflict merge',
    (k) =>
      k('tags')
        .insert([{ id: 1 }, { id: 2 }])
        .onConflict('id')
        .merge(),
    'insert tags (id=?0) (id=?1) update',
  ],
  [
    'insert, on conflict ignore',
    (k) => k('tags').insert({ id: 1 }).onConflict('id').ignore(),
    'insert tags (id=?0) ignore',
  ],
  [
    'update',
    (k) =>
      k('articles')
        .where({ id: 1 })
        .update({ title: 'x', views: k.raw('views + 1') }),
    'update articles title=?0,views=… from <articles where id = ?> [1]',
  ],
  [
    'update with a query in its condition',
    (k) => k('articles').whereIn('id', k('links').select('article_id').where('x', 1)).update('title', 'y'),
    'update articles title=?0 from <articles where id in (select article_id from links where x = ?)> [1] reads links',
  ],
  [
    'update with a CTE',
    (k) => k.with('x', k('b')).from('a').whereIn('id', k('x').select('id')).update({ y: 1 }),
    'writes a reads b',
  ],
  [
    'delete',
    (k) => k('articles').where({ id: 1 }).whereNull('x').del(),
    'delete articles from <articles where id = ? and x is null> [0]',
  ],
  [
    'truncate',
    (k) => k('articles').truncate(),
    { sqlite: 'delete articles anywhere', postgres: 'unknown', mysql: 'unknown' },
  ],
];

describe.each(CLIENTS)('what knex builds for %s', (dialect, knex) => {
  it.each(CASES)('%s', (_what, build, expected) => {
    const { sql } = build(knex).toSQL();
    const unquoted = inWords(analyse(sql, dialect)).replaceAll(/[`"]/g, '');
    expect(unquoted, sql).toBe(typeof expected === 'string' ? expected : expected[dialect]);
  });
});
