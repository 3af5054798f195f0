import type { Core } from '@strapi/strapi';

/** English is Strapi's default locale, so it already exists. */
export const seedLocales = async (strapi: Core.Strapi) => {
  await strapi.plugin('i18n').service('locales').create({ code: 'fr', name: 'French (fr)' });
};
