import type { Core } from '@strapi/strapi';

export default ({ strapi }: { strapi: Core.Strapi }): Core.Controller => ({
  async show() {
    const articles = await strapi.documents('api::article.article').count({ status: 'published' });
    return { status: 'ok', articles };
  },
});
