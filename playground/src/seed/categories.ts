import type { Core } from '@strapi/strapi';
import { slug } from './slug';

const categories = {
  Harbours: 'Quays, customs houses and the people who keep them.',
  Lighthouses: 'Lamps, keepers and the ships they brought home.',
  Boats: 'Built, rowed, sailed and mended.',
  Weather: 'What the sky is up to, and what it was.',
  Food: 'From the net to the table.',
  Walks: 'Along the coast, on foot.',
  Wildlife: 'Seals, gulls and everything below the waterline.',
  History: 'What the records say, and what they leave out.',
};

export const seedCategories = async (strapi: Core.Strapi): Promise<string[]> => {
  const documentIds: string[] = [];
  for (const [name, description] of Object.entries(categories)) {
    const { documentId } = await strapi
      .documents('api::category.category')
      .create({ data: { name, slug: slug(name), description } });
    documentIds.push(documentId);
  }
  return documentIds;
};
