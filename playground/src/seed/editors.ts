import type { Core } from '@strapi/strapi';

const editors = {
  'Wren Ashdown': 'Coast',
  'Tobias Kerr': 'Coast',
  'Marta Vell': 'Sea',
  'Ivo Strand': 'Sea',
  'Nell Garrick': 'Pictures',
  'Oscar Plume': 'Letters',
};

export const seedEditors = async (strapi: Core.Strapi) => {
  for (const [name, desk] of Object.entries(editors)) {
    await strapi.documents('api::writer.editor').create({ data: { name, desk } });
  }
};
