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
