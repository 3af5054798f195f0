/** Exports that stream rows from the database. On PostgreSQL, knex would need `pg-query-stream` for that. */
const rows = async (query, client) => {
  if (client === 'postgres') return query;
  const found = [];
  for await (const row of query.stream()) found.push(row);
  return found;
};

module.exports = {
  'stream-events': ({ knex, client }) =>
    rows(knex('events').where({ locale: 'en' }).whereNotNull('published_at').orderBy('id').select('title'), client),
  'stream-tasks': ({ knex, client }) =>
    rows(knex('bo_tasks').where({ status_id: 1 }).orderBy('id').select('title'), client),
  'stream-view': ({ knex, client }) => rows(knex('bo_open_events').orderBy('id').select('title'), client),
  'stream-text': ({ knex, client }) =>
    rows(knex('bo_texts').where('lang', '=', 'fr').andWhere('id', '<', 3).orderBy('id').select('body'), client),
  'stream-transaction': ({ knex, client }) =>
    knex.transaction((transaction) => rows(transaction('acts').orderBy('id').select('name'), client)),
};
