import { ARTICLE, AUTHOR, CATEGORY, EDITOR, type Kind } from '../world';
import { fieldEdit } from './article-data';

class Abandoned extends Error {}

const abandoned = (error: unknown): void => {
  if (!(error instanceof Abandoned)) throw error;
};

export const transactionWrites: readonly Kind[] = [
  {
    name: 'transaction: committed',
    types: [ARTICLE, AUTHOR],
    run: (world) =>
      world.strapi.db.transaction(async () => {
        await world
          .documents(AUTHOR)
          .update({ documentId: (await world.any(AUTHOR)).documentId, data: { bio: world.random.words() } });
        const { documentId } = await world.anyPublished();
        await world.documents(ARTICLE).update({ documentId, data: fieldEdit(world), status: 'published' });
      }),
  },
  {
    name: 'transaction: rolled back',
    types: [],
    run: (world) =>
      world.strapi.db
        .transaction(async () => {
          const { documentId } = await world.anyPublished();
          await world.documents(ARTICLE).update({ documentId, data: fieldEdit(world), status: 'published' });
          await world.query(CATEGORY).updateMany({ where: {}, data: { name: world.random.words() } });
          throw new Abandoned();
        })
        .catch(abandoned),
  },
  {
    name: 'transaction: nested, committed',
    types: [EDITOR, CATEGORY],
    run: (world) =>
      world.strapi.db.transaction(async () => {
        await world
          .documents(EDITOR)
          .update({ documentId: (await world.any(EDITOR)).documentId, data: { desk: world.random.words() } });
        await world.strapi.db.transaction(async () =>
          world.documents(CATEGORY).update({
            documentId: (await world.any(CATEGORY)).documentId,
            data: { description: world.random.words() },
          }),
        );
      }),
  },
  {
    name: 'transaction: nested in knex, the inner one rolled back',
    types: [EDITOR],
    run: async (world) => {
      const editor = await world.any(EDITOR);
      const category = await world.any(CATEGORY);
      await world.knex.transaction(async (outer) => {
        await outer('editors').where({ id: editor.id }).update({ desk: world.random.words() });
        await outer
          .transaction(async (inner) => {
            await inner('categories').where({ id: category.id }).update({ name: world.random.words() });
            throw new Abandoned();
          })
          .catch(abandoned);
      });
    },
  },
  {
    name: 'transaction: opened by hand, committed',
    types: [ARTICLE],
    run: async (world) => {
      const { id } = await world.anyPublished();
      const transaction = await world.strapi.db.transaction();
      await world
        .knex('articles')
        .transacting(transaction.get())
        .where({ id })
        .update({ views: world.random.below(20_000) });
      await transaction.commit();
    },
  },
  {
    name: 'transaction: opened by hand, rolled back',
    types: [],
    run: async (world) => {
      const { id } = await world.anyPublished();
      const transaction = await world.strapi.db.transaction();
      await world.knex('articles').transacting(transaction.get()).where({ id }).update({ title: world.random.words() });
      await transaction.rollback();
    },
  },
];
