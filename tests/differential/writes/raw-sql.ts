import { ARTICLE, AUTHOR, CATEGORY, EDITOR, writesTo, type Kind } from '../world';

/** Writes by knex, as scripts and controllers make them. */
export const rawWrites: readonly Kind[] = [
  ...writesTo([ARTICLE], {
    'knex: update one row': async (world) =>
      world
        .knex('articles')
        .where({ id: (await world.anyPublished()).id })
        .update({ views: world.random.below(20_000) }),
    'knex: increment': async (world) =>
      world
        .knex('articles')
        .where({ id: (await world.anyPublished()).id })
        .increment('views', 1),
    'knex: update by an expression and a sub-query': async (world) =>
      world
        .knex('articles')
        .whereIn(
          'id',
          world
            .knex('articles_author_lnk')
            .select('article_id')
            .where('author_id', (await world.any(AUTHOR)).id),
        )
        .update({ summary: world.knex.raw("upper(coalesce(title, ''))") }),
  }),
  ...writesTo([CATEGORY], {
    'knex: update every row': ({ knex, random }) => knex('categories').update({ description: random.words() }),
  }),
  ...writesTo([EDITOR], {
    'knex: insert … select, or delete what it inserted': async (world) => {
      const [first] = await world.rows(EDITOR, { desk: 'Copied' });
      if (first !== undefined) return world.knex('editors').where({ desk: 'Copied' }).delete();
      return world.knex.raw(
        'insert into editors (document_id, name, desk) select slug, name, ? from categories where id = ?',
        ['Copied', (await world.any(CATEGORY)).id],
      );
    },
  }),
  ...writesTo([CATEGORY], {
    'knex: write within a CTE': async (world) => {
      const { id } = await world.any(CATEGORY);
      const name = world.random.words();
      if (world.strapi.db.dialect.client === 'mysql')
        return world.knex.raw('update categories set name = ? where id = ?', [name, id]);
      return world.knex.raw(
        'with chosen as (select id from categories where id = ?) update categories set name = ? where id in (select id from chosen)',
        [id, name],
      );
    },
  }),
  ...writesTo([ARTICLE], {
    'knex: join row rewritten': async (world) => {
      const { id } = await world.anyPublished();
      return world
        .knex('articles_category_lnk')
        .where({ article_id: id })
        .update({ category_id: (await world.any(CATEGORY)).id });
    },
    'knex: join rows deleted and inserted': async (world) => {
      const { id } = await world.anyPublished();
      const tag = await world.any('api::tag.tag', { publishedAt: { $notNull: true } });
      await world.knex('articles_tags_lnk').where({ article_id: id }).delete();
      await world.knex('articles_tags_lnk').insert({ article_id: id, tag_id: tag.id, tag_ord: 1, article_ord: 1 });
    },
  }),
  ...writesTo([EDITOR], {
    'knex: insert on conflict merge': async (world) => {
      const { id, documentId } = await world.any(EDITOR);
      return world
        .knex('editors')
        .insert({ id, document_id: documentId, name: world.random.words() })
        .onConflict('id')
        .merge(['name']);
    },
  }),
  ...writesTo([AUTHOR], {
    'knex: delete with cascades': async (world) => {
      if ((await world.rows(AUTHOR)).length < 15)
        return world.documents(AUTHOR).create({ data: { name: world.random.words() } });
      return world
        .knex('authors')
        .where({ id: (await world.any(AUTHOR)).id })
        .delete();
    },
  }),
  ...writesTo([EDITOR], {
    'knex: several statements in a raw text': async (world) => {
      const { id } = await world.any(EDITOR);
      // Only PostgreSQL takes several statements at once, and only without bindings.
      const text = `update editors set desk = 'd${world.random.below(1e6)}' where id = ${id}`;
      return world.knex.raw(world.strapi.db.dialect.client === 'postgres' ? `${text}; select 1` : text);
    },
  }),
];
