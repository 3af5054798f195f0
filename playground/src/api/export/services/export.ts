import type { Core } from '@strapi/strapi';

const pageSize = 50;

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  /** Yields the published articles as lines of JSON. Only one page of them is in memory at a time. */
  async *lines() {
    for (let start = 0; ; start += pageSize) {
      const articles = await strapi.documents('api::article.article').findMany({
        status: 'published',
        fields: ['title', 'slug', 'summary', 'views', 'publishedOn'],
        populate: { category: { fields: ['name'] }, author: { fields: ['name'] } },
        sort: 'slug',
        start,
        limit: pageSize,
      });

      for (const { documentId, title, slug, summary, views, publishedOn, category, author } of articles) {
        const line = { documentId, title, slug, summary, views, publishedOn };
        yield `${JSON.stringify({ ...line, category: category?.name, author: author?.name })}\n`;
      }

      if (articles.length < pageSize) return;
    }
  },
});
