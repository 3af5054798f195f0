import type { Core } from '@strapi/strapi';

const router: Core.RouterInput = {
  type: 'content-api',
  routes: [
    {
      method: 'GET',
      path: '/status',
      handler: 'api::status.status.show',
      config: { auth: false },
    },
  ],
};

export default router;
