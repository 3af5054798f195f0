/** Reads of the application's own tables. Each gets knex, the name of the client, and Strapi. */
module.exports = {
  stock: ({ knex }) => knex('bo_stock').select('*').orderBy('sku'),
  'stock-of': ({ knex }) => knex('bo_stock').where({ supplier_code: 'ACME' }).select('sku', 'label').orderBy('sku'),
  'stock-of-cargo': ({ knex }) => knex('bo_stock').where({ supplier_code: 'CARGO' }).select('sku').orderBy('sku'),
  'stock-status': ({ knex }) => knex('bo_stock').where({ status_id: 1 }).select('sku').orderBy('sku'),
  'stock-available': ({ knex }) => knex('bo_stock').where({ available: 3 }).select('sku').orderBy('sku'),
  'stock-one': ({ knex }) => knex('bo_stock').where({ sku: 'lamp' }).first('sku', 'label', 'amount', 'available'),
  'stock-join': ({ knex }) =>
    knex('bo_stock as s')
      .join('bo_suppliers as p', 'p.code', 's.supplier_code')
      .where('p.code', 'BOLT')
      .orderBy('s.sku')
      .select('s.sku', 'p.name'),
  suppliers: ({ knex }) => knex('bo_suppliers').select('*').orderBy('code'),
  prices: ({ knex }) => knex('bo_prices').where({ event_key: 'gala' }).select('*').orderBy('zone'),
  'prices-euro': ({ knex }) =>
    knex('bo_prices').where({ currency: 'EUR' }).select('event_key', 'zone').orderBy(['event_key', 'zone']),
  'text-one': ({ knex }) => knex('bo_texts').where({ id: 1 }).orderBy('lang').select('*'),
  'text-fr': ({ knex }) => knex('bo_texts').where({ lang: 'fr' }).orderBy('id').select('id', 'body'),
  'text-of-id': ({ knex }) => knex('bo_texts').where({ id: 2, lang: 'fr' }).first('body'),
  'tasks-status': ({ knex }) => knex('bo_tasks').where({ status_id: 1 }).select('id', 'title').orderBy('id'),
  'tasks-creator': ({ knex }) => knex('bo_tasks').where({ created_by_id: 2 }).select('id', 'title').orderBy('id'),
  'tasks-one': ({ knex }) => knex('bo_tasks').where({ id: 2 }).first(),
  regions: ({ knex }) => knex('bo_regions').where({ tax_class: 1 }).select('code', 'name').orderBy('code'),
  'halls-region': ({ knex }) => knex('halls').select('name', 'region_code', 'region_name').orderBy('id'),
  'halls-of-region': ({ knex }) =>
    knex('halls').where({ region_code: 'N' }).select('name', 'region_name').orderBy('id'),
  reviews: ({ knex }) => knex('bo_reviews').select('stars', 'body').orderBy('nr'),
  'reviews-good': ({ knex }) => knex('bo_reviews').where('stars', '>', 3).count('* as n').first(),
  'review-notes': ({ knex }) => knex('bo_review_notes').select('text').orderBy('nr'),
  counters: ({ knex }) => knex('bo_counters').whereIn('name', ['reviews', 'acts']).select('*').orderBy('name'),
  bumps: ({ knex }) => knex('bo_counters').where({ name: 'bumps' }).first('n'),
  audit: ({ knex }) => knex('bo_audit').count('* as n').first(),
  measures: ({ knex }) => knex('bo_measures').select('*').orderBy('taken').orderBy('value'),
  'measures-range': ({ knex }) => knex('bo_measures').where('taken', '>', 100).sum('value as sum').first(),
  'measures-old': ({ knex }) => knex('bo_measures_old').select('*').orderBy('taken').orderBy('value'),
  everybody: ({ knex }) => knex('bo_everybody').select('*').orderBy('nr'),
  people: ({ knex }) => knex('bo_people').select('nr', 'name').orderBy('nr'),
  staff: ({ knex }) => knex('bo_staff').where({ shift: 'late' }).select('name').orderBy('nr'),
  'open-events': ({ knex }) => knex('bo_open_events').select('*').orderBy('id'),
  'open-elsewhere': async ({ knex, client }) => {
    if (client === 'sqlite') return knex('bo_open_events').where('seats', '>', 100).select('title').orderBy('id');
    if (client === 'postgres')
      return knex.withSchema('reports').from('open_events').where('seats', '>', 100).select('title').orderBy('id');
    const { database } = knex.client.config.connection;
    return knex
      .from(knex.raw('??.??', [`${database}_reports`, 'open_events']))
      .where('seats', '>', 100)
      .select('title')
      .orderBy('id');
  },
  totals: ({ knex }) => knex('bo_totals').first(),
  stamps: ({ knex }) => knex('bo_stamps').where('touched', '<', '2021-01-01').select('nr', 'name').orderBy('nr'),
  letters: ({ knex }) => knex('bo_letters').where({ weight: 7 }).select('subject').orderBy('nr'),
  codes: ({ knex, client }) =>
    // With a number, MySQL also finds '5abc'.
    knex('bo_codes')
      .where({ code: client === 'mysql' ? 5 : '5' })
      .select('*')
      .orderBy('code'),
  docs: ({ knex }) => knex('bo_docs').select('data').orderBy('nr'),
  'docs-where': ({ knex, client }) =>
    knex('bo_docs')
      .whereRaw(
        client === 'postgres'
          ? `data->>'place' = ?`
          : `json_unquote(json_extract(data, '$.place')) = ?`.replace(
              client === 'sqlite' ? /json_unquote\((.*)\) =/ : / {2}/,
              '$1 =',
            ),
        ['loft'],
      )
      .select('nr')
      .orderBy('nr'),
  words: ({ knex, client }) => {
    if (client === 'sqlite')
      return knex.raw(`select title from bo_notes_words where bo_notes_words match ? order by rowid`, ['rope']);
    if (client === 'postgres')
      return knex('bo_notes').whereRaw(`words @@ to_tsquery('english', ?)`, ['rope']).select('title').orderBy('nr');
    return knex('bo_notes').whereRaw(`match(body) against (? in boolean mode)`, ['rope']).select('title').orderBy('nr');
  },
};
