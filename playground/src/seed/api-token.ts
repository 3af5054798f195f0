import type { Core } from '@strapi/strapi';

export const seedApiToken = async (strapi: Core.Strapi): Promise<void> => {
  await strapi.service('admin::api-token').create({
    name: 'playground',
    description: 'Everything the content API can do.',
    kind: 'content-api',
    type: 'full-access',
    lifespan: null,
  });
};
