import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { EVERYTHING } from '../../../server/src/cache/tag';
import { describeOnEach, ObservedDatabase } from './observed-database';

/* Writes that the database accepts, and that a query of the plugin's own could make fail. */

describeOnEach(['sqlite'], 'on %s', () => {
  it('an upsert of many rows by many keys', async () => {
    const columns = ['id', 'a', 'b', 'c', 'd'].map((name) => ({ name }));
    const database = await ObservedDatabase.create(
      'sqlite',
      ['create table things (id integer primary key, a text unique, b text unique, c text unique, d text unique)'],
      { tables: [{ name: 'things', columns, foreignKeys: [] }] },
    );
    const rows = Array.from({ length: 290 }, (_, i) => ({ a: `a${i}`, b: `b${i}`, c: `c${i}`, d: `d${i}` }));
    const stamped = await database.write(async () => database.knex('things').insert(rows).onConflict().ignore());
    const [{ count } = {}] = await database.knex('things').count({ count: '*' });
    await database.drop();
    expect(count).toBe(290);
    expect(stamped).not.toEqual([]);
    expect(stamped).not.toContain(EVERYTHING);
  });
});

describeOnEach(['postgres'], 'on %s', () => {
  it.each([
    ['select, delete', 'delete from things where id = 1'],
    ['insert, delete, select (id)', 'delete from things where id = 1'],
    ['update, select (id)', "update things set title = 'b' where id = 1"],
  ])('a write of a user who may only %s', async (privileges, write) => {
    const role = `rest_cache_observed_${randomUUID().slice(0, 8)}`;
    const database = await ObservedDatabase.create('postgres', [
      'create table things (id int primary key, title text)',
      "insert into things values (1, 'a')",
      `create role ${role}`,
      `grant ${privileges} on things to ${role}`,
      `set role ${role}`,
    ]);
    const { knex } = database;
    const stamped = await database
      .write(write)
      .catch(String)
      .finally(async () => {
        await knex.raw('reset role');
        await knex.raw(`drop owned by ${role}`);
        await knex.raw(`drop role ${role}`);
        await database.drop();
      });
    expect(stamped).toEqual(['things!']);
  });
});
