import { expect, it } from 'vitest';
import type { DatabaseSchema } from '../../../server/src/database/table-catalog';
import type { Dialect } from '../../../server/src/sql/tokens';
import { DATABASES, describeOnEach, ObservedDatabase } from './observed-database';
import { writeAmong, type Read } from './stale-answers';

/*
 * The images of a row before and after a write do not show all that the write has changed: `select *` leaves a column
 * out, the statement names a part of a column or another name of the primary key, or the table's definition has other
 * rows deleted.
 */

const CHILD = 'create table child (id int primary key, thing_id int references things (id) on update cascade)';

interface Case {
  readonly name: string;
  readonly ddl: readonly string[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

const CASES: Readonly<Record<Dialect, readonly Case[]>> = {
  sqlite: [
    {
      name: 'the primary key by another name',
      ddl: [
        'create table things (id integer primary key, title text)',
        "insert into things values (1, 'a'), (2, 'b')",
        CHILD,
        'insert into child values (1, 1), (2, 2)',
      ],
      reads: [
        'select id, title from things where id = 9',
        'select id, title from things where id = 1',
        'select count(*) from things where id > 5',
        'select thing_id from child where id = 1',
      ],
      writes: [
        'update things set rowid = 9 where id = 1',
        'update things set _rowid_ = 9, title = ? where id = 1',
        'insert into things (rowid, title) values (9, ?)',
      ],
    },
    {
      name: 'a key that replaces rows by its definition',
      ddl: [
        'create table things (id integer primary key, title text unique on\n  conflict replace)',
        "insert into things values (1, 'a'), (2, 'b')",
      ],
      reads: ['select id, title from things where id = 1'],
      writes: ["insert into things (id, title) values (7, 'a')", "update things set title = 'a' where id = 2"],
    },
    {
      name: 'a reference in other letters than the key',
      ddl: [
        'create table things (id integer primary key, slug text collate nocase unique)',
        "insert into things values (1, 'a'), (2, 'b')",
        'create table child (id integer primary key, slug text references things (slug) on delete cascade)',
        "insert into child values (1, 'A'), (2, 'B')",
      ],
      reads: ['select id, slug from child where id = 1', 'select count(*) from child'],
      writes: ['delete from things where id = 1'],
    },
  ],
  postgres: [
    {
      name: 'a part of a column',
      ddl: [
        'create type address as (city text, zip text)',
        'create table things (id int primary key, city text, home address)',
        "insert into things values (1, 'x', row('a', 'b'))",
      ],
      reads: ['select id, home from things where id = 1', 'select home from things', 'select (home).city from things'],
      writes: [
        "update things set home.city = 'x' where id = 1",
        'update things set home.zip = null where id = 1',
        'update things set home.city = ? where id = 1',
      ],
    },
    {
      name: 'columns whose names differ only in case',
      ddl: [
        'create table things (id int primary key, "Title" text, title text)',
        "insert into things values (1, 'a', 'b'), (2, 'b', 'a')",
      ],
      reads: [
        'select * from things where id = 1',
        'select id, "Title" from things where id = 1',
        'select id from things where "Title" = \'b\'',
        'select id, title from things',
      ],
      writes: [
        'update things set "Title" = \'b\' where id = 1',
        "update things set title = 'a' where id = 1",
        "update things set title = 'b' where id = 2",
        'update things set "Title" = \'a\' where id = 2',
      ],
    },
    {
      name: 'a key that is finer than what the driver reads',
      ddl: [
        'create table things (id int primary key, at timestamptz(6) unique)',
        "insert into things values (1, '2026-01-01 10:00:00.123456')",
        'create table child (id int primary key, at timestamptz(6) references things (at) on delete cascade)',
        "insert into child values (1, '2026-01-01 10:00:00.123456')",
      ],
      reads: ['select id from child where id = 1', 'select count(*) from child'],
      writes: ['delete from things where id = 1'],
    },
  ],
  mysql: [
    {
      name: 'an invisible column',
      ddl: [
        'create table things (id int primary key auto_increment, title text, slug varchar(20) invisible)',
        "insert into things (id, title, slug) values (1, 'a', 'x'), (2, 'b', null)",
      ],
      reads: [
        'select id, slug from things where id = 1',
        "select title from things where slug = 'x'",
        "select title from things where slug = 'z'",
        'select slug from things',
        'select _rowid, title from things where _rowid > 1',
      ],
      writes: [
        'update things set slug = null where id = 1',
        "update things set slug = 'z' where id = 1",
        'delete from things where id = 1',
        "insert into things (title, slug) values (?, 'z')",
        'insert into things (id, title) values (1, ?) on duplicate key update slug = null',
      ],
    },
  ],
};

const SCHEMA: DatabaseSchema = {
  tables: [
    {
      name: 'things',
      columns: ['id', 'title', 'slug', 'city', 'home'].map((name) => ({ name })),
      foreignKeys: [],
    },
  ],
};

describeOnEach<Dialect>(DATABASES, 'on %s', (dialect) => {
  for (const { name, ddl, reads, writes } of CASES[dialect]) {
    it.each(writes)(`${name}: %s`, async (write) => {
      const database = await ObservedDatabase.create(dialect, ddl, SCHEMA);
      const raw =
        (sql: string): Read =>
        async (knex) =>
          rowsOf(await knex.raw(sql));
      const outcome = await writeAmong(database, new Map(reads.map((sql) => [sql, raw(sql)])), (knex) =>
        knex.raw(write, write.includes('?') ? ['new'] : []),
      );
      await database.drop();
      expect(outcome.changed).not.toEqual([]);
      expect(outcome.stale).toEqual([]);
    });
  }
});

/** The rows alone, without what the driver says of the statement. */
const rowsOf = (response: unknown): unknown => {
  if (Array.isArray(response)) return Array.isArray(response[0]) ? (response[0] as unknown) : response;
  return (response as { readonly rows?: unknown }).rows;
};
