import type { Core } from '@strapi/strapi';

const article = 'api::article.article';

/** One report for each of Strapi's three ways to the database: SQL, the query engine and the document service. */
export default ({ strapi }: { strapi: Core.Strapi }) => ({
  async categories() {
    const rows: Array<{ name: string; slug: string; articles: number | string }> = await strapi.db
      .connection('categories as category')
      .leftJoin('articles_category_lnk as link', 'link.category_id', 'category.id')
      .leftJoin('articles as article', (join) =>
        join.on('article.id', 'link.article_id').andOnNotNull('article.published_at'),
      )
      .groupBy('category.id', 'category.name', 'category.slug')
      .orderBy('category.name')
      .select('category.name', 'category.slug')
      .countDistinct('article.document_id as articles');

    // PostgreSQL and MySQL count in 64 bits, so their drivers return the count as text.
    return rows.map((row) => ({ ...row, articles: Number(row.articles) }));
  },

  async topAuthors() {
    const authors: Array<{ name: string; articles: unknown[] }> = await strapi.db.query('api::author.author').findMany({
      select: ['id', 'name'],
      populate: {
        articles: {
          select: ['id'],
          where: { locale: 'en', publishedAt: { $notNull: true } },
        },
      },
    });

    return authors
      .map(({ name, articles }) => ({ name, articles: articles.length }))
      .sort((a, b) => b.articles - a.articles || a.name.localeCompare(b.name))
      .slice(0, 5);
  },

  async editorial() {
    const [published, all, latest] = await Promise.all([
      strapi.documents(article).count({ status: 'published' }),
      strapi.documents(article).count({ status: 'draft' }),
      strapi.documents(article).findMany({
        status: 'published',
        fields: ['title', 'slug', 'publishedOn'],
        sort: 'publishedOn:desc',
        limit: 5,
      }),
    ]);

    return {
      published,
      unpublished: all - published,
      latest: latest.map(({ title, slug, publishedOn }) => ({ title, slug, publishedOn })),
    };
  },
});
