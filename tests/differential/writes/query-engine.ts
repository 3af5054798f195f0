import { ARTICLE, AUTHOR, CATEGORY, EDITOR, ORDER, TAG, type Kind } from '../world';

/** `strapi.db.query`: beneath documents, above SQL; many rows at once among others. */
export const queryWrites: readonly Kind[] = [
  {
    name: 'query: update',
    types: [ARTICLE],
    run: async (world) => world.query(ARTICLE).update({ where: { id: (await world.anyPublished()).id }, data: { views: world.random.below(20_000) } }),
  },
  {
    name: 'query: update with a relation',
    types: [ARTICLE],
    run: async (world) => world.query(ARTICLE).update({ where: { id: (await world.anyPublished()).id }, data: { author: (await world.any(AUTHOR)).id, title: world.random.words() } }),
  },
  {
    name: 'query: updateMany',
    types: [ARTICLE],
    run: (world) => world.query(ARTICLE).updateMany({ where: { views: { $lt: 200 + world.random.below(300) } }, data: { rating: world.random.below(50) / 10 } }),
  },
  {
    name: 'query: updateMany across a relation',
    types: [ARTICLE],
    run: async (world) => world.query(ARTICLE).updateMany({ where: { author: { id: (await world.any(AUTHOR)).id } }, data: { featured: world.random.next() < 0.3 } }),
  },
  {
    name: 'query: create and delete',
    types: [TAG],
    run: async (world) => {
      const now = new Date();
      const { id } = await world.query(TAG).create({ data: { name: world.random.words(), publishedAt: now, documentId: `tag${world.random.below(1e9)}` } });
      if (world.random.next() < 0.7) await world.query(TAG).delete({ where: { id } });
    },
  },
  {
    name: 'query: createMany and deleteMany',
    types: [EDITOR],
    run: async (world) => {
      const desk = world.random.words();
      const data = [1, 2, 3].map((number) => ({ name: world.random.words(), desk, documentId: `editor${number}-${desk.replaceAll(' ', '-')}` }));
      await world.query(EDITOR).createMany({ data });
      if (world.random.next() < 0.8) await world.query(EDITOR).deleteMany({ where: { desk } });
    },
  },
  {
    name: 'query: deleteMany of one row',
    types: [ORDER],
    run: async (world) => {
      await world.documents(ORDER).create({ data: { number: world.random.words(), total: 1 } });
      return world.query(ORDER).deleteMany({ where: { id: (await world.any(ORDER)).id } });
    },
  },
  {
    name: 'query: update changes nothing',
    types: [CATEGORY],
    run: async (world) => {
      const { id, description } = await world.any(CATEGORY);
      return world.query(CATEGORY).updateMany({ where: { id }, data: { description } });
    },
  },
];
