import type { Core } from '@strapi/strapi';

// Strapi loads route files in the order of their names. The number puts these routes before the core router's
// /articles/:id.
const router: Core.RouterInput = {
  type: 'content-api',
  routes: [
    {
      method: 'GET',
      path: '/articles/by-slug/:slug',
      handler: 'api::article.article.bySlug',
    },
  ],
};

export default router;
