import type { Core } from '@strapi/strapi';

const router: Core.RouterInput = {
  type: 'content-api',
  routes: [{ method: 'GET', path: '/export/articles', handler: 'api::export.export.articles' }],
};

export default router;
