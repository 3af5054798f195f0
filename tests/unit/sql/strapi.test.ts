import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { analyse } from '../../../server/src/sql/analyse';
import type { Statement } from '../../../server/src/sql/statement';
import { inWords } from './in-words';
import { openStrapiDatabase, type RecordedDatabase } from './strapi-database';

/*
 * The statements of Strapi's own database layer, on content types with draft and publish, relations of each kind,
 * components, a dynamic zone and media.
 */

let database: RecordedDatabase;

/** The methods of a repository that are called here, without Strapi's types, which do not know these models. */
interface Repository {
  findOne(parameters: object): Promise<unknown>;
  findMany(parameters: object): Promise<unknown>;
  findPage(parameters: object): Promise<unknown>;
  count(parameters: object): Promise<unknown>;
  create(parameters: object): Promise<unknown>;
  createMany(parameters: object): Promise<unknown>;
  update(parameters: object): Promise<unknown>;
  updateMany(parameters: object): Promise<unknown>;
  delete(parameters: object): Promise<unknown>;
  deleteMany(parameters: object): Promise<unknown>;
}

const query = (uid: string): Repository => database.db.query(uid);
const articles = () => query('api::article.article');
const authors = () => query('api::author.author');
const tags = () => query('api::tag.tag');
const files = () => query('plugin::upload.file');

const statements = async (action: () => Promise<unknown>): Promise<Statement[]> =>
  (await database.record(action)).map(({ sql }) => analyse(sql, 'sqlite'));

/** Every statement of `action` in words, except transaction control. */
const said = async (action: () => Promise<unknown>): Promise<string[]> =>
  (await statements(action))
    .filter(({ kind }) => kind === 'read' || kind === 'write' || kind === 'unknown')
    .map(inWords);

const withoutQuotes = (lines: readonly string[]): string[] => lines.map((line) => line.replaceAll('`', ''));

beforeAll(async () => {
  database = await openStrapiDatabase();
  await authors().create({ data: { name: 'Ada' } });
  await tags().createMany({ data: [{ label: 'a' }, { label: 'b' }] });
  await files().create({ data: { name: 'cover', url: '/cover' } });
  await query('shared.seo').create({ data: { metaTitle: 'seo' } });
  await query('shared.quote').create({ data: { text: 'one', source: 1 } });
  await query('shared.quote').create({ data: { text: 'two' } });
  const pivot = (field: string, component: string) => ({ __pivot: { field, component_type: component } });
  await articles().create({
    data: {
      title: 'first',
      documentId: 'd1',
      publishedAt: new Date(),
      locale: 'en',
      views: 1,
      author: 1,
      owner: 1,
      tags: [1, 2],
      cover: 1,
      gallery: [1],
      seo: { id: 1, ...pivot('seo', 'shared.seo') },
      quotes: [
        { id: 1, ...pivot('quotes', 'shared.quote') },
        { id: 2, ...pivot('quotes', 'shared.quote') },
      ],
      blocks: [{ id: 1, __component: 'shared.seo', __pivot: { field: 'blocks' } }],
    },
  });
  await articles().create({ data: { title: 'second', related: [1] } });
});

afterAll(() => database.close());

