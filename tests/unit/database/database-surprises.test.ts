import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EVERYTHING } from '../../../server/src/cache/tag';
import { FunctionNatures } from '../../../server/src/database/function-natures';
import type { Dialect } from '../../../server/src/sql/tokens';
import { DATABASES, describeOnEach, ObservedDatabase, type SeenRead } from './observed-database';

/*
 * What a statement's text does not show, on each database: names that are not of a plain table, rows that the database
 * changes by itself, functions that write.
 */

type Texts = string | Readonly<Partial<Record<Dialect, string>>>;

const textFor = (texts: Texts, dialect: Dialect): string[] => {
  const text = typeof texts === 'string' ? texts : (texts[dialect] ?? '');
  return text
    .split(/;;/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
};

const PLAIN = [
  'create table things (id int primary key, title varchar(20), code int)',
  "insert into things values (1, 'a', 1)",
  'create table tally (n int)',
];

const PARTITIONED =
  'create table other (id int, at int) partition by range (at);; create table other_1 partition of other for values from (0) to (9)';
const VIRTUAL = "create virtual table other using fts5(title, content='things', content_rowid='id')";
const COUNT = 'select count(*) from things';
const TALLY = 'update tally set n = n + 1';
/** Functions `my_fn` of each language, of which something is said. */
const pgFunction = (says: string, body: string): string =>
  `create function my_fn(n int) returns bigint language sql ${says} as '${body}'`;
const plpgsqlFunction = (body: string, returns = 'returns int'): string =>
  `create function my_fn(n int) ${returns} language plpgsql as '${body}'`;
const myFunction = (says: string, body: string): string => `create function my_fn(n int) returns int ${says} ${body}`;

describeOnEach<Dialect>(DATABASES, 'on %s', (dialect) => {
  let database: ObservedDatabase;

  beforeEach(async () => {
    database = await ObservedDatabase.create(dialect, PLAIN);
  }, 60_000);
  afterEach(() => database.drop(), 60_000);

  const run = async (texts: Texts): Promise<void> => {
    for (const text of textFor(texts, dialect)) await database.knex.raw(text);
  };

  it('a plain table made by hand is one: its answers are kept, and its writes stamp it alone', async () => {
    expect((await database.read('select * from things')).unstorable).toBeUndefined();
    const stamped = await database.write("update things set title = 'b' where id = 1");
    expect(stamped).not.toContain(EVERYTHING);
    expect(stamped.length).toBeGreaterThan(0);
  });

  it('a statement in a transaction that has failed says so in its own words', async () => {
    const refused = database.knex.transaction(async (trx) => {
      await trx.raw('select 1/0').catch(() => undefined);
      await trx('things').where({ id: 1 }).update({ title: 'b' });
      throw new Error('on purpose');
    });
    // The other databases continue within such a transaction.
    await expect(refused).rejects.toThrow(dialect === 'postgres' ? /^update "things".* is aborted/ : 'on purpose');
  });

  it.runIf(dialect === 'postgres')(
    'an answer from the earlier snapshot of another transaction is not kept',
    async () => {
      const { knex } = database;
      const earlier = await knex.transaction({ isolationLevel: 'repeatable read' });
      const { rows } = await earlier.raw<{ rows: Array<{ name: string }> }>('select pg_export_snapshot() as name');
      await knex('things').where({ id: 1 }).update({ title: 'later' });
      let answer: unknown;
      const { unstorable } = await database.read(() =>
        knex.transaction(
          async (own) => {
            await own.raw(`set transaction snapshot '${rows[0]?.name}'`);
            answer = await own('things').where({ id: 1 }).pluck('title');
          },
          { isolationLevel: 'repeatable read' },
        ),
      );
      await earlier.rollback();
      expect(answer).toEqual(['a']);
      expect(unstorable).toBe('it read the snapshot of another transaction');
    },
  );

  const others: ReadonlyArray<readonly [name: string, only: readonly Dialect[], ddl: Texts, read?: string]> = [
    ['a view', DATABASES, 'create view other as select * from things'],
    [
      'a view that asks for the time',
      DATABASES,
      'create view other as select * from things where current_timestamp is not null',
    ],
    [
      'a view of such a view',
      DATABASES,
      'create view inner_one as select id, current_timestamp as now from things;; create view other as select id from inner_one',
    ],
    [
      'a view of what is no plain table',
      ['sqlite', 'postgres'],
      {
        sqlite: 'create view other as select name from sqlite_master',
        postgres: 'create view other as select relname from pg_class',
      },
    ],
    [
      'a view that picks by chance',
      DATABASES,
      {
        sqlite: 'create view other as select id, random() as n from things',
        postgres: 'create view other as select id, random() as n from things',
        mysql: 'create view other as select id, rand() as n from things',
      },
    ],
    [
      'a view that calls a function of its own',
      ['postgres', 'mysql'],
      {
        postgres: `create function total() returns bigint language sql stable as 'select count(*) from tally';;
          create view other as select id, total() as n from things`,
        mysql: `create function total() returns int reads sql data return (select count(*) from tally);;
          create view other as select id, total() as n from things`,
      },
    ],
    [
      'a view of a table with row security',
      ['postgres'],
      'alter table things enable row level security;; create view other as select * from things',
    ],
    [
      'a view whose name is a table of another case',
      ['postgres'],
      'create view other as select * from things;; create table "Other" (id int)',
    ],
    ['a temporary view', ['sqlite', 'postgres'], 'create temporary view other as select * from things'],
    ['a materialised view', ['postgres'], 'create materialized view other as select * from things'],
    ['a partition', ['postgres'], PARTITIONED, 'select * from other_1'],
    ['a partitioned table', ['postgres'], PARTITIONED],
    ['a parent of inherited tables', ['postgres'], 'create table other () inherits (things)', 'select * from things'],
    ['an inherited table', ['postgres'], 'create table other () inherits (things)'],
    [
      'a table of its name in another schema',
      ['postgres'],
      'create schema apart;; create view apart.things as select 1 as id, current_timestamp as at',
      'select * from apart.things',
    ],
    ['a sequence', ['postgres'], 'create sequence other', 'select last_value from other'],
    ['a system table', ['postgres'], 'select 1', 'select * from pg_stat_activity'],
    [
      'a system table by its schema',
      ['postgres', 'mysql'],
      'select 1',
      'select * from information_schema.tables limit 1',
    ],
    ['a system table', ['sqlite'], 'select 1', 'select * from sqlite_master'],
    ['a temporary table', ['sqlite', 'postgres'], 'create temporary table other (id int)', 'select 1 from other'],
    [
      'a temporary table that hides another',
      ['sqlite'],
      'create temporary table things as select 2 as id',
      'select * from things',
    ],
    ['a virtual table', ['sqlite'], VIRTUAL],
    ["a virtual table's own table", ['sqlite'], VIRTUAL, 'select * from other_data'],
    [
      'a table of an attached database',
      ['sqlite'],
      "attach ':memory:' as apart;; create table apart.other (id int)",
      'select * from apart.other',
    ],
    ['a table of that, by its bare name', ['sqlite'], "attach ':memory:' as apart;; create table apart.other (id int)"],
    ['a table of an engine without transactions', ['mysql'], 'create table other (id int) engine = myisam'],
    ['a variable', ['mysql'], 'set @n = (select count(*) from things)', 'select @n'],
    ['a variable beside a table', ['mysql'], 'set @n = (select count(*) from things)', 'select id, @n from things'],
    ['a setting', ['postgres'], "select set_config('my.n', '5', false)", "select current_setting('my.n', true)"],
  ];
  for (const [name, only, ddl, read = 'select * from other'] of others) {
    it.runIf(only.includes(dialect))(`${name} makes an answer unstorable: ${read}`, async () => {
      await run(ddl);
      const { unstorable } = await database.read(async () => database.knex.raw(read).catch(() => undefined));
      expect(unstorable).toMatch(/^it read /);
    });
  }

  it.runIf(dialect !== 'sqlite')('a table is the same by its own schema and without', async () => {
    const home = dialect === 'postgres' ? 'public' : database.knex.client.database();
    const qualified = await database.read(`select * from ${String(home)}.things`);
    expect(qualified).toEqual(await database.read('select * from things'));
    expect(qualified.unstorable).toBeUndefined();
  });

  it.runIf(dialect === 'postgres')('a table of another schema is one of its own', async () => {
    await run('create schema apart;; create table apart.things (id int primary key)');
    const apart = await database.read('select * from apart.things');
    expect(apart.unstorable).toBeUndefined();
    const stamped = await database.write('insert into apart.things values (1)');
    expect(stamped.some((tag) => apart.tags.includes(tag))).toBe(true);
    const things = await database.read('select * from things');
    expect(stamped.some((tag) => things.tags.includes(tag))).toBe(false);
  });

  it('a write through a view stamps everything', async () => {
    if (dialect === 'sqlite') {
      await run(
        "create view other as select * from things;; create trigger through instead of update on other begin update things set title = 'x'; end",
      );
    } else await run('create view other as select * from things');
    expect(await database.write("update other set title = 'c'")).toContain(EVERYTHING);
  });

  it('a write to a table with a trigger stamps everything', async () => {
    await run({
      sqlite:
        'create table log (id int);; create trigger t after update on things begin insert into log values (1); end',
      postgres: `create table log (id int);;
        create function note() returns trigger language plpgsql as 'begin insert into log values (1); return new; end';;
        create trigger t after update on things for each row execute function note()`,
      mysql:
        'create table log (id int);; create trigger t after update on things for each row insert into log values (1)',
    });
    expect(await database.write("update things set title = 'c' where id = 1")).toContain(EVERYTHING);
  });

  const child = (reference: string, columns = 'thing_id int, foreign key (thing_id) references things (id)'): string =>
    `create table child (id int primary key, ${columns} ${reference})`;
  const grandchild = (reference: string): string =>
    `${child('on delete cascade')};; insert into child values (5, 1);;
     create table grandchild (id int primary key, child_id int, foreign key (child_id) references child (id) ${reference});;
     insert into grandchild values (6, 5)`;
  const ofPair = (reference: string): string =>
    `create table pair (a int, b int, primary key (a, b));; insert into pair values (1, 2);;
     ${child(reference, 'a int, b int, foreign key (a, b) references pair (a, b)')};; insert into child values (5, 1, 2)`;
  const DELETE = 'delete from things where id = 1';
  const cascades: ReadonlyArray<readonly [name: string, ddl: string, write: string, read: string]> = [
    ['a child', `${child('on delete cascade')};; insert into child values (5, 1)`, DELETE, 'select * from child'],
    ['a grandchild', grandchild('on delete cascade'), DELETE, 'select * from grandchild where id = 6'],
    [
      'a grandchild whose reference becomes null',
      grandchild('on delete set null'),
      DELETE,
      'select child_id from grandchild where id = 6',
    ],
    [
      'a child with another key',
      `create table child (code varchar(9) primary key, thing_id int, foreign key (thing_id) references things (id) on delete cascade);;
       insert into child values ('x', 1)`,
      DELETE,
      'select * from child',
    ],
    [
      'a child by a key that is updated',
      `${child('on update cascade')};; insert into child values (5, 1)`,
      'update things set id = 9 where id = 1',
      'select thing_id from child where id = 5',
    ],
    [
      'a child of a pair of columns',
      ofPair('on delete cascade'),
      'delete from pair where a = 1',
      'select * from child where id = 5',
    ],
    [
      'a child of a pair of columns, of which one is updated',
      ofPair('on update cascade'),
      'update pair set b = 3 where a = 1',
      'select b from child where id = 5',
    ],
    [
      'a row of the same table',
      `create table node (id int primary key, parent_id int, foreign key (parent_id) references node (id) on delete cascade);;
       insert into node values (1, null);; insert into node values (2, 1);; insert into node values (3, 2)`,
      'delete from node where id = 1',
      'select * from node where id = 3',
    ],
  ];
  it.each(cascades)('a foreign key takes along %s', async (_name, ddl, write, read) => {
    await run(ddl);
    const before = await database.read(read);
    expect(before.unstorable).toBeUndefined();
    const stamped = await database.write(write);
    expect(stamped.filter((tag) => before.tags.includes(tag) || tag === EVERYTHING)).not.toEqual([]);
  });

  it.runIf(dialect === 'mysql')('a cascade takes along rows that the snapshot hides', async () => {
    await run(child('on delete cascade'));
    const transaction = await database.knex.transaction();
    await transaction.raw('select * from things');
    await database.knex.raw('insert into child values (7, 1)');
    const before = await database.read('select * from child where id = 7');
    const stamped = await database.write(async () => {
      await transaction.raw('delete from things where id = 1');
      await transaction.commit();
    });
    expect(stamped.filter((tag) => before.tags.includes(tag))).not.toEqual([]);
  });

  type Effect = 'kept' | 'unstorable' | 'everything';
  const functions: ReadonlyArray<readonly [name: string, ddl: Exclude<Texts, string>, expected: Effect]> = [
    [
      'one that calculates',
      { postgres: pgFunction('immutable', 'select n + 1'), mysql: myFunction('deterministic no sql', 'return n + 1') },
      'kept',
    ],
    [
      'one that reads',
      { postgres: pgFunction('stable', COUNT), mysql: myFunction('reads sql data', `return (${COUNT})`) },
      'unstorable',
    ],
    [
      'one that reads and says that it does not',
      { postgres: pgFunction('immutable', COUNT), mysql: myFunction('deterministic no sql', `return (${COUNT})`) },
      'unstorable',
    ],
    [
      'one that depends on its connection and says that it does not',
      { mysql: myFunction('deterministic no sql', 'return connection_id()') },
      'unstorable',
    ],
    [
      'one that reads, of which nobody has said anything',
      {
        postgres: plpgsqlFunction(
          'declare r bigint; begin select count(*) into r from things; return r; end',
          'returns bigint',
        ),
      },
      'unstorable',
    ],
    [
      'one that sets what names mean',
      {
        postgres: pgFunction(
          '',
          "select set_config(''search_path'', current_setting(''search_path''), false); select 1",
        ),
      },
      'everything',
    ],
    [
      'one that does what nobody can see',
      { postgres: plpgsqlFunction("begin execute ''select 1''; return 1; end") },
      'everything',
    ],
    [
      'one that writes',
      {
        postgres: pgFunction('', `${TALLY}; select 1`),
        mysql: myFunction('modifies sql data', `begin ${TALLY}; return 1; end`),
      },
      'everything',
    ],
    [
      'one that writes and says that it does not',
      { mysql: myFunction('deterministic no sql', `begin ${TALLY}; return 1; end`) },
      'everything',
    ],
    [
      'one that calls one that calculates',
      {
        postgres: `create function inner_fn(n int) returns int language sql immutable as 'select n + 1';;
          ${plpgsqlFunction('begin return inner_fn(n); end', 'returns int immutable')}`,
        mysql: `create function inner_fn(n int) returns int deterministic no sql return n + 1;;
          ${myFunction('deterministic no sql', 'return inner_fn(n)')}`,
      },
      'kept',
    ],
    [
      'one that calls one that writes',
      {
        postgres: `create function inner_fn() returns int language sql as '${TALLY}; select 1';;
          ${plpgsqlFunction('begin return inner_fn(); end', 'returns int stable')}`,
        mysql: `create function inner_fn() returns int begin ${TALLY}; return 1; end;;
          ${myFunction('no sql', 'return inner_fn()')}`,
      },
      'everything',
    ],
    [
      'one of an overloaded name of which one writes',
      {
        postgres: `${pgFunction('immutable', 'select 1::bigint')};;
          create function my_fn(n text) returns int language sql as '${TALLY}; select 1'`,
      },
      'everything',
    ],
  ];
  for (const [name, ddl, expected] of functions.filter((each) => dialect in each[1])) {
    it(`of functions, ${name}: ${expected}`, async () => {
      await run(ddl);
      let unstorable: string | undefined;
      const stamped = await database.write(async () => {
        ({ unstorable } = await database.read('select my_fn(id) from things'));
      });
      expect(stamped.includes(EVERYTHING)).toBe(expected === 'everything');
      expect(unstorable === undefined).toBe(expected === 'kept');
    });

    it(`of functions in a write, ${name}: ${expected}`, async () => {
      await run(ddl);
      await run('create table copies (n int)');
      for (const write of [
        'insert into copies select my_fn(id) from things',
        'insert into copies (n) values (my_fn(1))',
        'update things set code = 1000 + my_fn(2) where id = 1',
        'update things set code = 7 where my_fn(id) > 0',
        'delete from things where my_fn(id) > 0',
      ]) {
        const { tags } = await database.read(
          write.includes('copies') ? 'select n from copies' : 'select * from things',
        );
        const stamped = await database.write(write);
        expect(stamped.includes(EVERYTHING)).toBe(expected === 'everything');
        if (expected !== 'everything') expect(stamped.filter((tag) => tags.includes(tag))).not.toEqual([]);
      }
    });

    it.runIf(dialect === 'mysql')(`of functions in a stream, ${name}: ${expected}`, async () => {
      await run(ddl);
      const rows: unknown[] = [];
      let seen: SeenRead | undefined;
      const stamped = await database.write(async () => {
        seen = await database.read(async () => {
          for await (const row of database.knex.raw('select my_fn(id) as n from things').stream()) rows.push(row);
        });
      });
      expect(rows).toHaveLength(1);
      expect(stamped.includes(EVERYTHING)).toBe(expected === 'everything');
      expect(seen?.unstorable === undefined).toBe(expected === 'kept');
      if (expected === 'kept') expect(seen?.tags).not.toEqual([]);
    });
  }

  it.runIf(dialect === 'postgres')('what a block has made is known to the next statement', async () => {
    await database.knex.raw('do $$ begin create table made_meanwhile (id int primary key); end $$');
    expect(await database.read('select * from made_meanwhile')).toMatchObject({ unstorable: undefined });
    await database.knex.raw(
      'do $$ begin drop table made_meanwhile; create view made_meanwhile as select 1 as id; end $$',
    );
    expect((await database.read('select * from made_meanwhile')).unstorable).toMatch('a view');
    expect(await database.write("update things set title = 'b' where id = 1")).not.toContain(EVERYTHING);
  });

  it
    .runIf(dialect === 'postgres')
    .each([
      'select id, t.my_fn from things t',
      'select (t).my_fn from things t',
      'select things.title from things where things.my_fn > 0',
      'update things set code = things.my_fn where id = 1',
    ])('a function of a row is called like a column: %s', async (statement) => {
    await run("create function my_fn(thing things) returns bigint language sql stable as 'select count(*) from tally'");
    let unstorable: string | undefined;
    const stamped = await database.write(async () => {
      ({ unstorable } = await database.read(statement));
    });
    if (statement.startsWith('select')) expect(unstorable).toMatch('my_fn');
    expect(stamped).not.toContain(EVERYTHING);
    // If the function writes, it is unknown what it changes.
    await run(
      "create or replace function my_fn(thing things) returns bigint language sql as 'update tally set n = 5; select 1::bigint'",
    );
    expect(await database.write(statement)).toContain(EVERYTHING);
    expect((await database.read('select t.code from things t')).unstorable).toBeUndefined();
  });

  it.each(['select * from things', "update things set title = 'b'"])(
    'a stream ends with what the driver throws at once, as it does without an observer: %s',
    async (statement) => {
      const { knex } = database;
      const client = knex.client as { _stream: unknown };
      client._stream = () => {
        throw new Error('no module for streams');
      };
      const reading = async (): Promise<void> => {
        for await (const row of knex.raw(statement).stream()) expect(row).toBeUndefined();
      };
      await expect(reading()).rejects.toThrow('no module for streams');
      // The connection is free again.
      Reflect.deleteProperty(client, '_stream');
      for (let use = 0; use < 12; use += 1) await knex('things').count();
    },
    5000,
  );

  it.runIf(dialect === 'postgres')(
    'a function of the application that has the name of a harmless one is asked for',
    async () => {
      await run("create function initcap(n int) returns int language sql as 'update tally set n = 5; select 1'");
      expect(await database.write('select initcap(id) from things')).toContain(EVERYTHING);
    },
  );

  it.runIf(dialect === 'sqlite')('a function that the application registered does not write', async () => {
    const connection = (await database.knex.client.acquireConnection()) as {
      function(name: string, options: object, body: (value: number) => number): void;
    };
    connection.function('my_fn', { deterministic: true }, (value) => value + 1);
    connection.function('my_clock', {}, (value) => value + Date.now());
    await database.knex.client.releaseConnection(connection);
    expect(await database.write('select my_fn(id) from things')).toEqual([]);
    expect((await database.read('select my_fn(id) from things')).unstorable).toBeUndefined();
    expect((await database.read('select my_clock(id) from things')).unstorable).toMatch(/my_clock/);
  });
});

describe('asking about functions', () => {
  it('is done once for each name', async () => {
    const database = await ObservedDatabase.create('sqlite', PLAIN);
    const natures = new FunctionNatures('sqlite', () => database.description.catalog);
    let asked = 0;
    const ask = () => {
      asked += 1;
      return Promise.resolve([{ name: 'f', flags: 0x800 }]);
    };
    await natures.worst(['f'], ask);
    expect(await natures.worst(['f'], ask)).toMatchObject({ nature: 'pure' });
    expect(asked).toBe(1);
    await database.drop();
  });
});
