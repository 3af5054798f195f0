/** Fields of the application's own on content types and on a component. */
const { batched } = require('../work-queue');

/** All requests share it, so that halls which several of them ask for at once are read by one statement. */
const homes = batched(async (knex, ids) => {
  const rows = await knex('acts_home_lnk as l')
    .join('halls as h', 'h.id', 'l.hall_id')
    .whereIn('l.act_id', ids)
    .select('l.act_id', 'h.name');
  return new Map(rows.map((row) => [row.act_id, row.name]));
});

/** Takes the place of Strapi's own field: shared as well, and of another table than the field's. */
const mottoes = batched(async (knex, slugs) => {
  const flag = await knex('flags').where({ name: 'quiet' }).first('note');
  const rows = await knex('houses').whereIn('slug', slugs).select('slug', 'motto');
  return new Map(rows.map(({ slug, motto }) => [slug, `${motto} (${flag?.note ?? 'not quiet'})`]));
});

const SORT = { asc: 'asc', desc: 'desc' };

module.exports = ({ strapi, nexus }) => {
  const knex = strapi.db.connection;
  const published = (id) =>
    knex('events as e')
      .join('events_hall_lnk as l', 'l.event_id', 'e.id')
      .where('l.hall_id', id)
      .whereNotNull('e.published_at');

  return {
    types: [
      nexus.extendType({
        type: 'Hall',
        definition(t) {
          t.nonNull.int('eventCount', {
            args: { mode: nexus.stringArg() },
            async resolve({ id }, { mode }) {
              const counted = published(id).count('* as n').first();
              return Number((await (mode ? counted.where('e.mode', mode) : counted)).n);
            },
          });
        },
      }),
      nexus.extendType({
        type: 'House',
        definition(t) {
          t.string('motto', { resolve: async ({ slug }) => (await mottoes(knex, slug)) ?? null });
        },
      }),
    ],
    typeDefs: `
      type Review {
        stars: Int
        body: String
        notes: [String!]!
      }
      extend type Event {
        reviews(order: String): [Review!]!
        meanStars: Float
      }
      extend type Act { homeName: String }
      extend type ComponentBoxQuote { actName: String }
    `,
    resolvers: {
      Event: {
        reviews: ({ id }, { order = 'asc' }) => knex('bo_reviews').where({ event_id: id }).orderBy('nr', SORT[order]),
        async meanStars({ id }) {
          const { mean } = await knex('bo_reviews').where({ event_id: id }).avg('stars as mean').first();
          return mean === null ? null : Number(mean);
        },
      },
      Review: { notes: ({ nr }) => knex('bo_review_notes').where({ review_nr: nr }).orderBy('nr').pluck('text') },
      Act: { homeName: async ({ id }) => (await homes(knex, id)) ?? null },
      ComponentBoxQuote: {
        async actName(quote) {
          const act = await strapi.db.query('box.quote').load(quote, 'act');
          return act?.name ?? null;
        },
      },
    },
  };
};
