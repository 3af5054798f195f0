import type { Core } from '@strapi/strapi';

export default ({ strapi }: { strapi: Core.Strapi }): Core.Controller => ({
  async show(ctx) {
    ctx.type = 'application/pdf';
    ctx.body = await strapi.service('api::brochure.brochure').pdf();
  },
});
