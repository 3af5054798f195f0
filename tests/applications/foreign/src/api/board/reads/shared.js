/** Reads that several requests share. */
const { enqueue, shared } = require('../../../work-queue');

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const titles = (knex) => knex('events').whereNotNull('published_at').orderBy('id').pluck('title');

module.exports = {
  queue: ({ knex }) => enqueue(() => knex('acts').orderBy('id').select('name', 'rank')),
  'queue-document': ({ strapi }) =>
    enqueue(() => strapi.documents('api::house.house').findMany({ fields: ['name', 'motto'], sort: 'slug' })),
  'shared-a': ({ knex }) =>
    shared('titles', async () => {
      const found = await titles(knex);
      await pause(3);
      return found;
    }),
  'shared-b': async ({ knex }) => ({
    count: (
      await shared('titles', async () => {
        const found = await titles(knex);
        await pause(3);
        return found;
      })
    ).length,
  }),
};
