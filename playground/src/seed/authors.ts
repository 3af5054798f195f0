import type { Core } from '@strapi/strapi';
import { english } from './english';
import { paragraph } from './prose';
import { Random } from './random';
import { slug } from './slug';

export const authorNames = [
  'Ada Merrow',
  'Basil Quint',
  'Cora Winslow',
  'Dorian Hale',
  'Edith Larkspur',
  'Felix Brandt',
  'Greta Holm',
  'Hugo Penrose',
  'Ines Calloway',
  'Jonas Weir',
  'Kira Lindqvist',
  'Leo Fairweather',
  'Maud Trevanion',
  'Nils Osterberg',
  'Olive Thackeray',
  'Piers Gallow',
  'Quilla Marsh',
  'Rosa Delmar',
  'Silas Copper',
  'Thea Windrow',
];

export const seedAuthors = async (strapi: Core.Strapi, avatars: number[]): Promise<string[]> => {
  const documentIds: string[] = [];
  for (const [index, name] of authorNames.entries()) {
    const random = new Random(3000 + index);
    const handle = slug(name);
    const { documentId } = await strapi.documents('api::author.author').create({
      data: {
        name,
        email: `${handle}@example.com`,
        bio: paragraph(english, random, 2),
        avatar: avatars[index],
        links: [
          { label: 'Website', url: `https://example.com/${handle}` },
          { label: 'Notebook', url: `https://example.org/notes/${handle}` },
        ],
      },
    });
    documentIds.push(documentId);
  }
  return documentIds;
};
