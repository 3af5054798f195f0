const { factories } = require('@strapi/strapi');

const UID = 'plugin::desk.entry';

const schema = {
  kind: 'collectionType',
  collectionName: 'desk_entries',
  info: { singularName: 'entry', pluralName: 'entries', displayName: 'Desk entry' },
  options: { draftAndPublish: false },
  attributes: { label: { type: 'string' }, queue: { type: 'integer' } },
};

module.exports = {
  contentTypes: { entry: { schema } },
  controllers: { entry: factories.createCoreController(UID) },
  services: { entry: factories.createCoreService(UID) },
  routes: {
    'content-api': {
      type: 'content-api',
      routes: [
        { method: 'GET', path: '/entries', handler: 'entry.find' },
        { method: 'GET', path: '/entries/:id', handler: 'entry.findOne' },
      ],
    },
  },
};
