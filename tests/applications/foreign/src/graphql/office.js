/** Types of the application's own. Each field reads another content type or table, and only if it is asked for. */
const EVENT = 'api::event.event';
const HALL = 'api::hall.hall';

module.exports = ({ strapi }) => {
  const stock = () => strapi.db.connection('bo_stock').orderBy('sku');
  const halls = (where) => strapi.db.query(HALL).findMany({ where, populate: { house: true }, orderBy: { id: 'asc' } });

  return {
    typeDefs: `
      type Office {
        next: Event
        hall(name: String!): OfficeHall
        halls: [OfficeHall!]!
        ticketsIn(state: String!): Int!
        stock(supplier: String!): [StockItem!]!
        banner: String
      }
      type OfficeHall {
        name: String
        house: String
        nights(mode: String): Int!
        neighbours: [OfficeHall!]!
      }
      type StockItem {
        sku: String!
        label: String
        available: Int
        supplier: Supplier
      }
      type Supplier {
        code: String!
        name: String
        items: [StockItem!]!
      }
      extend type Query {
        office: Office
      }
    `,
    resolvers: {
      Query: { office: () => ({}) },
      Office: {
        next: () => strapi.documents(EVENT).findFirst({ status: 'published', sort: ['startsAt:asc', 'id:asc'] }),
        hall: async (_office, { name }) => (await halls({ name }))[0] ?? null,
        halls: () => halls({}),
        ticketsIn: (_office, { state }) => strapi.db.query('api::ticket.ticket').count({ where: { state } }),
        stock: (_office, { supplier }) => stock().where({ supplier_code: supplier }),
        banner: () => strapi.store({ type: 'plugin', name: 'desk' }).get({ key: 'banner' }),
      },
      OfficeHall: {
        house: ({ house }) => house?.name ?? null,
        nights: ({ documentId }, { mode }) =>
          strapi.documents(EVENT).count({
            status: 'published',
            filters: { hall: { documentId }, ...(mode === undefined ? {} : { mode }) },
          }),
        neighbours: ({ id, house }) =>
          house === null ? [] : halls({ id: { $ne: id }, house: { documentId: house.documentId } }),
      },
      StockItem: {
        supplier: ({ supplier_code: code }) => strapi.db.connection('bo_suppliers').where({ code }).first(),
      },
      Supplier: { items: ({ code }) => stock().where({ supplier_code: code }) },
    },
    resolversConfig: { 'Query.office': { auth: false } },
  };
};
