import type { Core } from '@strapi/strapi';

const router: Core.RouterInput = {
  type: 'content-api',
  routes: [{ method: 'GET', path: '/visits', handler: 'api::visit.visit.count' }],
};

export default router;