describe("Strapi's reads", () => {
  it('finds one by its id, by its document', async () => {
    expect(await said(() => articles().findOne({ where: { id: 1 } }))).toEqual(['articles t0: id=?0 limited']);
    const where = { documentId: 'd1', locale: 'en', publishedAt: { $notNull: true } };
    expect(await said(() => articles().findOne({ where }))).toEqual([
      'articles t0: document_id=?0 locale=?1 published_at!=null limited',
    ]);
  });

  it('finds many, filtered, sorted and paginated', async () => {
    const where = {
      $and: [
        { publishedAt: { $notNull: true } },
        { locale: 'en' },
        { $or: [{ title: { $contains: 'x' } }, { views: { $gt: 3 } }] },
        { body: { $null: true } },
      ],
    };
    expect(
      await said(() => articles().findMany({ where, orderBy: [{ title: 'asc' }], limit: 10, offset: 10 })),
    ).toEqual(['articles t0: locale=?0 body=null published_at!=null by title,views,id sorted title,id limited']);
  });

  it.each<[string, object, string]>([
    ['$in', { title: { $in: ['a', 'b'] } }, ': title=?0|?1'],
    ['$in of nothing', { title: { $in: [] } }, ''],
    ['$ne', { title: { $ne: 'a' } }, ': by title'],
    ['$between', { views: { $between: [1, 2] } }, ': by views'],
    ['$eqi', { title: { $eqi: 'a' } }, ': by title'],
    [
      '$endsWith, twice',
      { $and: [{ title: { $endsWith: 'a' } }, { body: { $endsWith: 'b' } }, { views: 1 }] },
      ': views=?2 by title,body',
    ],
    ['a column of its own', { owner: { id: 1 } }, ' + authors t1: id=?0 shows nothing [t0.owner_id = t1.id]'],
  ])('understands %s', async (_operator, where, words) => {
    const [line, ...others] = await said(() => articles().findMany({ where }));
    expect(others).toEqual([]);
    expect(line).toBe(`articles t0${words}`);
  });

  it('searches', async () => {
    expect(
      await said(() => articles().findMany({ _q: 'x', where: { publishedAt: { $notNull: true } }, limit: 5 })),
    ).toEqual(['articles t0: published_at!=null by id,document_id,title,body,locale sorted id limited']);
  });

  it('leaves opaque what sorts by fields of relations', async () => {
    const orderBy = [{ author: { name: 'asc' } }, { title: 'desc' }];
    expect(await said(() => articles().findMany({ orderBy, limit: 5, offset: 5 }))).toEqual([
      'opaque articles articles_author_lnk authors',
    ]);
  });

  it('filters over relations, components and media', async () => {
    const author =
      'articles t0 + articles_author_lnk t1: shows nothing + authors t2: name=?0 shows nothing [t0.id = t1.article_id] [t1.author_id = t2.id]';
    expect(await said(() => articles().findMany({ where: { author: { name: 'Ada' } } }))).toEqual([author]);
    expect(await said(() => articles().findMany({ where: { seo: { metaTitle: 'x' } } }))).toEqual([
      'articles t0 + articles_cmps t1: field=?0 shows nothing + components_shared_seos t2: meta_title=?1 shows nothing [t0.id = t1.entity_id] [t1.cmp_id = t2.id]',
    ]);
    expect(await said(() => articles().findMany({ where: { cover: { name: 'x' } } }))).toEqual([
      'articles t0 + files_related_mph t1: related_type=?0 field=?1 shows nothing + files t2: name=?2 shows nothing [t0.id = t1.related_id] [t1.file_id = t2.id]',
    ]);
  });

  it('knows that a missing relation is told by rows that are not there', async () => {
    expect(await said(() => articles().findMany({ where: { author: null } }))).toEqual([
      'articles t0 + articles_author_lnk t1?: shows nothing + authors t2?: by id shows nothing [t0.id = t1.article_id] [t1.author_id = t2.id]',
    ]);
  });

  it('counts', async () => {
    expect(await said(() => articles().count({ where: { locale: 'en' } }))).toEqual([
      'articles t0: locale=?0 shows id limited aggregated',
    ]);
    expect(await said(() => articles().count({ where: { tags: { label: 'a' } } }))).toEqual([
      'articles t0: shows id + articles_tags_lnk t1: shows nothing + tags t2: label=?0 shows nothing [t0.id = t1.article_id] [t1.tag_id = t2.id] limited aggregated',
    ]);
    expect(await said(() => articles().findPage({ page: 1, pageSize: 1 }))).toEqual([
      'articles t0: by id sorted id limited',
      'articles t0: shows id limited aggregated',
    ]);
  });

  it('populates relations of every kind', async () => {
    const populate = {
      author: true,
      tags: true,
      related: true,
      owner: true,
      cover: true,
      seo: true,
      quotes: { populate: { source: true } },
      blocks: { on: { 'shared.seo': true } },
    };
    const lines = await said(() => articles().findMany({ populate }));
    expect(lines.sort()).toEqual(
      [
        'articles t0',
        'authors t0 + articles_author_lnk t1: article_id=?0|?1 shows article_id [t0.id = t1.author_id]',
        'tags t0 + articles_tags_lnk t1: article_id=?0|?1 by tag_ord sorted tag_ord shows tag_ord,article_id [t0.id = t1.tag_id]',
        'articles t0 + articles_related_lnk t1: article_id=?0|?1 by article_ord sorted article_ord shows article_ord,article_id [t0.id = t1.inv_article_id]',
        'authors t0: id=?0',
        'files t0 + files_related_mph t1: field=?0 related_id=?1|?2 related_type=?3 by order sorted order shows order,related_id,related_type [t0.id = t1.file_id]',
        'components_shared_seos t0 + articles_cmps t1: field=?0 entity_id=?1|?2 by order sorted order shows order,entity_id [t0.id = t1.cmp_id]',
        'components_shared_quotes t0 + articles_cmps t1: field=?0 entity_id=?1|?2 by order sorted order shows order,entity_id [t0.id = t1.cmp_id]',
        'articles_cmps t0: entity_id=?0|?1 field=?2 by entity_id,order sorted entity_id,order',
        'components_shared_seos t0: id=?0',
        'authors t0 + components_shared_quotes_source_lnk t1: quote_id=?0|?1 shows quote_id [t0.id = t1.author_id]',
      ].sort(),
    );
  });

  it('populates with fields, filters, sort and limit', async () => {
    const populate = {
      articles: { where: { publishedAt: { $notNull: true } }, orderBy: { title: 'asc' }, limit: 3, select: ['title'] },
    };
    expect((await said(() => authors().findMany({ populate })))[1]).toBe(
      'articles t0: published_at!=null by title,id sorted title,id shows title,id id:id + articles_author_lnk t1: author_id=?0 shows author_id [t0.id = t1.article_id] limited',
    );
  });

  it('counts what it populates', async () => {
    expect((await said(() => articles().findMany({ populate: { tags: { count: true } } })))[1]).toBe(
      'tags t0: shows nothing + articles_tags_lnk t1: article_id=?0|?1 shows article_id [t0.id = t1.tag_id] aggregated',
    );
  });
});

