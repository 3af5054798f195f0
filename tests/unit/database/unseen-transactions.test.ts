import type { Knex } from 'knex';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EVERYTHING } from '../../../server/src/cache/tag';
import type { Dialect } from '../../../server/src/sql/tokens';
import { DATABASES, describeOnEach, ObservedDatabase } from './observed-database';

/*
 * Transactions and locks that begin otherwise than by a BEGIN. The plugin must not begin one of its own within them: it
 * would fail, commit what the application has not, or give a lock away.
 */

const PLAIN = [
  'create table things (id int primary key, title varchar(20))',
  "insert into things values (1, 'a')",
  'create table others (id int primary key, title varchar(20))',
  "insert into others values (1, 'a')",
];

interface Case {
  readonly name: string;
  readonly open: readonly string[];
  /** What ends it, so that all that was written counts. */
  readonly end: readonly string[];
  /** What takes back what was written; left out where nothing does. */
  readonly undo?: readonly string[];
}

const CASES: Readonly<Record<Dialect, readonly Case[]>> = {
  sqlite: [
    { name: 'a savepoint', open: ['savepoint a'], end: ['release a'], undo: ['rollback to a', 'release a'] },
    { name: 'a savepoint, committed', open: ['savepoint a'], end: ['commit'], undo: ['rollback'] },
    {
      name: 'savepoints of one name',
      open: ['savepoint a', 'savepoint a'],
      end: ['release a', 'release a'],
      undo: ['rollback to a', 'release a', 'release a'],
    },
    {
      name: 'a savepoint within another',
      open: ['savepoint a', 'savepoint b'],
      end: ['release a'],
      undo: ['rollback to a', 'release a'],
    },
  ],
  postgres: [
    { name: 'several statements in one text', open: ['begin; select 1'], end: ['commit'], undo: ['rollback'] },
    {
      name: 'a chained transaction',
      open: ['begin', 'commit and chain'],
      end: ['commit'],
      undo: ['rollback'],
    },
    { name: 'a second BEGIN', open: ['begin; select 1', 'begin'], end: ['commit'], undo: ['rollback'] },
  ],
  mysql: [
    { name: 'XA', open: ["xa start 'x'"], end: ["xa end 'x'", "xa prepare 'x'", "xa commit 'x'"] },
    {
      name: 'XA in one phase',
      open: ["xa start 'x'"],
      end: ["xa end 'x'", "xa commit 'x' one phase"],
      undo: ["xa end 'x'", "xa rollback 'x'"],
    },
    { name: 'no autocommit', open: ['set autocommit = 0'], end: ['commit'], undo: ['rollback'] },
    { name: 'no autocommit, on again', open: ['set autocommit = 0'], end: ['set autocommit = 1'] },
    { name: 'a chained transaction', open: ['begin', 'commit and chain'], end: ['commit'], undo: ['rollback'] },
    { name: 'chains by a setting', open: ['set completion_type = 1', 'begin', 'commit'], end: ['commit'] },
    {
      name: 'a procedure',
      open: ['create procedure opens() start transaction', 'call opens()'],
      end: ['commit'],
      undo: ['rollback'],
    },
    { name: 'a lock', open: ['lock tables things write'], end: ['unlock tables'] },
    {
      name: 'a lock, without autocommit',
      open: ['set autocommit = 0', 'lock tables things write'],
      end: ['commit', 'unlock tables'],
    },
  ],
};

