import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Knex } from 'knex';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { EVERYTHING, type Tag } from '../../../server/src/cache/tag';
import { ObservedDatabase } from './observed-database';

/*
 * Two processes write to one file of SQLite. A transaction that reads before it writes fails at once if another process
 * has written in between, however long the application would wait for a lock. So the plugin must not look at rows
 * before the lock is held.
 */

interface Connection {
  exec(sql: string): unknown;
  close(): unknown;
}

const Database = createRequire(import.meta.url)('better-sqlite3') as new (
  file: string,
  options: { readonly timeout: number },
) => Connection;

const THINGS = [
  'pragma journal_mode = wal',
  'create table things (id integer primary key, title text, thing_id int references things (id) on delete cascade)',
  "insert into things values (1, 'a', null), (2, 'b', 1), (3, 'c', null)",
];

describe('a write on SQLite while another process writes at every moment', () => {
  let directory: string;
  let database: ObservedDatabase;
  let other: Connection;
  let moments: string[];

  beforeEach(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'rest-cache-writers-'));
    const file = path.join(directory, 'data.db');
    database = await ObservedDatabase.create('sqlite', THINGS, { tables: [] }, {}, file);
    other = new Database(file, { timeout: 0 });
    moments = [];
    const client = database.knex.client as { _query(connection: object, query: { sql: string }): Promise<unknown> };
    const dialect = Object.getPrototypeOf(Object.getPrototypeOf(client)) as typeof client;
    const { _query: send } = dialect;
    // After each statement, the plugin's own included.
    dialect._query = async function (connection, query) {
      const answer = await send.call(this, connection, query);
      moments.push(query.sql);
      try {
        other.exec('update things set title = hex(randomblob(8)) where id = 3');
      } catch {
        // It cannot, while the transaction holds the lock.
      }
      return answer;
    };
    restore = (): void => {
      dialect._query = send;
    };
  });
  let restore = (): void => undefined;
  afterEach(async () => {
    restore();
    other.close();
    await database.drop();
    rmSync(directory, { recursive: true });
  });

  const writes: ReadonlyArray<readonly [string, (knex: Knex) => PromiseLike<unknown>]> = [
    ['an update', (knex) => knex('things').where({ id: 1 }).update({ title: 'new' })],
    ['a delete with what goes by cascade', (knex) => knex('things').where({ id: 1 }).delete()],
    ['an upsert', (knex) => knex('things').insert({ id: 1, title: 'new' }).onConflict('id').merge()],
    ['an insert', (knex) => knex('things').insert({ id: 9, title: 'new' })],
    ['a replace', (knex) => knex.raw("insert or replace into things (id, title) values (1, 'new')")],
  ];

  it.each(writes)('%s alone', async (_, write) => {
    const stamped = await database.write(async () => write(database.knex));
    expect(stamped.length).toBeGreaterThan(0);
    expect(stamped).not.toContain(EVERYTHING);
    // It begins with the lock.
    expect(moments.filter((sql) => sql.includes('where 0'))).toEqual([]);
  });

  it.each(writes)('%s in a transaction of the application', async (_, write) => {
    const stamped = await database.write(() => database.knex.transaction(async (trx) => write(trx)));
    expect(stamped.length).toBeGreaterThan(0);
    expect(stamped).not.toContain(EVERYTHING);
  });

  it.each(writes)('%s after another in one transaction', async (_, write) => {
    await database.knex.transaction(async (trx) => {
      await trx('things').where({ id: 2 }).update({ title: 'newer' });
      moments.length = 0;
      await write(trx);
    });
    // The lock is held, so nothing more has to be sent for it.
    expect(moments.filter((sql) => sql.includes('where 0'))).toEqual([]);
  });

  it('what fails without the plugin fails in the same words', async () => {
    const refused = database.knex.transaction(async (trx) => {
      await trx('things').where({ id: 1 });
      await trx('things').where({ id: 1 }).update({ title: 'new' });
    });
    await expect(refused).rejects.toThrow(/^update `things` set .* - database is locked$/);
  });
});

describe('a process of an earlier release, while another has migrated the database', () => {
  it('stamps the look-ups of the other by a column that it has not known', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'rest-cache-releases-'));
    const file = path.join(directory, 'data.db');
    const open = (ddl: readonly string[]): Promise<ObservedDatabase> =>
      ObservedDatabase.create('sqlite', ddl, { tables: [] }, {}, file);
    const earlier = await open(THINGS);
    const later = await open(['alter table things add column slug text', "update things set slug = 'a' where id = 1"]);
    const { tags } = await later.read("select title from things where slug = 'a'");
    const met = async (): Promise<Tag[]> =>
      (await earlier.write(`update things set title = hex(randomblob(8)) where id = 1`)).filter((name) =>
        tags.includes(name),
      );
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 });
    try {
      // It has heard that the other has stamped everything.
      earlier.description.doubt();
      expect(await met()).not.toEqual([]);
    } finally {
      vi.useRealTimers();
      await earlier.drop();
      await later.drop();
      rmSync(directory, { recursive: true });
    }
  });
});
