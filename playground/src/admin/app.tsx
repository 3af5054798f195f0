import type { StrapiApp } from '@strapi/strapi/admin';

export default {
  config: {
    locales: ['de', 'es', 'fr'],
    tutorials: false,
    notifications: { releases: false },
  },
  bootstrap(_app: StrapiApp) {},
};
