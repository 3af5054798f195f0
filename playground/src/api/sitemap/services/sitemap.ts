import type { Core } from '@strapi/strapi';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  async xml() {
    const site = strapi.config.get<string>('server.absoluteUrl');
    const articles = await strapi.documents('api::article.article').findMany({
      status: 'published',
      fields: ['slug', 'publishedOn'],
      sort: 'slug',
    });

    // A slug consists of letters, digits and hyphens, so nothing needs escaping.
    const urls = articles.map(
      ({ slug, publishedOn }) => `  <url><loc>${site}/articles/${slug}</loc><lastmod>${publishedOn}</lastmod></url>`,
    );

    return [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
      ...urls,
      '</urlset>',
      '',
    ].join('\n');
  },
});
