import { afterEach, beforeEach, expect, it } from 'vitest';
import { EVERYTHING } from '../../../server/src/cache/tag';
import type { Dialect } from '../../../server/src/sql/tokens';
import { describeOnEach, ObservedDatabase } from './observed-database';

/*
 * A connection on which the name of a table means another table than on all other connections. Answers read from it are
 * not stored, and its writes stamp everything. The other connections are not affected.
 */

const PLAIN = ['create table things (id int primary key, n int)', 'insert into things values (1, 1)'];

/**
 * Different ways to make `things` mean another table. `apart` stands for a schema or database that has a table of that
 * name.
 */
const WAYS: Readonly<Record<Exclude<Dialect, 'sqlite'>, ReadonlyArray<readonly [way: string, statements: string[]]>>> =
  {
    postgres: [
      ['set search_path', ['set search_path to apart']],
      ['set schema', ["set schema 'apart'"]],
      ['set_config()', ["select set_config('search_path', 'apart', false)"]],
      ['set_config() over rows', ["select set_config('search_path', 'apart', false) from things"]],
      ['several statements', ['set search_path to apart; select 1']],
      ['a block', ["do $$ begin perform set_config('search_path', 'apart', false); end $$"]],
      [
        'a function',
        [
          "create function go_apart() returns int language plpgsql as $$ begin perform set_config('search_path', 'apart', false); return 1; end $$",
          'select go_apart()',
        ],
      ],
      ['a temporary table', ['create temporary table things (id int primary key, n int)']],
      ['a temporary table by its schema', ['create table pg_temp.things (id int primary key, n int)']],
      ['a temporary table of a query', ['select 2 as id, 2 as n into temporary things']],
      ['set role', ['set role pg_monitor']],
      ['set session authorization', ['set session authorization pg_monitor']],
    ],
    mysql: [
      ['use', ['use apart']],
      ['several words', ['/* elsewhere */ use apart']],
      ['a temporary table', ['create temporary table things (id int primary key, n int)']],
      ['a temporary table of a query', ['create temporary table things as select 2 as id, 2 as n']],
      [
        'a procedure',
        ['create procedure go_apart() create temporary table things (id int primary key, n int)', 'call go_apart()'],
      ],
      [
        'a prepared statement',
        ["prepare go_apart from 'create temporary table things (id int primary key, n int)'", 'execute go_apart'],
      ],
    ],
  };

const READ = 'select * from things where id = 1';
const WRITE = 'update things set n = n + 1 where id = 1';

describeOnEach(['postgres', 'mysql'], 'on %s', (dialect) => {
  let database: ObservedDatabase;
  let apart: string;

  beforeEach(async () => {
    database = await ObservedDatabase.create(dialect, PLAIN);
    apart = 'apart';
    if (dialect === 'postgres') {
      for (const statement of ['create schema apart', 'create table apart.things (id int primary key, n int)'])
        await database.knex.raw(statement);
    } else {
      const [[row]] = (await database.knex.raw('select database() as name')) as [[{ name: string }]];
      apart = `${row.name}_apart`;
      for (const statement of [`create database ${apart}`, `create table ${apart}.things (id int primary key, n int)`])
        await database.knex.raw(statement);
    }
  }, 60_000);
  afterEach(async () => {
    if (dialect === 'mysql') await database.knex.raw(`drop database ${apart}`);
    await database.drop();
  }, 60_000);

  const onConnection = (work: (run: (sql: string) => Promise<unknown>) => Promise<void>): Promise<void> =>
    database.onConnection((run) => work((sql) => run(sql.replace(/\bapart\b/, apart))));
  const isKept = async (work: () => Promise<unknown>): Promise<boolean> =>
    (await database.read(work)).unstorable === undefined;

  it.each(WAYS[dialect])(
    '%s: answers are not kept, and writes stamp everything, on that connection alone',
    async (_way, statements) => {
      await onConnection(async (run) => {
        expect(await isKept(() => run(READ))).toBe(true);
        expect(await database.write(() => run(WRITE))).not.toContain(EVERYTHING);
        for (const statement of statements) await run(statement);
        expect(await isKept(() => run(READ).catch(() => undefined))).toBe(false);
        expect(await database.write(() => run(WRITE).catch(() => undefined))).toContain(EVERYTHING);
        expect(await isKept(async () => database.knex.raw(READ))).toBe(true);
        expect(await database.write(WRITE)).not.toContain(EVERYTHING);
      });
    },
  );

  it.each([
    [
      'a setting of something else',
      dialect === 'postgres' ? 'set statement_timeout = 10000' : 'set @@session.sort_buffer_size = 100000',
    ],
    ['a look at a setting', dialect === 'postgres' ? 'show search_path' : 'show tables'],
  ])('%s changes nothing', async (_what, statement) => {
    await onConnection(async (run) => {
      await run(statement);
      expect(await isKept(() => run(READ))).toBe(true);
      expect(await database.write(() => run(WRITE))).not.toContain(EVERYTHING);
    });
  });

  it.runIf(dialect === 'mysql')(
    'a procedure or a prepared statement without temporary tables changes nothing',
    async () => {
      await database.knex.raw('create procedure count_things() select count(*) from things');
      await onConnection(async (run) => {
        for (const statement of [
          'call count_things()',
          "prepare counting from 'select count(*) from things'",
          'execute counting',
          'create table made_meanwhile (id int primary key)',
          'call count_things()',
        ]) {
          await run(statement);
          expect(await isKept(() => run(READ)), statement).toBe(true);
          expect(await database.write(() => run(WRITE)), statement).not.toContain(EVERYTHING);
        }
      });
    },
  );

  it('what is set back means what it did', async () => {
    const [away, back] =
      dialect === 'postgres'
        ? ['set search_path to apart', 'reset search_path']
        : ['use apart', `use ${apart.replace(/_apart$/, '')}`];
    await onConnection(async (run) => {
      await run(away);
      expect(await isKept(() => run(READ))).toBe(false);
      await run(back);
      expect(await isKept(() => run(READ))).toBe(true);
      expect(await database.write(() => run(WRITE))).not.toContain(EVERYTHING);
    });
  });

  it.runIf(dialect === 'postgres')('what is set for a transaction holds as long as that', async () => {
    await onConnection(async (run) => {
      for (const end of ['commit', 'rollback']) {
        await run('begin');
        await run('set local search_path to apart');
        expect(await isKept(() => run(READ))).toBe(false);
        expect(await database.write(() => run(WRITE))).toContain(EVERYTHING);
        await run(end);
        expect(await isKept(() => run(READ))).toBe(true);
      }
    });
  });

  it.runIf(dialect === 'postgres')('what the database sets for new connections is seen on them', async () => {
    const { rows } = await database.knex.raw<{ rows: [{ name: string }] }>('select current_database() as name');
    await database.knex.raw(`alter database ${rows[0].name} set search_path to apart`);
    await database.knex.destroy();
    database.knex.initialize();
    expect(await isKept(async () => database.knex.raw(READ))).toBe(false);
    expect(await database.write(WRITE)).toContain(EVERYTHING);
  });
});
