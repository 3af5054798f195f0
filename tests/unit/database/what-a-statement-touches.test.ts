import type { Knex } from 'knex';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Dialect } from '../../../server/src/sql/tokens';
import { DATABASES, describeOnEach, ObservedDatabase } from './observed-database';
import { writeAmong, type Read, type Write } from './stale-answers';

/*
 * Tests the plugin's promise on a real database, statement by statement: if a write changes an answer, it stamps one of
 * the tags that the answer depends on, before the writer learns that it is done. The answers are read by every column
 * and every value.
 */

const DOCS = ['id', 'document_id', 'published_at', 'locale', 'slug', 'title', 'views', 'status_id', 'author_id'];

const schema = {
  tables: [
    {
      name: 'docs',
      columns: DOCS.map((name) => ({ name })),
      foreignKeys: [{ columns: ['author_id'], referencedTable: 'authors', onDelete: 'SET NULL' }],
    },
    { name: 'authors', columns: [{ name: 'id' }], foreignKeys: [] },
    {
      name: 'links',
      columns: ['id', 'doc_id', 'tag_id', 'tag_ord'].map((name) => ({ name })),
      foreignKeys: [
        { columns: ['doc_id'], referencedTable: 'docs', onDelete: 'CASCADE' },
        { columns: ['tag_id'], referencedTable: 'tags', onDelete: 'CASCADE' },
      ],
    },
    { name: 'tags', columns: ['id', 'name'].map((name) => ({ name })), foreignKeys: [] },
  ],
};

const define = async (knex: Knex): Promise<void> => {
  await knex.schema.createTable('authors', (table) => {
    table.increments('id');
  });
  await knex.schema.createTable('docs', (table) => {
    table.increments('id');
    table.string('document_id');
    table.dateTime('published_at');
    table.string('locale');
    table.string('slug').unique();
    table.string('title');
    table.integer('views');
    table.integer('status_id');
    table.integer('author_id').unsigned().references('authors.id').onDelete('set null');
  });
  await knex.schema.createTable('tags', (table) => {
    table.increments('id');
    table.string('name');
  });
  await knex.schema.createTable('links', (table) => {
    table.increments('id');
    table.integer('doc_id').unsigned().references('docs.id').onDelete('cascade');
    table.integer('tag_id').unsigned().references('tags.id').onDelete('cascade');
    table.float('tag_ord');
    table.unique(['doc_id', 'tag_id']);
  });
  if (knex.client.config.client !== 'pg') return;
  // The rows at the beginning of a test have ids of their own.
  for (const table of ['docs', 'tags', 'links']) await knex.raw(`alter sequence ${table}_id_seq restart with 1000`);
};

const doc = (id: number, more: object = {}) => ({
  id,
  document_id: `doc${id}`,
  published_at: id % 2 === 0 ? null : new Date(1000 * id),
  locale: 'en',
  slug: `s${id}`,
  title: `t${id}`,
  views: id,
  status_id: id,
  author_id: id,
  ...more,
});

const fill = async (knex: Knex): Promise<void> => {
  for (const table of ['links', 'docs', 'tags', 'authors']) await knex(table).delete();
  await knex('authors').insert([1, 2, 3, 4, 7].map((id) => ({ id })));
  await knex('docs').insert([doc(1), doc(2), doc(3), doc(4)]);
  await knex('tags').insert([1, 2, 3].map((id) => ({ id, name: `n${id}` })));
  await knex('links').insert([
    { id: 1, doc_id: 1, tag_id: 1, tag_ord: 1 },
    { id: 2, doc_id: 2, tag_id: 1, tag_ord: 2 },
  ]);
};

const TABLES: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  docs: {
    id: [1, 2, 5, 9],
    document_id: ['doc1', 'doc9'],
    locale: ['en', 'fr'],
    slug: ['s1', 's2', 's9'],
    title: ['t1', 'new'],
    views: [0, 1, 2, 7],
    status_id: [1, 2, 7],
    author_id: [1, 2, 7],
  },
  links: { id: [1, 2, 9], doc_id: [1, 2, 3], tag_id: [1, 2, 3], tag_ord: [1, 7] },
  tags: { id: [1, 9], name: ['n1', 'new'] },
};

