import type { Core } from '@strapi/strapi';

/** English is Strapi's own default and is there already. */
export const seedLocales = async (strapi: Core.Strapi) => {
  await strapi.plugin('i18n').service('locales').create({ code: 'fr', name: 'French (fr)' });
};
