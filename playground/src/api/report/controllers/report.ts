import type { Core } from '@strapi/strapi';

export default ({ strapi }: { strapi: Core.Strapi }): Core.Controller => ({
  async categories() {
    return { data: await strapi.service('api::report.report').categories() };
  },

  async topAuthors() {
    return { data: await strapi.service('api::report.report').topAuthors() };
  },

  async editorial() {
    return { data: await strapi.service('api::report.report').editorial() };
  },
});
