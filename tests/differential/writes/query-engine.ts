import { ARTICLE, AUTHOR, CATEGORY, EDITOR, ORDER, TAG, type Kind } from '../world';

/** Writes by `strapi.db.query`, which is below the document service and above SQL. Some write many rows at once. */
export const queryWrites: readonly Kind[] = [
  {
    name: 'query: update',
    types: [ARTICLE],
    run: async (world) =>
      world
        .query(ARTICLE)
        .update({ where: { id: (await world.anyPublished()).id }, data: { views: world.random.below(20_000) } }),
  },
  {
    name: 'query: update with a relation',
    types: [ARTICLE],
    run: async (world) =>
      world.query(ARTICLE).update({
        where: { id: (await world.anyPublished()).id },
        data: { author: (await world.any(AUTHOR)).id, title: world.random.words() },
      }),
  },
  {
    name: 'query: updateMany',
    types: [ARTICLE],
    run: (world) =>
      world.query(ARTICLE).updateMany({
        where: { views: { $lt: 200 + world.random.below(300) } },
        data: { rating: world.random.below(50) / 10 },
      }),
  },
  {
    name: 'query: updateMany of many rows',
    types: [ARTICLE],
    run: (world) =>
      world
        .query(ARTICLE)
        .updateMany({ where: { slug: { $startsWith: 'a' } }, data: { featured: world.random.next() < 0.3 } }),
  },
  {
    name: 'query: create or delete',
    types: [TAG],
    run: async (world) => {
      const [first] = await world.rows(TAG, { documentId: { $startsWith: 'made' } });
      if (first !== undefined) return world.query(TAG).delete({ where: { id: first.id } });
      return world.query(TAG).create({
        data: { name: world.random.words(), publishedAt: new Date(), documentId: `made${world.random.below(1e9)}` },
      });
    },
  },
  {
    name: 'query: createMany or deleteMany',
    types: [EDITOR],
    run: async (world) => {
      const desk = 'Night';
      if ((await world.rows(EDITOR, { desk })).length > 0) return world.query(EDITOR).deleteMany({ where: { desk } });
      const data = [1, 2, 3].map(() => ({
        name: world.random.words(),
        desk,
        documentId: `editor${world.random.below(1e9)}`,
      }));
      return world.query(EDITOR).createMany({ data });
    },
  },
  {
    name: 'query: deleteMany of one row',
    types: [ORDER],
    run: async (world) => world.query(ORDER).deleteMany({ where: { id: (await world.any(ORDER)).id } }),
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
