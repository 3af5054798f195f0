/** The application's own tables, created by DDL at boot. They use what content types do not offer. */

const dialects = { sqlite: './sqlite', postgres: './postgres', mysql: './mysql' };

const portable = async (knex) => {
  await knex.schema.createTable('bo_regions', (table) => {
    table.string('code', 20).primary();
    table.string('name', 60);
    table.integer('tax_class').defaultTo(1);
  });
  await knex.schema.createTable('bo_suppliers', (table) => {
    table.string('code', 20).primary();
    table.string('name', 60);
  });
  await knex.schema.createTable('bo_prices', (table) => {
    table.string('event_key', 20);
    table.string('zone', 10);
    table.integer('net');
    table.string('currency', 3).defaultTo('EUR');
    table.primary(['event_key', 'zone']);
  });
  // Several rows may share an `id`, because the key consists of both columns.
  await knex.schema.createTable('bo_texts', (table) => {
    table.integer('id');
    table.string('lang', 5);
    table.string('body', 80);
    table.primary(['id', 'lang']);
  });
  await knex.schema.createTable('bo_reviews', (table) => {
    table.increments('nr');
    table.integer('event_id').unsigned().references('id').inTable('events').onDelete('CASCADE');
    table.integer('stars');
    table.string('body', 80);
  });
  await knex.schema.createTable('bo_review_notes', (table) => {
    table.increments('nr');
    table.integer('review_nr').unsigned().references('nr').inTable('bo_reviews').onDelete('CASCADE');
    table.string('text', 80);
  });
  await knex.schema.createTable('bo_tasks', (table) => {
    table.increments('id');
    table.string('title', 60);
    table.integer('status_id').defaultTo(1);
    table.integer('created_by_id').defaultTo(1);
  });
  await knex.schema.createTable('bo_counters', (table) => {
    table.string('name', 20).primary();
    table.integer('n').defaultTo(0);
  });
  await knex.schema.createTable('bo_codes', (table) => {
    table.string('code', 20).primary();
    table.string('label', 60);
  });
  await knex.schema.createTable('bo_notes', (table) => {
    table.increments('nr');
    table.string('title', 60);
    table.text('body');
  });
};

const rows = async (knex) => {
  await knex('bo_regions').insert([
    { code: 'N', name: 'North' },
    { code: 'S', name: 'South', tax_class: 2 },
    { code: 'W', name: 'West' },
  ]);
  await knex('bo_suppliers').insert([
    { code: 'ACME', name: 'Acme' },
    { code: 'BOLT', name: 'Bolt' },
    { code: 'CARGO', name: 'Cargo' },
  ]);
  await knex('bo_stock').insert([
    { sku: 'rope', supplier_code: 'ACME', label: 'Rope' },
    { sku: 'lamp', supplier_code: 'ACME', label: 'Lamp', amount: 9, status_id: 2 },
    { sku: 'sail', supplier_code: 'BOLT', label: 'Sail', reserved: 1 },
    { sku: 'net', supplier_code: 'CARGO', label: 'Net' },
  ]);
  for (const event of ['gala', 'film'])
    await knex('bo_prices').insert([
      { event_key: event, zone: 'A', net: 40 },
      { event_key: event, zone: 'B', net: 20, currency: 'CHF' },
    ]);
  for (const id of [1, 2, 3])
    await knex('bo_texts').insert([
      { id, lang: 'en', body: `text ${id}` },
      { id, lang: 'fr', body: `texte ${id}` },
    ]);
  for (const [index, title] of ['Sweep', 'Paint', 'Lock'].entries())
    await knex('bo_tasks').insert({ title, status_id: (index % 2) + 1, created_by_id: index + 1 });
  await knex('bo_counters').insert([
    { name: 'reviews' },
    { name: 'acts' },
    { name: 'bumps' },
    { name: 'calls' },
    { name: 'visits' },
  ]);
  await knex('bo_codes').insert([
    { code: '5', label: 'five' },
    { code: '5abc', label: 'five and more' },
    { code: '7', label: 'seven' },
  ]);
  await knex('bo_notes').insert([
    { title: 'Ropes', body: 'the rope is in the loft' },
    { title: 'Lamps', body: 'a lamp stands by the door' },
    { title: 'Both', body: 'rope and lamp together' },
  ]);
  await knex('bo_measures').insert([10, 60, 120, 180].map((taken) => ({ taken, value: taken * 2 })));
  await knex('bo_staff').insert([
    { nr: 11, name: 'Stan', shift: 'early' },
    { nr: 12, name: 'Sue', shift: 'late' },
  ]);
  await knex('bo_people').insert([{ nr: 1, name: 'Pia' }]);
  await knex('bo_stamps').insert([1, 2, 3].map((nr) => ({ nr, name: `stamp ${nr}`, touched: '2020-01-01 00:00:00' })));
  for (const place of ['loft', 'cellar'])
    await knex('bo_docs').insert({ data: JSON.stringify({ place, size: place.length, tags: ['a', place] }) });
  const events = await knex('events').select('id', 'title').orderBy('id');
  for (const [index, { id }] of events.slice(0, 6).entries()) {
    await knex('bo_reviews').insert({ event_id: id, stars: (index % 5) + 1, body: `review ${index}` });
    const { nr } = await knex('bo_reviews').where({ event_id: id }).first('nr');
    await knex('bo_review_notes').insert({ review_nr: nr, text: `note ${index}` });
  }
};

/** Creates the tables once, after the content types have their tables and rows. */
exports.make = async (knex, client) => {
  if (await knex.schema.hasTable('bo_regions')) return;
  await portable(knex);
  const dialect = require(dialects[client]);
  await dialect.tables(knex);
  await rows(knex);
  await dialect.rest(knex);
};
