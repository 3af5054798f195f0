import { ARTICLE, AUTHOR, CATEGORY, EDITOR, writesTo, type Kind } from '../world';
import { fieldEdit } from './article-data';

class Abandoned extends Error {}

const abandoned = (error: unknown): void => {
  if (!(error instanceof Abandoned)) throw error;
};

export const transactionWrites: readonly Kind[] = [
  ...writesTo([ARTICLE, AUTHOR], {
    'transaction: committed': (world) =>
      world.strapi.db.transaction(async () => {
        await world.edit(AUTHOR, await world.any(AUTHOR), { bio: world.random.words() });
        const { documentId } = await world.anyPublished();
        await world.documents(ARTICLE).update({ documentId, data: fieldEdit(world), status: 'published' });
      }),
  }),
  ...writesTo([], {
    'transaction: rolled back': (world) =>
      world.strapi.db
        .transaction(async () => {
          const { documentId } = await world.anyPublished();
          await world.documents(ARTICLE).update({ documentId, data: fieldEdit(world), status: 'published' });
          await world.query(CATEGORY).updateMany({ where: {}, data: { name: world.random.words() } });
          throw new Abandoned();
        })
        .catch(abandoned),
  }),
  ...writesTo([EDITOR, CATEGORY], {
    'transaction: nested, committed': (world) =>
      world.strapi.db.transaction(async () => {
        await world.edit(EDITOR, await world.any(EDITOR), { desk: world.random.words() });
        await world.strapi.db.transaction(async () =>
          world.edit(CATEGORY, await world.any(CATEGORY), { description: world.random.words() }),
        );
      }),
  }),
  ...writesTo([EDITOR], {
    'transaction: nested in knex, the inner one rolled back': async (world) => {
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
  }),
  ...writesTo([ARTICLE], {
    'transaction: opened by hand, committed': async (world) => {
      const { id } = await world.anyPublished();
      const transaction = await world.strapi.db.transaction();
      await world
        .knex('articles')
        .transacting(transaction.get())
        .where({ id })
        .update({ views: world.random.below(20_000) });
      await transaction.commit();
    },
  }),
  ...writesTo([], {
    'transaction: opened by hand, rolled back': async (world) => {
      const { id } = await world.anyPublished();
      const transaction = await world.strapi.db.transaction();
      await world.knex('articles').transacting(transaction.get()).where({ id }).update({ title: world.random.words() });
      await transaction.rollback();
    },
  }),
];
