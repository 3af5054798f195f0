import type { Core } from '@strapi/strapi';

const router: Core.RouterInput = {
  type: 'content-api',
  routes: [{ method: 'GET', path: '/brochure.pdf', handler: 'api::brochure.brochure.show' }],
};

export default router;