describeOnEach<Dialect>(DATABASES, 'what was not seen to begin, on %s', (dialect) => {
  let database: ObservedDatabase;
  let connection: object;

  beforeEach(async () => {
    database = await ObservedDatabase.create(dialect, PLAIN);
    connection = (await (database.knex.client as Knex.Client).acquireConnection()) as object;
  }, 60_000);
  afterEach(async () => {
    await (database.knex.client as Knex.Client).releaseConnection(connection);
    await database.drop();
  }, 60_000);

  const on = (sql: string): Promise<unknown> => Promise.resolve(database.knex.raw(sql).connection(connection));
  const titleSeen = async (): Promise<unknown> => {
    const rows: unknown = await database.knex('things').select('title').connection(connection);
    return (rows as Array<{ readonly title: string }>)[0]?.title;
  };
  const read = () => database.read(() => on('select title from things where id = 1'));

  it.each(CASES[dialect])('$name: a write counts once it has ended', async ({ open, end }) => {
    for (const sql of open) await on(sql);
    await on("update things set title = 'b' where id = 1");
    expect(await titleSeen()).toBe('b');
    // Nobody else sees what was written before the end, which stamps it.
    const { tags } = await database.read(() => on('select title from things where id = 1'));
    const stamped = await database.write(async () => {
      for (const sql of end) await on(sql);
    });
    expect(tags.length).toBeGreaterThan(0);
    expect(stamped.includes(EVERYTHING) || tags.some((tag) => stamped.includes(tag))).toBe(true);
    expect(await titleSeen()).toBe('b');
  });

  it.each(CASES[dialect].filter(({ undo }) => undo !== undefined))(
    '$name: a write can be taken back',
    async ({ open, undo = [] }) => {
      for (const sql of open) await on(sql);
      await on("update things set title = 'b' where id = 1");
      for (const sql of undo) await on(sql);
      expect(await titleSeen()).toBe('a');
    },
  );

  it.each([
    ...CASES[dialect].map((one) => ({ ...one, how: 'as the driver says' })),
    ...(dialect === 'postgres' ? CASES.postgres.map((one) => ({ ...one, how: 'as the database says' })) : []),
  ])('$name: what is read within is not kept, $how', async ({ name, open, how }) => {
    // Older releases of the driver cannot be asked.
    if (how === 'as the database says') Object.assign(connection, { getTransactionStatus: undefined });
    for (const sql of open) await on(sql);
    await on("update things set title = 'b' where id = 1");
    expect((await read()).unstorable, name).toMatch(/^it was read |^it read /);
  });

  it.each(CASES[dialect])('$name: afterwards answers are kept, and a write stamps its table alone', async (one) => {
    for (const sql of one.open) await on(sql);
    await on("update things set title = 'b' where id = 1");
    for (const sql of one.end) await on(sql);
    if (one.open.some((sql) => sql.includes('autocommit'))) await on('set autocommit = 1');
    if (one.open.some((sql) => sql.includes('completion_type'))) return;
    await read();
    expect((await read()).unstorable).toBeUndefined();
    const stamped = await database.write(() => on("update things set title = 'c' where id = 1"));
    expect(stamped).not.toContain(EVERYTHING);
    expect(stamped.length).toBeGreaterThan(0);
  });

  it.runIf(dialect === 'postgres')('what was written before a BEGIN within it counts when that ends', async () => {
    for (const sql of ['begin; select 1', "update things set title = 'b' where id = 1", 'begin']) await on(sql);
    expect(await database.write(() => on('commit'))).toContain(EVERYTHING);
  });

  it.runIf(dialect === 'mysql')(
    'a lock on tables lasts until it is given up',
    () =>
      database.onConnection(async (elsewhere) => {
        await elsewhere('set session lock_wait_timeout = 1');
        await on('lock tables things write');
        await on("update things set title = 'b' where id = 1");
        await on("insert into things values (2, 'b')");
        await on('delete from things where id = 2');
        await expect(elsewhere("update things set title = 'c' where id = 1")).rejects.toThrow(/lock wait timeout/i);
        // Within the lock, other tables cannot be looked at.
        await expect(on("update others set title = 'b' where id = 1")).rejects.toThrow(/not locked/);
        await on('unlock tables');
        await elsewhere("update things set title = 'c' where id = 1");
        expect(await titleSeen()).toBe('c');
      }),
    60_000,
  );

  it.runIf(dialect === 'mysql').each(['flush tables things for export', 'flush tables things with read lock'])(
    'a lock that comes with a flush lasts as well: %s',
    (flush) =>
      database.onConnection(async (elsewhere) => {
        await elsewhere('set session lock_wait_timeout = 1');
        await on(flush);
        await expect(on("update others set title = 'b' where id = 1")).rejects.toThrow(/not locked/);
        await expect(elsewhere("update things set title = 'c' where id = 1")).rejects.toThrow(/lock wait timeout/i);
        await on('unlock tables');
        await elsewhere("update things set title = 'c' where id = 1");
      }),
    60_000,
  );

  it.runIf(dialect === 'mysql')('autocommit may be off from the first moment of a connection', () =>
    database.onConnection(async (other, connection) => {
      const { query } = connection as { query(sql: string, done: (error: Error | null) => void): void };
      await new Promise<void>((resolve, reject) => {
        query.call(connection, 'set autocommit = 0', (error) => (error === null ? resolve() : reject(error)));
      });
      await other("update things set title = 'b' where id = 1");
      expect(await titleSeen()).toBe('a');
      await other('rollback');
      await other("update things set title = 'c' where id = 1");
      expect(await database.write(() => other('commit'))).toEqual([EVERYTHING]);
      expect(await titleSeen()).toBe('c');
    }),
  );
});
