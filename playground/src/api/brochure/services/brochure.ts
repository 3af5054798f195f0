import type { Core } from '@strapi/strapi';
import { onePagePdf } from '../one-page-pdf';

export default ({ strapi }: { strapi: Core.Strapi }) => ({
  async pdf() {
    const categories = await strapi.documents('api::category.category').findMany({ fields: ['name'], sort: 'name' });

    return onePagePdf(
      'Harbour Light',
      categories.map(({ name }) => `${name}`),
    );
  },
});
