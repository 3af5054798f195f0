import { afterEach, beforeEach, expect, it } from 'vitest';
import { EVERYTHING } from '../../../server/src/cache/tag';
import { describeOnEach, ObservedDatabase } from './observed-database';

/** A statement that fills a variable of the session writes no table, whatever it reads for that. */
describeOnEach(['mysql'] as const, 'a variable of the session, on %s', (dialect) => {
  let database: ObservedDatabase;

  beforeEach(async () => {
    database = await ObservedDatabase.create(dialect, [
      'create table things (id int primary key, title varchar(20))',
      "insert into things values (1, 'a')",
      'create table others (id int primary key)',
      'create function harmless(n int) returns int deterministic return n + 1',
      'create function reading() returns int reads sql data return (select count(*) from things)',
      `create function writing() returns int modifies sql data begin update things set title = 'b'; return 1; end`,
    ]);
  }, 60_000);
  afterEach(() => database.drop(), 60_000);

  it.each([
    'set @n := (select count(*) from things)',
    'set @n = (select title from things where id = 1), @m = 5',
    "set @a = 1, @b := concat('x', @a)",
    'set @n = harmless(5)',
    'set @n = reading()',
    'select count(*) into @n from things',
    'select @n := count(*) from things',
    'select id into @n from things where id = 1',
    'select id, title from things where id = 1 into @n, @m',
    'select @n := title from things',
    "set session sql_mode = (select replace(@@sql_mode, 'ONLY_FULL_GROUP_BY', ''))",
    "set sql_mode = concat(@@sql_mode, ',NO_ZERO_DATE')",
    "set names 'utf8mb4', @n = (select 1)",
  ])('%s stamps nothing', async (sql) => {
    expect(await database.write(sql)).toEqual([]);
    expect((await database.read('select id from things')).unstorable).toBeUndefined();
  });

  it.each([
    'set @n = writing()',
    'set @n = (select writing() from others limit 1)',
    'set @n = (select 1), autocommit = 1',
    'set session sort_buffer_size = writing()',
    'set statement max_statement_time = (select 5) for update things set title = (select 5)',
  ])('%s may write', async (sql) => {
    expect(await database.write(sql)).toContain(EVERYTHING);
  });

  it('what a variable holds is in no answer that is kept', async () => {
    const { unstorable } = await database.read(async () => {
      await database.knex.raw('set @n := (select count(*) from things)');
      await database.knex.raw('select @n');
    });
    expect(unstorable).toBe('it read a variable');
    for (const read of ['select id into @n from things', 'select * from things where id = @n'])
      expect((await database.read(read)).unstorable).toMatch(/variable/);
  });

  it('what a variable is filled with counts as read', async () => {
    const { tags, unstorable } = await database.read(() => database.knex.raw('set @n = (select count(*) from things)'));
    expect(unstorable).toBeUndefined();
    expect(tags).toContain('things!');
  });
});
