/** Mutations of the application's own: by the query engine, by knex, by both in one transaction. */
const ACT = 'api::act.act';
const TICKET = 'api::ticket.ticket';
const open = { auth: false };

module.exports = ({ strapi }) => {
  const knex = strapi.db.connection;

  return {
    typeDefs: `
      type Receipt { state: String!  ticket: Ticket  reserved: Int! }
      extend type Mutation {
        payTicket(code: String!): Receipt
        restock(sku: String!, amount: Int!): StockItem
        renameAct(documentId: ID!, name: String!): Act
        retitleTasks(title: String!): Int!
        payNothing: Boolean
      }
    `,
    resolvers: {
      Mutation: {
        payTicket: (_root, { code }) =>
          strapi.db.transaction(async ({ trx }) => {
            const { id, state } = await strapi.db.query(TICKET).findOne({ where: { code } });
            const next = state === 'paid' ? 'held' : 'paid';
            await strapi.db.query(TICKET).update({ where: { id }, data: { state: next } });
            await knex('bo_stock').transacting(trx).where({ sku: 'rope' }).increment('reserved', 1);
            return { state: next, id };
          }),
        restock: async (_root, { sku, amount }) => {
          await knex.raw('update bo_stock set amount = ?, reserved = 0 where sku = ?', [amount, sku]);
          return knex('bo_stock').where({ sku }).first();
        },
        renameAct: (_root, { documentId, name }) => strapi.documents(ACT).update({ documentId, data: { name } }),
        retitleTasks: (_root, { title }) => knex('bo_tasks').where('id', '<', 3).update({ title }),
        payNothing: () =>
          strapi.db
            .transaction(async ({ trx }) => {
              await strapi.db.query(TICKET).updateMany({ where: {}, data: { state: 'void' } });
              await knex('bo_stock').transacting(trx).update({ label: 'never' });
              throw new Error('no');
            })
            .catch(() => false),
      },
      Receipt: {
        ticket: ({ id }) => strapi.db.query(TICKET).findOne({ where: { id } }),
        reserved: async () => (await knex('bo_stock').where({ sku: 'rope' }).first('reserved'))?.reserved ?? 0,
      },
    },
    resolversConfig: {
      'Mutation.payTicket': open,
      'Mutation.restock': open,
      'Mutation.payNothing': open,
      // Its policy reads a flag that only this application has.
      'Mutation.retitleTasks': { ...open, policies: [{ name: 'global::doors-open', config: { flag: 'none' } }] },
    },
  };
};