describe("Strapi's writes", () => {
  it('creates', async () => {
    expect(await said(() => tags().create({ data: { label: 'c' } }))).toEqual([
      'insert tags (created_at=?0,document_id=?1,label=?2,updated_at=?3) returning',
      'tags t0: id=?0 limited',
    ]);
    expect(await said(() => query('shared.quote').createMany({ data: [{ text: 'x' }, { text: 'y' }] }))).toEqual([
      'insert components_shared_quotes (text=?0) (text=?1) returning',
    ]);
  });

  it('updates, with relations', async () => {
    const data = { title: 'x', tags: { connect: [{ id: 1, position: { end: true } }], disconnect: [2] } };
    const all = await statements(() => articles().update({ where: { id: 1 }, data }));
    expect(all.filter(({ kind }) => kind === 'begin' || kind === 'commit')).toHaveLength(2);
    const writes = all.filter((statement) => statement.kind === 'write').map(inWords);
    const reordered = (column: string, condition: string): string =>
      `update articles_tags_lnk ${column}=… from <articles_tags_lnk where ${condition}> [0] reads articles_tags_lnk`;
    expect(withoutQuotes(writes)).toEqual([
      'update articles title=?0,updated_at=?1 from <articles where (id = ?)> [2]',
      'delete articles_tags_lnk from <articles_tags_lnk where (article_id = ? and tag_id in (?))> [0,1]',
      reordered('tag_ord', 'article_id = ?'),
      reordered('article_ord', 'tag_id in (?)'),
      'insert articles_tags_lnk (article_id=?0,article_ord=?1,tag_id=?2,tag_ord=?3) update returning',
      reordered('tag_ord', 'article_id = ?'),
    ]);
  });

  it('takes a relation from another document', async () => {
    const lines = await said(() =>
      authors().update({ where: { id: 1 }, data: { articles: { connect: [{ id: 2 }] } } }),
    );
    expect(withoutQuotes(lines).filter((line) => line.startsWith('delete'))).toEqual([
      'delete articles_author_lnk from <articles_author_lnk where author_id not in (select id from authors where document_id in (select document_id from authors where id = ?)) and article_id in (?)> [0,1] reads authors',
    ]);
  });

  it('updates and deletes many', async () => {
    expect(
      withoutQuotes(
        await said(() => articles().updateMany({ where: { title: { $contains: 'q' } }, data: { title: 'z' } })),
      ),
    ).toEqual(["update articles title=?0 from <articles where (title LIKE ? ESCAPE '\\')> [1]"]);
    const [line] = withoutQuotes(await said(() => articles().deleteMany({ where: { author: { name: 'Bob' } } })));
    expect(line).toMatch(/^delete articles from <articles where id in \(select id from \(select distinct t0\.id /);
    expect(line).toMatch(/ as subQuery\)> \[0\] reads articles articles_author_lnk authors$/);
  });

  it('never issues what is unknown, whatever it deletes with an entry', async () => {
    const all = await statements(() => articles().delete({ where: { id: 1 } }));
    expect(all.filter(({ kind }) => kind === 'unknown')).toEqual([]);
    expect(all.filter((statement) => statement.kind === 'write' && statement.verb === 'opaque')).toEqual([]);
  });

  it('sees savepoints of nested transactions', async () => {
    const { connection } = database.db;
    const all = await statements(() =>
      connection.transaction(async (outer) => {
        await outer.transaction(async (inner) => void (await inner('tags').where({ id: 9 }).delete()));
        await outer.transaction(() => Promise.reject(new Error('undone'))).catch(() => undefined);
      }),
    );
    expect(all.map(({ kind }) => kind)).toEqual([
      'begin',
      'savepoint',
      'write',
      'release',
      'savepoint',
      'rollback-to',
      'commit',
    ]);
  });
});
