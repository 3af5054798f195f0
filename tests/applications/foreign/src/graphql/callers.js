/** Root queries that look at the caller or the request, and such that policies and middlewares stand in front of. */
const open = { auth: false };

module.exports = ({ strapi }) => {
  const knex = strapi.db.connection;
  const motto = async (slug) => {
    const house = await strapi.db.query('api::house.house').findOne({ where: { slug } });
    return house?.motto ?? null;
  };
  const flags = (enabled) => knex('flags').where({ enabled }).orderBy('name').pluck('name');

  return {
    typeDefs: `
      type Card { name: String  nick: String  tickets: [String!]! }
      extend type Query {
        card: Card
        mottoOfHeader: String
        mottoOfKeyedHeader: String
        signedInOnly: Int
        doorsNote: String
        doorsFlags(enabled: Boolean!): [String!]
        mayFindHalls: Boolean
      }
    `,
    resolvers: {
      Query: {
        card: (_root, _args, { state: { user } }) =>
          user ? { name: user.username, nick: user.nick, id: user.id } : null,
        mottoOfHeader: (_root, _args, { koaContext }) => motto(koaContext.get('x-house') || 'north'),
        mottoOfKeyedHeader: (_root, _args, { koaContext }) => motto(koaContext.get('x-desk') || 'north'),
        signedInOnly: () => strapi.db.query('api::ticket.ticket').count(),
        doorsNote: (_root, _args, { state }) => state.doors,
        doorsFlags: (_root, { enabled }) => flags(enabled),
        mayFindHalls: (_root, _args, { state }) =>
          strapi.auth.verify(state.auth, { scope: ['api::hall.hall.find'] }).then(
            () => true,
            () => false,
          ),
      },
      Card: {
        tickets: ({ id }) =>
          knex('tickets as t')
            .join('tickets_holder_lnk as l', 'l.ticket_id', 't.id')
            .where('l.user_id', id)
            .orderBy('t.id')
            .pluck('t.code'),
      },
    },
    resolversConfig: {
      'Query.card': open,
      'Query.mottoOfHeader': open,
      'Query.mottoOfKeyedHeader': open,
      'Query.doorsNote': { ...open, policies: [{ name: 'global::doors-open', config: { flag: 'doors' } }] },
      'Query.doorsFlags': {
        ...open,
        middlewares: [
          async (resolve, parent, args, context, info) => {
            const quiet = await strapi.db.query('api::flag.flag').findOne({ where: { name: 'quiet' } });
            return quiet?.enabled ? [quiet.note] : resolve(parent, args, context, info);
          },
        ],
      },
      'Query.mayFindHalls': open,
    },
  };
};