const reads = new Map<string, Read>();
for (const [table, columns] of Object.entries(TABLES)) {
  reads.set(`all ${table}`, (knex) => knex(table).select('*').orderBy('id'));
  reads.set(`count ${table}`, (knex) => knex(table).count({ n: '*' }));
  for (const [column, values] of Object.entries(columns)) {
    reads.set(`${table} ${column} is null`, (knex) => knex(table).select('id').whereNull(column));
    for (const value of values) {
      reads.set(`${table} ${column} = ${String(value)}`, (knex) => knex(table).where(column, value as string));
      reads.set(`count ${table} ${column} = ${String(value)}`, (knex) =>
        knex(table)
          .where(column, value as string)
          .count({ n: 'id' }),
      );
    }
  }
}
for (const status of ['whereNull', 'whereNotNull'] as const) {
  reads.set(`docs ${status}`, (knex) => knex('docs')[status]('published_at').where('locale', 'en').orderBy('id'));
  reads.set(`docs ${status} by status`, (knex) =>
    knex('docs').select('title')[status]('published_at').where('status_id', 1),
  );
  reads.set(`links ${status}`, (knex) =>
    knex('links').join('docs', 'docs.id', 'links.doc_id')[status]('docs.published_at').select('links.*'),
  );
}
const collect = async (stream: AsyncIterable<unknown>): Promise<unknown[]> => {
  const rows: unknown[] = [];
  for await (const row of stream) rows.push(row);
  return rows;
};

/** For streams from PostgreSQL, knex needs a package that an application may install. */
const streamed: ReadonlyMap<string, Read> = new Map<string, Read>([
  ['streamed by status', (knex) => collect(knex('docs').where({ status_id: 1 }).stream())],
  ['streamed by slug', (knex) => collect(knex('docs').select('title').where({ slug: 's1' }).stream())],
  ['streamed whole', (knex) => collect(knex('docs').stream())],
  [
    'streamed in one locale',
    (knex) => collect(knex('docs').where({ locale: 'en' }).whereNotNull('published_at').stream()),
  ],
]);

const failing = (work: (trx: Knex.Transaction) => Promise<unknown>): Write => {
  return (knex) =>
    knex
      .transaction(async (trx) => {
        await work(trx);
        throw new Error('on purpose');
      })
      .catch((error: unknown) => {
        // A transaction that has already ended cannot be rolled back.
        if (!/on purpose|no transaction is active/.test(String(error))) throw error;
      });
};

/** Writes by what they are. */
type Writes = Readonly<Record<string, Write>>;

const everywhere: Writes = {
  'an upsert by id, of a row under another foreign key': (knex) =>
    knex('docs').insert({ id: 2, title: 'new', author_id: 1 }).onConflict('id').merge(['title']),
  'an upsert of every column': (knex) =>
    knex('docs')
      .insert(doc(2, { status_id: 7 }))
      .onConflict('id')
      .merge(),
  'an upsert by another unique key': (knex) =>
    knex('docs').insert({ slug: 's2', title: 'new', views: 7, author_id: 1 }).onConflict('slug').merge(['views']),
  'an upsert of several rows, one of them new': (knex) =>
    knex('docs')
      .insert([doc(2, { title: 'new', author_id: 1 }), doc(9, { author_id: 1 })])
      .onConflict('id')
      .merge(['title', 'author_id']),
  'an upsert by an expression': (knex) =>
    knex('docs')
      .insert({ slug: 's2', author_id: 1 })
      .onConflict('slug')
      .merge({ status_id: knex.raw('docs.status_id + 5') }),
  'an upsert that changes the very key it finds rows by': (knex) =>
    knex('docs').insert({ slug: 's2', author_id: 1 }).onConflict('slug').merge({ slug: 's9' }),
  'an upsert of a join row': (knex) =>
    knex('links').insert({ doc_id: 1, tag_id: 1, tag_ord: 7 }).onConflict(['doc_id', 'tag_id']).merge(['tag_ord']),
  'a new join row that does not mind': (knex) =>
    knex('links').insert({ doc_id: 2, tag_id: 2, tag_ord: 7 }).onConflict(['doc_id', 'tag_id']).ignore(),
  'a new row that does not mind': (knex) =>
    knex('docs')
      .insert(doc(9, { author_id: 1 }))
      .onConflict()
      .ignore(),
  'an insert of nothing but a title': (knex) => knex('docs').insert({ title: 'new' }),
  'a transaction that is committed': (knex) =>
    knex.transaction(async (trx) => {
      await trx('docs').where({ id: 1 }).update({ status_id: 7 });
      await trx('tags').insert({ name: 'new' });
    }),
  'a transaction that goes on after a savepoint that was never made': (knex) =>
    knex.transaction(async (trx) => {
      await trx('docs').where({ id: 1 }).update({ status_id: 7 });
      const failed = trx.raw('savepoint mine').then(() => trx.raw('rollback to savepoint yours'));
      await failed.catch(() => trx.raw('rollback to savepoint mine'));
    }),
};

