import { describe } from 'vitest';

import { ask } from './ask';

/*
 * The notation: `table alias:` begins a source, and `?` after it means that the source is optional. Then follow its
 * keys, the columns that it is filtered `by` and `sorted` by, those that it `shows`, and the property with its id.
 * If nothing is said of what it shows, it shows all columns, and its id as `id`. `[a.x = b.y]` is a join. `opaque` is
 * followed by all tables.
 */
describe('reads', () => {
  describe('conditions', () => {
    ask({
      any: {
        "SELECT * FROM Articles WHERE Id = ? AND Title = 'it''s'": 'articles: id=?0 title="it\'s"',
        'select id, title from articles where id in (?, ?, 3)': 'articles: id=?0|?1|3 shows id,title id:id',
        'select * from articles where ? = id and 5 = views': 'articles: id=?0 views=5',
        'select * from articles where published_at is null and locale is not null':
          'articles: published_at=null locale!=null',
        'select * from articles where title like ? and not (views > ?)': 'articles: by title,views',
        'select * from articles where id = ? or id = ?': 'articles: by id',
        'select * from articles where (id = ? and (locale = ? and (slug = ?)))': 'articles: id=?0 locale=?1 slug=?2',
        'select * from articles where id = ? and (locale = ? or slug = ?)': 'articles: id=?0 by locale,slug',
        'select * from articles where not id = ?': 'articles: by id',
        'select * from articles where views between ? and ? and id = ?': 'articles: id=?2 by views',
        'select * from articles where views not between ? and ? and id = ?': 'articles: id=?2 by views',
        'select * from articles where id = -5 and score = 1.5 and active = true and x = null':
          'articles: id=-5 score=1.5 active=true by x',
        'select * from articles where id not in (?, ?)': 'articles: by id',
        'select * from articles where id in (?, views)': 'articles: by id,views',
        'select * from articles where (id, locale) = (?, ?)': 'articles: by id,locale',
        'select * from articles where a is distinct from b and c is not distinct from ?': 'opaque articles',
        'select * from articles where 1 = ?': 'articles',
        'select * from articles where id = ? + 1': 'articles: by id',
        'select * from articles where id = ? -- and locale = ?': 'opaque articles',
        'select /* from authors */ * from articles': 'articles',
        "select * from articles where title = 'from authors'": 'articles: title="from authors"',
        'select * from articles where extract(year from created_at) = ?': 'opaque articles',
        "select * from articles where cast(views as varchar(10)) = ? and trim(both ' ' from title) = ?":
          'opaque articles',
        'select * from articles where published_at < current_timestamp and user = ?':
          'articles: by published_at,current_timestamp,user',
        'select * from articles where lower(cast(title as varchar(10))) like ? and id = ?': 'articles: id=?1 by title',
        'select * from articles where id is ? and x is true': 'articles: by id,x',
      },
      postgres: {
        'select * from articles where title::text ilike ? and id = ?': 'articles: id=?1 by title',
        'select * from "articles" where "id" = $1 and "locale" in ($2, $3)': 'articles: id=?0 locale=?1|?2',
        'select * from "articles" where "title" = $1 and "id" = ?': 'opaque articles',
        "select * from articles where meta \\? 'key' and meta @> ? and id = ?": 'articles: id=?1 by meta',
        'select * from articles where tags[1] = ? and tags = array[?, ?] and id = any(?)': 'opaque articles',
        "select * from articles where title = E'it\\'s' and slug = $tag$it's$tag$ and id = ?":
          'articles: id=?0 by title,slug',
        'select * from articles where "select" = ? and "from" is null': 'articles: select=?0 from=null',
        'select * from articles where articles = ?': 'opaque articles',
        'select * from articles where U&"\\0061" = ?': 'unknown',
      },
      sqlite: {
        'select count(*) from articles where articles."_ROWID_" > ?': 'opaque articles',
        'select * from articles where "title" = ?': 'articles: by title',
        "select * from articles where `title` LIKE ? ESCAPE '\\' and `views` = ?": 'articles: views=?1 by title',
        'select [id], [title] from [articles] where [id] = ?': 'articles: id=?0 shows id,title id:id',
        'select * from articles where id = ?1': 'opaque articles',
        'select * from articles where id = :id and slug = @slug and x = $x': 'opaque articles',
        "select * from articles where title = 'what?' and id = ?": 'opaque articles',
      },
      mysql: {
        'select * from articles where a = ? and b = ? || c = ?': 'articles: by a,b,c',
        'select * from articles where id = ? and ?': 'opaque articles',
        'select * from articles where a = ? && b = ?': 'articles: by a,b',
        'select * from articles where a = ? xor b = ?': 'opaque articles',
        'select * from articles where "id" = ? and title = "x"': 'articles: by id,title,x',
        "select * from articles where title = 'it\\'s' and id = ?": 'articles: id=?0 by title',
        'select * from articles where id = @id and views = ?': 'shows a variable, opaque articles',
        'select * from articles where match (title, body) against (?) and id = ?': 'opaque articles',
        'select * from articles where views = 5--3 and id = ?': 'articles: id=?0 by views',
        'select /*! sql_no_cache */ * from articles': 'unknown',
        'select * from articles where created_at > date_sub(now(), interval 1 day) and id = ?': 'opaque articles',
      },
    });
  });

  describe('what is shown', () => {
    ask({
      any: {
        'select t0.* from articles as t0': 'articles t0',
        'select t0.*, t0.id from articles as t0': 'articles t0',
        'select t0.id document from articles t0': 'articles t0: shows id id:document',
        'select group_concat(title) from articles': 'opaque articles',
        'select t0.id, coalesce(t1.id, 0) from articles t0 join authors t1 on t0.author_id = t1.id':
          'opaque articles authors',
        'select t0.*, t1.* from articles t0 join authors t1 on t0.author_id = t1.id':
          'articles t0: shows * + authors t1: shows * [t0.author_id = t1.id]',
        'select * from articles t0 join authors t1 on t0.author_id = t1.id':
          'articles t0: shows * + authors t1: shows * [t0.author_id = t1.id]',
        'select count(*) from articles': 'articles: shows nothing aggregated',
        'select count(1) from articles': 'articles: shows nothing aggregated',
        'select count(t0.id) as "count" from articles t0 where t0.locale = ?':
          'articles t0: locale=?0 shows id aggregated',
        'select count(distinct t0.id) as "count" from articles t0': 'articles t0: shows id aggregated',
        'select author_id, count(*) as total from articles group by author_id order by total':
          'articles: by author_id shows author_id aggregated',
        'select min(views), max(views) from articles': 'articles: shows views aggregated',
        'select distinct title from articles': 'articles: by title shows title',
        'select distinct t0.id, t1.name from articles t0 inner join authors t1 on t1.id = t0.author_id':
          'articles t0: shows id id:id + authors t1: by name shows name [t1.id = t0.author_id]',
        'select distinct t1.name from articles t0 inner join authors t1 on t1.id = t0.author_id':
          'articles t0: shows nothing + authors t1: by name shows name [t1.id = t0.author_id]',
        'select title similar from articles order by similar': 'opaque articles',
        'select * from articles where (replace(title, ?, ?) = ?)': 'articles: by title',
        'select title as label from articles where label = ?': 'opaque articles',
        'select title as label from articles order by label limit 1':
          'articles: by title sorted title shows title limited',
        'select articles from articles': 'opaque articles',
        'select version(), current_timestamp': 'opaque',
        'select sum(views) as views from articles': 'articles: shows views aggregated',
      },
      postgres: {
        'select t0.ID from articles t0': 'articles t0: shows id id:id',
        'select t0.id as Document from articles t0': 'articles t0: shows id id:document',
      },
      sqlite: {
        'select t0.ID from articles t0': 'articles t0: shows id',
      },
      mysql: {
        'select t0.id as Document from articles t0': 'articles t0: shows id id:Document',
        'select sql_no_cache title from articles': 'opaque articles',
      },
    });
  });

  describe('joins', () => {
    ask({
      any: {
        'select t0.* from articles t0 inner join authors t1 on t0.author_id = t1.id where t1.name = ?':
          'articles t0 + authors t1: name=?0 shows nothing [t0.author_id = t1.id]',
        'select t0.* from articles t0 left join authors t1 on t0.author_id = t1.id where t1.id is null':
          'articles t0 + authors t1?: by id shows nothing [t0.author_id = t1.id]',
        'select t0.* from articles t0 left join authors t1 on t0.author_id = t1.id where t1.id is null and t1.x = ?':
          'articles t0 + authors t1: x=?0 id=null shows nothing [t0.author_id = t1.id]',
        'select t0.* from articles t0 left join authors t1 on t0.author_id = t1.id where t1.name is not null':
          'articles t0 + authors t1: name!=null shows nothing [t0.author_id = t1.id]',
        'select t0.* from articles t0 left join authors t1 on t0.author_id = t1.id and t1.locale = ? and t1.deleted is null and t0.locale = ? and t1.age > ?':
          'articles t0: by locale + authors t1?: locale=?0 deleted=null by age shows nothing [t0.author_id = t1.id]',
        'select t0.* from articles t0 inner join authors t1 on t0.author_id = t1.id and t0.locale = ? and t1.age > ?':
          'articles t0: locale=?0 + authors t1: by age shows nothing [t0.author_id = t1.id]',
        'select t0.* from articles t0 left join a t1 on t0.id = t1.x left join b t2 on t1.y = t2.id where t2.k = ? and t1.n is null':
          'articles t0 + a t1: n=null shows nothing + b t2: k=?0 shows nothing [t0.id = t1.x] [t1.y = t2.id]',
        'select t0.* from articles t0 left join a t1 on t0.id = t1.x left join b t2 on t0.z = t1.y':
          'articles t0: by z + a t1?: by y shows nothing + b t2?: shows nothing [t0.id = t1.x]',
        'select t0.* from articles t0 left join a t1 on t0.id = t1.x inner join b t2 on t2.id = t1.y':
          'articles t0 + a t1: shows nothing + b t2: shows nothing [t0.id = t1.x] [t2.id = t1.y]',
        'select t0.* from articles t0 left outer join authors t1 on (t0.author_id = t1.id)':
          'articles t0 + authors t1?: shows nothing [t0.author_id = t1.id]',
        'select t0.* from articles t0 left join authors t1 on t0.author_id = t1.id or t1.name = ?':
          'articles t0: by author_id + authors t1?: by id,name shows nothing',
        'select t0.* from articles t0 right join authors t1 on t0.author_id = t1.id': 'opaque articles authors',
        'select t0.* from articles t0 full outer join authors t1 on t0.author_id = t1.id': 'opaque articles authors',
        'select t0.* from (articles t0 join authors t1 on t0.id = t1.id)': 'opaque articles authors',
        'select title from articles t0 join authors t1 on t0.author_id = t1.id': 'opaque articles authors',
        'select t0.* from articles t0 left join authors t1 on left(t1.name, 1) = ? and t1.id = t0.author_id':
          'articles t0 + authors t1?: by name shows nothing [t1.id = t0.author_id]',
        'select articles.* from articles left join authors on articles.author_id = authors.id where authors.id = ?':
          'articles + authors: id=?0 shows nothing [articles.author_id = authors.id]',
        'select t0.* from articles t0 join authors t1 on t0.author_id = t1.id where t0.id = ? order by t1.name, t0.id limit ?':
          'articles t0: id=?0 by id sorted id + authors t1: by name sorted name shows nothing [t0.author_id = t1.id] limited',
        'select t0.id as a from articles t0 join authors t1 on t0.author_id = t1.id order by a':
          'articles t0: by id sorted id shows id id:a + authors t1: shows nothing [t0.author_id = t1.id]',
      },
      mysql: {
        'select * from articles t0 straight_join authors t1 on t0.id = t1.id': 'opaque articles authors',
        'select * from articles use index (x), authors force index for order by (y) where authors.id = 1':
          'opaque articles authors',
        'select * from articles partition (p0, p1) as t0, authors': 'opaque articles authors',
        'select * from articles for system_time all, authors':
          'shows something that may be a table, which could not be identified, opaque articles',
      },
      sqlite: {
        'select * from articles offset, authors': 'opaque articles authors',
        'select * from articles join authors offset on true, tags': 'opaque articles authors tags',
      },
    });
  });

  describe('order, pages, locks', () => {
    ask({
      any: {
        'select * from articles order by title asc, id desc limit ? offset ?':
          'articles: by title,id sorted title,id limited',
        'select * from articles order by title nulls last': 'opaque articles',
        'select * from articles order by lower(title), id limit 1': 'opaque articles',
        'select * from articles order by 2': 'opaque articles',
        'select * from articles order by random() limit 1': 'opaque articles',
        'select count(*) from articles order by lower(title)': 'opaque articles',
        'select * from articles where id = ? for update': 'opaque articles',
        'select * from articles t0 where id = ? for no key update of t0 skip locked':
          'shows rows chosen by the locks of others (SKIP LOCKED), opaque articles',
      },
      mysql: {
        'select * from articles where id = ? lock in share mode': 'opaque articles',
      },
    });
  });

  describe('tables at any depth', () => {
    ask({
      any: {
        '(select id from articles) union (select id from authors) limit 1': 'opaque articles authors',
        'with x (a) as not materialized (select id from articles) select * from x': 'opaque articles',
        'with x as ((select 1) union select id from articles) select * from x': 'opaque articles',
        'with x as (select * from articles), y (a, b) as (select * from x, authors) select * from y join tags on tags.id = y.a':
          'opaque articles authors tags',
        'with recursive tree(n) as (select id from folders union all select f.id from folders f join tree on f.parent = tree.n) select * from tree':
          'opaque folders',
        'with X as (select 1) select * from x': 'opaque x',
        'with x as (select 1) select * from public.x': 'opaque x',
        'select * from where authors, tags':
          'shows something that may be a table, which could not be identified, opaque',
        'select coalesce((select max(id) from authors), 1), count(*) over (partition by (select 1 from tags)) from articles':
          'opaque articles authors tags',
      },
      postgres: {
        'select distinct from articles': 'opaque articles',
        'select * from unnest(array[1, 2]) with ordinality as t(a, b), articles': 'opaque articles',
        "select * from rows from (generate_series(1, 2), json_each('{}')) as t(a int, b text), articles":
          'opaque articles rows',
      },
      mysql: {
        'select * from `articles` where `a` = (select 1 from dual) and `b` in (table `authors`)':
          'opaque articles authors',
        'select * from { oj articles left outer join authors on 1 = 1 }':
          'shows something that may be a table, which could not be identified, opaque authors',
        'select straight_join articles.id from articles': 'opaque articles',
        'select `title` from dual where 1 = 1': 'opaque',
        'select * from dual, articles': 'opaque articles',
        'select 1 from `dual`': 'opaque dual',
      },
      sqlite: {
        "select * from 'articles' where id = ?": 'opaque articles',
        'select * from articles where id in authors': 'opaque articles authors',
        'select * from articles where id not in main.authors': 'opaque articles authors',
        'select 1 from dual': 'opaque dual',
      },
    });
  });

  describe('what may write', () => {
    ask({
      any: {
        "select nextval('articles_id_seq')": 'calls nextval, opaque',
        'select my_function(id) from articles': 'calls my_function, opaque articles',
        'select public.lower(title) from articles': 'calls lower, opaque articles',
        'select pg_catalog.lower(title) from articles': 'opaque articles',
        'select * from my_function() as t(a, b)': 'calls my_function, opaque',
        'select * into backup from articles': 'unknown',
        'select pg_advisory_xact_lock(?)': 'shows pg_advisory_xact_lock(), opaque',
        'select pg_try_advisory_lock(?)': 'shows pg_try_advisory_lock(), opaque',
        "select set_config('a', 'b', true)": 'shows set_config(), opaque',
        'select * from ?': 'unknown',
        'select * from ??': 'unknown',
      },
      mysql: {
        "select * from articles into outfile '/tmp/x'": 'unknown',
        'select next value for my_sequence': 'unknown',
        "select get_lock('a', 0)": 'shows get_lock(), opaque',
        "select j.x from articles, json_table(data, '$[*]' columns (x int path '$.x', nested path '$.y' columns (y int path '$'))) as j":
          'opaque articles',
      },
      postgres: {
        "select * from dblink('x', 'select 1') as (a int)": 'calls dblink, opaque',
      },
      sqlite: {
        "select * from pragma_table_info('articles')": 'opaque',
      },
    });
  });
});
