import type { Core } from '@strapi/strapi';

// Strapi loads route files by name, hence the number: these come before the core router's /articles/:id.
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
