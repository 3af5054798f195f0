import type { Core } from '@strapi/strapi';

export default ({ strapi }: { strapi: Core.Strapi }): Core.Controller => ({
  async show(ctx) {
    ctx.type = 'application/xml';
    ctx.body = await strapi.service('api::sitemap.sitemap').xml();
  },
});
