import { ARTICLE, AUTHOR, CATEGORY, EDITOR, ORDER, TAG, writesTo, type Kind } from '../world';

/** Writes by `strapi.db.query`, which is below the document service and above SQL. Some write many rows at once. */
export const queryWrites: readonly Kind[] = [
  ...writesTo([ARTICLE], {
    'query: update': async (world) =>
      world.set(ARTICLE, await world.anyPublished(), { views: world.random.below(20_000) }),
    'query: update with a relation': async (world) =>
      world.set(ARTICLE, await world.anyPublished(), {
        author: (await world.any(AUTHOR)).id,
        title: world.random.words(),
      }),
    'query: updateMany': (world) =>
      world.query(ARTICLE).updateMany({
        where: { views: { $lt: 200 + world.random.below(300) } },
        data: { rating: world.random.below(50) / 10 },
      }),
    'query: updateMany of many rows': (world) =>
      world
        .query(ARTICLE)
        .updateMany({ where: { slug: { $startsWith: 'a' } }, data: { featured: world.random.next() < 0.3 } }),
  }),
  ...writesTo([TAG], {
    'query: create or delete': async (world) => {
      const [first] = await world.rows(TAG, { documentId: { $startsWith: 'made' } });
      if (first !== undefined) return world.query(TAG).delete({ where: { id: first.id } });
      return world.query(TAG).create({
        data: { name: world.random.words(), publishedAt: new Date(), documentId: `made${world.random.below(1e9)}` },
      });
    },
  }),
  ...writesTo([EDITOR], {
    'query: createMany or deleteMany': async (world) => {
      const desk = 'Night';
      if ((await world.rows(EDITOR, { desk })).length > 0) return world.query(EDITOR).deleteMany({ where: { desk } });
      const data = [1, 2, 3].map(() => ({
        name: world.random.words(),
        desk,
        documentId: `editor${world.random.below(1e9)}`,
      }));
      return world.query(EDITOR).createMany({ data });
    },
  }),
  ...writesTo([ORDER], {
    'query: deleteMany of one row': async (world) =>
      world.query(ORDER).deleteMany({ where: { id: (await world.any(ORDER)).id } }),
  }),
  ...writesTo([CATEGORY], {
    'query: update changes nothing': async (world) => {
      const { id, description } = await world.any(CATEGORY);
      return world.query(CATEGORY).updateMany({ where: { id }, data: { description } });
    },
  }),
];
