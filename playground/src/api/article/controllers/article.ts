import { factories, type Core } from '@strapi/strapi';

export default factories.createCoreController('api::article.article', ({ strapi }) => ({
  async bySlug(this: Core.CoreAPI.Controller.Base, ctx) {
    await this.validateQuery(ctx);
    const query = await this.sanitizeQuery(ctx);

    const article = await strapi.documents('api::article.article').findFirst({
      ...query,
      filters: { slug: ctx.params.slug },
      status: 'published',
    });
    if (!article) return ctx.notFound();

    return this.transformResponse(await this.sanitizeOutput(article, ctx));
  },
}));
