/** Database functions that read, compute or write. The application has none on SQLite. */
const first = async (knex, client, text) => {
  const answer = await knex.raw(text);
  return client === 'postgres' ? answer.rows : client === 'mysql' ? answer[0] : answer;
};

module.exports = {
  'function-vat': ({ knex, client }) =>
    client === 'sqlite'
      ? knex('bo_prices').select(knex.raw('net * 6 / 5 as gross')).orderBy('event_key').orderBy('zone')
      : knex('bo_prices').select(knex.raw('bo_vat(net) as gross')).orderBy('event_key').orderBy('zone'),
  'function-count': ({ knex, client }) =>
    first(
      knex,
      client,
      client === 'sqlite'
        ? 'select count(*) as n from events where published_at is not null'
        : 'select bo_event_count() as n',
    ),
  'function-peek': ({ knex, client }) =>
    first(
      knex,
      client,
      client === 'sqlite' ? `select n from bo_counters where name = 'bumps'` : `select bo_peek('bumps') as n`,
    ),
  /**
   * Counts its calls in a table that no answer shows. A read with a side effect must neither be stored nor empty the
   * cache.
   */
  'function-bump': async ({ knex, client }) => {
    if (client !== 'sqlite') await first(knex, client, `select bo_bump('calls') as n`);
    return { bumped: true };
  },
};
