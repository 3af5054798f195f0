import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Dialect } from '../../../server/src/sql/tokens';
import { DATABASES, describeOnEach, ObservedDatabase } from './observed-database';

/*
 * Before a commit the plugin asks for the status of the rows that a join row refers to. PostgreSQL aborts a transaction
 * in which that fails, and answers its COMMIT with success.
 */

const DDL = [
  'create table docs (id int primary key, document_id varchar(20), published_at timestamp null)',
  'create table links (id int primary key, doc_id int references docs (id), name varchar(20))',
  'create table notes (id int primary key, content_id varchar(20), content_type varchar(20))',
  'insert into docs (id) values (1)',
  "insert into links values (1, 1, 'a')",
];
const columns = (...names: string[]) => names.map((name) => ({ name }));
const SCHEMA = {
  tables: [
    { name: 'docs', columns: columns('id', 'document_id', 'published_at'), foreignKeys: [] },
    {
      name: 'links',
      columns: columns('id', 'doc_id', 'name'),
      foreignKeys: [{ columns: ['doc_id'], referencedTable: 'docs' }],
    },
    {
      name: 'notes',
      columns: columns('id', 'content_id', 'content_type'),
      foreignKeys: [],
      morph: { type: 'content_type', id: 'content_id' },
    },
  ],
};

/** By which the plugin asks. */
interface KnexDialect {
  _query(connection: object, query: { readonly sql: string }): Promise<unknown>;
}

let database: ObservedDatabase;

const prepareOn = (dialect: Dialect): void => {
  beforeEach(async () => {
    database = await ObservedDatabase.create(dialect, DDL, SCHEMA, { tablesOfTypes: new Map([['a doc', 'docs']]) });
  }, 60_000);
  afterEach(() => database.drop(), 60_000);
};

describeOnEach<Dialect>(DATABASES, 'a row that refers to what no primary key can be, on %s,', (dialect) => {
  prepareOn(dialect);

  it.each(['k3fbm2q9', '1.5', '', '99999999999'])('is written: %j', async (id) => {
    const stamped = await database.write(async () => {
      await database.knex('notes').insert({ id: 1, content_id: id, content_type: 'a doc' });
    });
    // SQLite may be asked for any number.
    if (dialect !== 'sqlite' || id !== '99999999999') expect(stamped).toContain('notes!');
    expect(await database.knex('notes').select('content_id')).toEqual([{ content_id: id }]);
  });
});

describeOnEach<Dialect>(
  ['postgres'],
  'a transaction that is lost because a status cannot be asked for, on %s,',
  (dialect) => {
    prepareOn(dialect);

    it('fails, and leaves its connection idle', async () => {
      await database.onConnection(async (run) => {
        await run('begin');
        const writing = database.knex.transaction(async (transaction) => {
          await transaction.raw("set local lock_timeout = '50ms'");
          await transaction('links').where({ id: 1 }).update({ name: 'b' });
          await run('lock table docs in access exclusive mode');
        });
        await expect(writing).rejects.toThrow('lock timeout');
        expect(await database.knex('links').select('name')).toEqual([{ name: 'a' }]);
        await run('rollback');
      });
    });

    it('fails as well if it was not seen to begin, and the driver does not tell', async () => {
      await database.onConnection(async (run, connection) => {
        Object.assign(connection, { getTransactionStatus: undefined });
        await run('begin; select 1');
        await run("update links set name = 'b'");
        const dialectOf = Object.getPrototypeOf(Object.getPrototypeOf(database.knex.client)) as KnexDialect;
        const { _query: send } = dialectOf;
        vi.spyOn(dialectOf, '_query').mockImplementationOnce(function (this: unknown, to, query) {
          return send.call(this, to, { ...query, sql: 'select 1/0' });
        });
        await expect(run('commit')).rejects.toThrow('division by zero');
        await run('rollback');
      });
    });
  },
);
