'use strict';

/** Creates a table that Strapi does not know, before Strapi updates its own tables. */
module.exports = {
  async up(knex) {
    if (await knex.schema.hasTable('bo_letters')) return;
    await knex.schema.createTable('bo_letters', (table) => {
      table.increments('nr');
      table.string('subject', 80);
      table.integer('weight').defaultTo(7);
    });
    await knex('bo_letters').insert([{ subject: 'Welcome' }, { subject: 'Farewell', weight: 2 }]);
  },
};
