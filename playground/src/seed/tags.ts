import type { Core } from '@strapi/strapi';
import { slug } from './slug';

const names = [
  'Tides',
  'Storms',
  'Rope',
  'Salt',
  'Ferries',
  'Islands',
  'Maps',
  'Fog',
  'Recipes',
  'Interviews',
  'Photographs',
  'Crafts',
  'Museums',
  'Birds',
  'Rowing',
];

export const seedTags = async (strapi: Core.Strapi): Promise<string[]> => {
  const documentIds: string[] = [];
  for (const name of names) {
    const { documentId } = await strapi
      .documents('api::tag.tag')
      .create({ data: { name, slug: slug(name) }, status: 'published' });
    documentIds.push(documentId);
  }
  return documentIds;
};
