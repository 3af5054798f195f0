/** Reads by Strapi's query engine and document service, and by SQL over Strapi's tables. */
const published = { publishedAt: { $notNull: true }, locale: 'en' };

module.exports = {
  'query-events': ({ strapi }) =>
    strapi.db.query('api::event.event').findMany({
      where: { ...published, seats: { $gt: 100 } },
      select: ['title', 'seats', 'takings', 'meta'],
      orderBy: { seats: 'desc' },
    }),
  'query-populate': ({ strapi }) =>
    strapi.db.query('api::event.event').findMany({
      where: { ...published, hall: { house: { slug: 'north' } } },
      select: ['title'],
      populate: { hall: { select: ['name'] }, acts: { select: ['name', 'fee'], orderBy: 'name' } },
      orderBy: 'id',
    }),
  'query-house': ({ strapi }) =>
    strapi.db.query('api::house.house').findOne({ where: { slug: 'south' }, populate: { halls: { orderBy: 'id' } } }),
  'document-first': ({ strapi }) =>
    strapi.documents('api::event.event').findFirst({ status: 'published', sort: 'seats:desc', populate: ['badge'] }),
  'document-drafts': ({ strapi }) =>
    strapi.documents('api::event.event').findMany({ status: 'draft', fields: ['title'], sort: 'id' }),
  'document-count': ({ strapi }) =>
    strapi.documents('api::event.event').count({ status: 'published', filters: { mode: 'stage' } }),
  'document-french': ({ strapi }) =>
    strapi.documents('api::event.event').findMany({ locale: 'fr', status: 'published', fields: ['title'], sort: 'id' }),
  imprint: ({ strapi }) => strapi.documents('api::imprint.imprint').findFirst({ status: 'published', populate: '*' }),
  notices: ({ strapi }) => strapi.db.query('api::notice.notice').findMany({ populate: ['subject'], orderBy: 'id' }),
  tickets: ({ strapi }) =>
    strapi.db
      .query('api::ticket.ticket')
      .findMany({ where: { state: 'paid' }, populate: { holder: { select: ['username', 'nick'] } }, orderBy: 'code' }),
  files: ({ strapi }) =>
    strapi.db.query('plugin::upload.file').findMany({ select: ['name', 'alternativeText'], orderBy: 'id' }),
  desks: ({ strapi }) => strapi.db.query('plugin::desk.entry').findMany({ orderBy: 'id' }),
  store: async ({ strapi }) => ({ value: await strapi.store({ type: 'plugin', name: 'desk' }).get({ key: 'banner' }) }),
  'knex-acts': ({ knex }) => knex('acts').where('rank', '>', 1).select('name', 'fee').orderBy('id'),
  'knex-join': ({ knex }) =>
    knex('events as e')
      .join('events_hall_lnk as l', 'l.event_id', 'e.id')
      .join('halls as h', 'h.id', 'l.hall_id')
      .where('h.name', 'Cellar')
      .whereNotNull('e.published_at')
      .orderBy('e.id')
      .select('e.title', 'e.locale'),
  'knex-group': ({ knex }) =>
    knex('events').whereNotNull('published_at').groupBy('mode').orderBy('mode').select('mode').count('* as n'),
  'knex-cte': ({ knex }) =>
    knex
      .with('cheap', knex('events').where('price', '<', 15).whereNotNull('published_at').select('id', 'title'))
      .from('cheap')
      .select('title')
      .orderBy('id'),
  'knex-exists': ({ knex }) =>
    knex('acts as a')
      .whereExists(knex('events_acts_lnk as l').whereRaw('l.act_id = a.id'))
      .select('a.name')
      .orderBy('a.id'),
  'knex-transaction': ({ knex }) =>
    knex.transaction(async (transaction) => [
      await transaction('acts').count('* as n').first(),
      await transaction('bo_tasks').where({ status_id: 2 }).select('title').orderBy('id'),
    ]),
  variable: async ({ knex, client }) => {
    if (client !== 'mysql') return knex('bo_tasks').where({ id: 1 }).select('title');
    // One statement sets a variable and another reads it, on the same connection.
    return knex.transaction(async (transaction) => {
      await transaction.raw('select title into @title from bo_tasks where id = 1');
      const [rows] = await transaction.raw('select @title as title');
      return rows;
    });
  },
};
