/** Root queries of the application's own, which read in each of the ways that Strapi has, or not at all. */
const { enqueue, shared } = require('../work-queue');

const EVENT = 'api::event.event';
const ACT = 'api::act.act';
const HALL = 'api::hall.hall';

/** Made once, when the application starts. */
const release = Object.freeze({ name: 'Box office', number: 7 });

module.exports = ({ strapi }) => {
  const knex = strapi.db.connection;

  return {
    typeDefs: `
      type Release { name: String!  number: Int! }
      type EventLine { title: String  hall: String }
      union Attraction = Act | Hall
      extend type Query {
        eventsByDocuments(locale: String, filters: EventFiltersInput, sort: [String]): [Event!]!
        draftsByDocuments: [Event!]!
        eventsByQuery(mode: String): [Event!]!
        eventsBySql(hall: String, limit: Int): [EventLine!]!
        modes: JSON
        attractions(under: Int!): [Attraction!]!
        queuedActs: [Act!]!
        sharedTitles: [String]!
        release: Release
        releases: [Release!]!
        visit: Boolean
      }
    `,
    resolvers: {
      Query: {
        eventsByDocuments: (_root, { locale = 'en', filters = {}, sort = ['id'] }) =>
          strapi.documents(EVENT).findMany({ status: 'published', locale, filters, sort }),
        draftsByDocuments: () => strapi.documents(EVENT).findMany({ status: 'draft', sort: 'id' }),
        eventsByQuery: (_root, { mode }) =>
          strapi.db.query(EVENT).findMany({
            where: { publishedAt: { $notNull: true }, locale: 'en', ...(mode ? { mode } : {}) },
            populate: { badge: true },
            orderBy: { id: 'asc' },
          }),
        eventsBySql: (_root, { hall, limit = 5 }) => {
          const lines = knex('events as e')
            .leftJoin('events_hall_lnk as l', 'l.event_id', 'e.id')
            .leftJoin('halls as h', 'h.id', 'l.hall_id')
            .whereNotNull('e.published_at')
            .orderBy('e.id')
            .limit(limit)
            .select('e.title', 'h.name as hall');
          return hall ? lines.where('h.name', hall) : lines;
        },
        modes: async () => {
          const found = await knex.raw(
            'select mode, count(*) as n from events where published_at is not null group by mode order by mode',
          );
          const rows = found.rows ?? (Array.isArray(found[0]) ? found[0] : found);
          return rows.map(({ mode, n }) => `${mode}: ${n}`);
        },
        attractions: async (_root, { under }) => [
          ...(await strapi.db.query(ACT).findMany({ where: { rank: { $lt: under } }, orderBy: { id: 'asc' } })),
          ...(await strapi.documents(HALL).findMany({ sort: 'id' })),
        ],
        queuedActs: () => enqueue(() => knex('acts').orderBy('id').select('id', 'name', 'rank')),
        sharedTitles: () =>
          shared('graphql titles', () => knex('events').whereNotNull('published_at').orderBy('id').pluck('title')),
        release: () => release,
        releases: () => [release],
        /** Counts its visitors where no answer shows it: with each call, although it is a query. */
        visit: async () => {
          await knex('bo_counters').where({ name: 'visits' }).increment('n', 1);
          return true;
        },
      },
      Attraction: { __resolveType: (found) => ('rank' in found ? 'Act' : 'Hall') },
    },
    resolversConfig: Object.fromEntries(
      [
        ...['eventsByDocuments', 'eventsByQuery', 'eventsBySql', 'modes', 'attractions'],
        ...['queuedActs', 'sharedTitles', 'release', 'releases', 'visit'],
      ]
        .map((name) => [`Query.${name}`, { auth: false }])
        // Whoever may read events in the content API may read their drafts here.
        .concat([['Query.draftsByDocuments', { auth: { scope: [`${EVENT}.find`] } }]]),
    ),
  };
};
