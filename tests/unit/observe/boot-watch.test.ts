import { EventEmitter } from 'node:events';
import type { Knex } from 'knex';
import { expect, it } from 'vitest';
import { BootWatch } from '../../../server/src/observe/boot-watch';
import { createStatementMemo } from '../../../server/src/sql/statement-memo';

/** A knex that has not connected, but for what is in its pool. */
const knexWith = (pool: object = {}): EventEmitter & Knex => {
  const none = (): number => 0;
  const unused = { numUsed: none, numFree: none, numPendingCreates: none, numPendingAcquires: none };
  return Object.assign(new EventEmitter(), { client: { pool: { ...unused, ...pool } } }) as never;
};

const SETTING = 'update strapi_core_store_settings set value = ? where key = ?';

it.each([
  ['nothing', '', [], false],
  ['a read', 'select * from articles', [], false],
  ['a write', 'delete from articles', [], true],
  ['a statement that is not understood', 'create table articles (id int)', [], true],
  ['a function', 'select my_function()', [], true],
  ['a setting', SETTING, ['x', 'plugin_users'], true],
  ['the time of a licence, which the Enterprise Edition writes at every boot', SETTING, ['x', 'ee_information'], false],
])(
  'before the observer is in place, the database may have been changed by %s: %s',
  async (_what, sql, bindings, is) => {
    const knex = knexWith();
    const watch = new BootWatch(knex, createStatementMemo('sqlite'));
    knex.emit('query', { sql, bindings });
    await watch.asking(() => Promise.resolve(knex.emit('query', { sql: 'vacuum', bindings: [] })));
    expect(await watch.end()).toBe(is);
  },
);

it('it may have been changed by what was sent before the watch began', async () => {
  expect(await new BootWatch(knexWith({ numFree: () => 1 }), createStatementMemo('sqlite')).end()).toBe(true);
});
