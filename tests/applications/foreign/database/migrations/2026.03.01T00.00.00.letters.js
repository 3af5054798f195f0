'use strict';

/** A table that Strapi knows nothing of, made before its own are brought up to date. */
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
