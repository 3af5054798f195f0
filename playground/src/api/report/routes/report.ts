import type { Core } from '@strapi/strapi';

const router: Core.RouterInput = {
  type: 'content-api',
  routes: [
    {
      method: 'GET',
      path: '/reports/categories',
      handler: 'api::report.report.categories',
    },
    {
      method: 'GET',
      path: '/reports/top-authors',
      handler: 'api::report.report.topAuthors',
    },
    {
      method: 'GET',
      path: '/reports/editorial',
      handler: 'api::report.report.editorial',
    },
  ],
};

export default router;
