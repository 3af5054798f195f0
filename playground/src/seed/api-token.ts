import type { Core } from '@strapi/strapi';

/** Returns the token itself, which Strapi reveals only when it is created. */
export const seedApiToken = async (strapi: Core.Strapi): Promise<string> => {
  const { accessKey }: { accessKey: string } = await strapi.service('admin::api-token').create({
    name: 'playground',
    description: 'Everything the content API can do.',
    kind: 'content-api',
    type: 'full-access',
    lifespan: null,
  });
  return accessKey;
};