const only: Readonly<Record<Dialect, Writes>> = {
  sqlite: {
    replace: (knex) => knex.raw("replace into docs (slug, title, author_id) values ('s2', 'new', 1)"),
    'insert or replace': (knex) => knex.raw("insert or replace into docs (id, slug, title) values (9, 's1', 'new')"),
    'rows inserted before one fails': (knex) =>
      knex.transaction(async (trx) => {
        await trx.raw("insert or fail into docs (slug, status_id) values ('s9', 7), ('s1', 7)").catch(() => undefined);
      }),
    'what follows a failure that ended the transaction': failing(async (trx) => {
      await trx.raw("insert or rollback into docs (slug) values ('s1')").catch(() => undefined);
      await trx('docs').where({ id: 1 }).update({ status_id: 7 });
    }),
    'a write that is streamed back': (knex) =>
      collect(knex.raw('update docs set views = 7 where id = 1 returning *').stream()),
    'a write whose rows nobody takes to the end': async (knex) => {
      const stream = knex.raw('update docs set views = 7 returning *').stream();
      for await (const row of stream) if (row !== undefined) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    },
  },
  postgres: {
    'a delete before an insert into the same table': (knex) =>
      knex.raw(
        "with gone as (delete from docs where id = 1 returning *) insert into docs (title) values ('new') returning id",
      ),
    'an update before an insert into another table': (knex) =>
      knex.raw(
        "with changed as (update docs set status_id = 7 where id = 1 returning *) insert into tags (name) select 'new' from changed returning id",
      ),
    'explain analyze': (knex) => knex.raw('explain analyze update docs set status_id = 7 where id = 1'),
    merge: (knex) =>
      knex.raw('merge into docs using tags on docs.id = tags.id when matched then update set status_id = 7'),
    'a transaction begun twice': (knex) =>
      knex.transaction(async (trx) => {
        await trx('docs').where({ id: 1 }).update({ status_id: 7 });
        await trx.raw('begin');
        await trx('tags').insert({ name: 'new' });
      }),
  },
  mysql: {
    'a write that is streamed': (knex) => collect(knex.raw('update docs set status_id = 7 where id = 1').stream()),
    'a write that is streamed back': (knex) =>
      collect(knex.raw('insert into docs (title, status_id) values (?, 7) returning *', ['new']).stream()),
    replace: (knex) => knex.raw("replace into docs (slug, title, author_id) values ('s2', 'new', 1)"),
    'an update of two tables': (knex) =>
      knex.raw(
        "update docs join tags on tags.id = docs.id set docs.status_id = 7, tags.name = 'new' where docs.id = 1",
      ),
    'an upsert that conflicts by another key than the one meant': (knex) =>
      knex('docs').insert({ id: 2, slug: 's1', title: 'new', author_id: 7 }).onConflict('slug').merge(['title']),
    ...Object.fromEntries(
      [
        'truncate table links',
        "alter table tags comment = 'x'",
        'create table if not exists made_within (id int)',
        'lock tables docs write, authors read',
        'start transaction',
        'begin',
        'set autocommit = 1',
        'analyze table tags',
        'optimize table tags',
        'flush tables',
        'create or replace index within on tags (name)',
        'drop table if exists nobody_has_it',
        'rename table links to others, others to links',
        'create or replace view shown as select 1',
        "set password = password('')",
        'grant select on *.* to root@localhost',
      ].flatMap(
        (sql): Array<readonly [string, Write]> => [
          [
            `${sql}, in a transaction that fails later`,
            failing(async (trx) => {
              await trx('docs').where({ id: 1 }).update({ status_id: 7 });
              await trx.raw(sql);
              await trx.raw('unlock tables');
            }),
          ],
          [
            `${sql}, and what is written after it in a transaction that fails later`,
            failing(async (trx) => {
              await trx.raw(sql);
              await trx('docs').where({ id: 1 }).update({ status_id: 7 });
              await trx('docs').insert({ title: 'new' });
              await trx.raw('unlock tables');
            }),
          ],
        ],
      ),
    ),
    'what follows a savepoint that an implicit commit has taken away': (knex) =>
      knex.transaction(async (trx) => {
        await trx.raw('savepoint mine');
        await trx.raw('truncate table links');
        await trx('docs').where({ id: 1 }).update({ status_id: 7 });
        await trx.raw('rollback to savepoint mine').catch(() => undefined);
      }),
  },
};

/** Writes that may change nothing: their effect depends on the session, or is rolled back. */
const MAY_CHANGE_NOTHING = /autocommit|and what is written after it/;

describeOnEach<Dialect>(DATABASES, 'a statement on %s stamps whatever it touches', (dialect) => {
  let database: ObservedDatabase;

  beforeAll(async () => {
    database = await ObservedDatabase.create(dialect, [], schema);
    await define(database.knex);
  }, 60_000);
  afterAll(() => database.drop());
  beforeEach(() => fill(database.knex));

  it.each(Object.entries({ ...everywhere, ...only[dialect] }))(
    '%s',
    async (name, write) => {
      const all = dialect === 'postgres' ? reads : new Map([...reads, ...streamed]);
      const { changed, stale } = await writeAmong(database, all, write);
      expect(stale).toEqual([]);
      if (!MAY_CHANGE_NOTHING.test(name)) expect(changed).not.toEqual([]);
    },
    60_000,
  );
});
