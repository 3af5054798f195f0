const { factories } = require('@strapi/strapi');

module.exports = factories.createCoreController('api::ticket.ticket', ({ strapi }) => ({
  async find(ctx) {
    const tickets = await strapi.documents('api::ticket.ticket').findMany({
      filters: { holder: { id: ctx.state.user.id } },
      fields: ['code', 'state'],
      sort: 'code',
    });
    return { data: tickets, meta: { counted: ctx.state.tickets } };
  },
}));
