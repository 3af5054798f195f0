import type { Core } from '@strapi/strapi';

const router: Core.RouterInput = {
  type: 'content-api',
  routes: [{ method: 'GET', path: '/sitemap.xml', handler: 'api::sitemap.sitemap.show' }],
};

export default router;
