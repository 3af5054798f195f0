const { factories } = require('@strapi/strapi');

const holders = { policies: ['global::is-holder'] };

module.exports = factories.createCoreRouter('api::ticket.ticket', { config: { find: holders, findOne: holders } });
