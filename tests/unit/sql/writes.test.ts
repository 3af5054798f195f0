import { describe } from 'vitest';

import { ask } from './ask';

/*
 * The notation: `…` is an unknown value; `from <…> [0]` is the condition with its bindings, `anywhere` means that there
 * is none.
 */
describe('writes', () => {
  describe('inserts', () => {
    ask({
      any: {
        "INSERT INTO Articles (Title) VALUES ('a'), (?), (null), (-1)":
          'insert articles (title="a") (title=?0) (title=null) (title=-1)',
        'insert into articles values (?, ?)': 'insert articles rows unknown',
        'insert into articles default values': 'insert articles rows unknown',
        'insert into articles (title) select ? as title union all select ? as title':
          'insert articles (title=?0) (title=?1)',
        'insert into articles (title) select ? as title from drafts as other':
          'insert articles rows unknown reads drafts',
        'insert into articles select * from drafts join authors on drafts.author = authors.id':
          'insert articles rows unknown reads authors drafts',
        'with x as (select * from drafts) insert into articles (title) select title from x':
          'writes articles reads drafts',
        'insert into articles (title) values (?) returning id': 'insert articles (title=?0) returning',
        'insert into articles (id, title) values (?, ?) on conflict (id) do nothing':
          'insert articles (id=?0,title=?1) ignore',
        'insert into articles (id, title) values (?, ?) on conflict (id) do update set title = excluded.title where articles.id > ? returning *':
          'insert articles (id=?0,title=?1) update returning',
        'insert into articles (id) select id from drafts on conflict do nothing':
          'insert articles rows unknown ignore reads drafts',
        'insert into articles (id) select a.id from drafts a join b on a.id = b.id on conflict do nothing':
          'insert articles rows unknown ignore reads b drafts',
        'insert into articles (a, b) values (?)': 'insert articles rows unknown',
        'insert into articles': 'insert articles rows unknown',
        'insert into articles (title) values (?) garbage': 'writes articles',
        'insert into ? (title) values (?)': 'unknown',
      },
      postgres: {
        'insert into "public"."articles" as a ("title") overriding system value values ($1) on conflict on constraint x do update set "title" = $2':
          'insert articles rows unknown update',
        'with gone as (delete from drafts where id = ? returning *) insert into articles select * from gone':
          'writes drafts articles returning',
        'insert into articles table drafts': 'insert articles rows unknown reads drafts',
      },
      mysql: {
        'insert into `articles` (`title`) values (?) on duplicate key update `title` = values(`title`)':
          'insert articles (title=?0) update',
        'insert into `articles` (`title`) values (?) as new(t) on duplicate key update `title` = new.t':
          'writes articles',
        'insert ignore into `articles` (`title`) values (?)': 'insert articles (title=?0) ignore',
        'insert into articles (a) values row(1), row(2)': 'writes articles',
      },
      sqlite: {
        'insert or ignore into articles (id) values (?)': 'insert articles (id=?0) ignore',
        'insert into `tags` (`label`) select ? as `label` union all select ? as `label` where true on conflict (`label`) do nothing returning `id`':
          'insert tags (label=?0) (label=?1) ignore returning',
        "insert into 'articles' (id) values (?)": 'writes articles',
      },
    });
  });

  describe('updates', () => {
    ask({
      any: {
        'update articles set title = ? where id = ?': 'update articles title=?0 from <articles where id = ?> [1]',
        'update articles set title = ?, views = views + 1, active = true, x = null where id in (?, ?) and locale = ?':
          'update articles title=?0,views=…,active=true,x=null from <articles where id in (?, ?) and locale = ?> [1,2,3]',
        'update articles set updated_at = now() where id = ?':
          'update articles updated_at=… from <articles where id = ?> [0]',
        'update articles set title = ? where created_at < now()': 'update articles title=?0 anywhere',
        'update articles set title = ? where id in (select id from drafts limit 1)':
          'update articles title=?0 anywhere reads drafts',
        'update articles set title = ? where random() < 0.5': 'update articles title=?0 anywhere',
        'update articles set title = ? where id = ? returning id, title':
          'update articles title=?0 from <articles where id = ?> [1] returning',
        'update articles set title = my_function(?) where id = ?':
          'calls my_function, update articles title=… from <articles where id = ?> [1]',
        'delete from articles where my_function(id) = ?': 'calls my_function, delete articles anywhere',
        'update articles set title = ? where id = ? or x':
          'update articles title=?0 from <articles where id = ? or x> [1]',
        "update Articles set Title = 'x' where Id = 1 -- really":
          'update articles title="x" from <Articles where Id = 1> []',
        // As knex writes `in ()`: no row is affected if the binding is 0.
        'update articles set title = ? where (id = ? and (1 = ? and x = ?)) and 1 = ?':
          'update articles title=?0 from <articles where (id = ? and (1 = ? and x = ?)) and 1 = ?> [1,2,3,4] unless ?2 is 0 unless ?4 is 0',
        ...Object.fromEntries(
          [
            'id = ? or 1 = ?',
            'id = ? xor x and 1 = ?',
            'not 1 = ?',
            '(id = ? or 1 = ?) and 1 = x',
            '1 = ? + 1',
            '1 < ?',
            '? = 1',
            "'1' = ?",
          ].map((where) => [
            `update articles set title = x where ${where}`,
            `update articles title=… from <articles where ${where}> [${where.includes('id') ? '0,1' : '0'}]`,
          ]),
        ),
        "update articles set title = ? where note = 'what?'": 'update articles title=… anywhere',
        'update articles set a = b is distinct from c where id = ?': 'writes articles',
      },
      postgres: {
        'update articles set title = ? where id = any (array_sample(array[1, 2], 1))':
          'update articles title=?0 anywhere',
        'update only articles set title = ? where id = ?': 'writes articles',
        'update articles as a set "order" = b.o from (select id, row_number() over (order by x) as o from articles where y = ?) as b where b.id = a.id':
          'update articles order=… from <articles where y = ?> [0] reads articles',
        'update articles set tags[1] = ? where id = ?': 'writes articles',
        "update articles set meta = meta || ? where meta \\? 'key' and id = ?":
          "update articles meta=… from <articles where meta \\? 'key' and id = ?> [1]",
        ...Object.fromEntries(
          [
            // The rows are not decided by one condition alone.
            'select id, x as o from articles where y = ? order by x|b.id = a.id',
            'select id, x as o from articles where y = ? group by z|b.id = a.id',
            'select id, x as o from articles where y = ? union select id, 1 from articles|b.id = a.id',
            'select id, x as o from articles c where c.y = ?|b.id = a.id',
            'select id, x as o from drafts where y = ?|b.id = a.id',
            'select id, x as o from articles where y in (select z from teams where n = ?)|b.id = a.id',
            'select x, id as o from articles where y = ?|b.id = a.id',
            'select id + 1, x as o from articles where y = ?|b.id = a.id',
            'select id, x as o from articles where y = ?|b.o = a.id',
            'select id, x as o from articles where y = ?|b.id = b.id',
            'select id, x as o from articles where y = ?|b.id = a.id and a.z = 1',
            'select id, x as o from articles where y = ?|b.id < a.id',
          ].map((parts) => {
            const [query = '', on = ''] = parts.split('|');
            const reads = ['drafts', 'teams'].filter((table) => query.includes(table));
            if (!query.includes('from drafts')) reads.unshift('articles');
            return [
              `update articles as a set "order" = b.o from (${query}) as b where ${on}`,
              `update articles order=… anywhere reads ${reads.join(' ')}`,
            ];
          }),
        ),
      },
      mysql: {
        'select id into @x from articles': 'shows a variable, opaque articles',
        "select id into outfile 'x' from articles": 'unknown',
        'update `articles_lnk` as a, ( select `id`, row_number() over (partition by `x` order by `y`) as src_order from `articles_lnk` where `x` = ? ) AS b SET `order` = b.src_order WHERE b.id = a.id':
          'update articles_lnk order=… from <`articles_lnk` where `x` = ?> [0] reads articles_lnk',
        'update articles a, authors b set a.title = ?, b.name = ? where b.id = a.author_id': 'writes articles authors',
        'update articles use index for order by (x), authors set authors.name = ? where articles.id = ?':
          'writes articles authors',
        'update ignore articles set title = ? where id = ?': 'writes articles',
        'update low_priority articles set title = ? where id = ?': 'writes articles',
      },
      sqlite: {
        'update or replace articles set title = ? where id = ?': 'writes articles',
      },
    });
  });

  describe('deletes', () => {
    ask({
      any: {
        'delete from articles where id = ?': 'delete articles from <articles where id = ?> [0]',
        'delete from articles': 'delete articles anywhere',
        'delete from articles where id in (select id from (select id from articles where title = ?) as x) and locale = ?':
          'delete articles from <articles where id in (select id from (select id from articles where title = ?) as x) and locale = ?> [0,1] reads articles',
        'delete from articles where expires_at < now()': 'delete articles anywhere',
        'delete from articles where id = ? returning *': 'delete articles from <articles where id = ?> [0] returning',
        'with x as (select 1) delete from articles where id = 1': 'writes articles',
      },
      postgres: {
        'delete from "public"."articles" where "id" = $1 and "title" = $2':
          'delete articles from <"public"."articles" where "id" = ? and "title" = ?> [0,1]',
        'delete from articles using authors where authors.id = articles.author_id and authors.name = ?':
          'writes articles reads authors',
        'with gone as (delete from links where x = ? returning id) delete from articles where id in (select id from gone)':
          'writes links articles returning',
        'with gone as (delete from links returning *) select * from gone join articles on true':
          'writes links reads articles returning',
        'with a as (insert into x values (1)), b as (update y set z = 1) select 1': 'writes x y',
      },
      mysql: {
        'delete a from articles a join authors b using (id)': 'writes articles authors',
        'delete quick from articles where id = ?': 'writes articles',
      },
    });
  });

  describe('the rest', () => {
    ask({
      any: {
        'merge into articles using drafts on articles.id = drafts.id when matched then delete':
          'writes articles reads drafts',
      },
    });
  });
});
