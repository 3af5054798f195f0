import type { Knex } from 'knex';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Dialect } from '../../../server/src/sql/tokens';
import { isSameValue, ParsedJson } from '../../../server/src/sql/column-value';
import { DATABASES, describeOnEach, ObservedDatabase } from './observed-database';
import { writeAmong, type Read, type Write } from './stale-answers';

/*
 * Only the database knows which values are equal. If a reader uses one spelling and a writer another, or if the
 * database fills in a value that no statement contains, the write still stamps one of the answer's tags.
 */

const ITEMS = 'id document_id locale slug external_id owner_id data price bytes flag number text'.split(' ');
const schema = { tables: [{ name: 'items', columns: ITEMS.map((name) => ({ name })), foreignKeys: [] }] };

const define = async (knex: Knex, dialect: Dialect): Promise<void> => {
  await knex.schema.createTable('items', (table) => {
    table.increments('id');
    table.string('document_id');
    table.string('locale');
    table.string('slug');
    table.string('external_id');
    table.integer('owner_id');
    if (dialect === 'postgres') table.jsonb('data');
    else table.json('data');
    table.decimal('price', 10, 2);
    table.binary('bytes');
    table.boolean('flag');
    table.double('number');
    table.string('text');
  });
  await knex.schema.createTable('versions', (table) => {
    table.integer('id');
    table.string('locale', 5);
    table.string('title');
    table.integer('owner_id');
    table.primary(['id', 'locale']);
  });
  await knex.schema.createTable('filled', (table) => {
    table.increments('id');
    table.string('title');
    table.integer('status_id').defaultTo(1);
    table.integer('owner_id');
    table.specificType('double_id', 'int generated always as (owner_id * 2) stored');
    if (dialect === 'mysql')
      table.specificType('stamp', 'timestamp default current_timestamp on update current_timestamp');
  });
  await knex.schema.createTable('named', (table) => {
    table.string('id').primary();
    table.integer('owner_id');
  });
  if (dialect === 'sqlite')
    await knex.raw(
      'create table lenient (id integer primary key, code_id text unique on conflict replace, owner_id int)',
    );
  if (dialect === 'postgres') {
    await knex.raw("create collation lax (provider = icu, locale = 'und-u-ka-shifted', deterministic = false)");
    await knex.raw(
      'create table typed (id int primary key, slug uuid, sku numeric, handle text collate lax, path inet, permalink money, owner_id int)',
    );
  }
  if (dialect === 'postgres')
    for (const table of ['items', 'filled']) await knex.raw(`alter sequence ${table}_id_seq restart with 1000`);
};

const item = (id: number, more: object = {}) => ({
  id,
  document_id: `doc${id}`,
  locale: 'en',
  slug: `s${id}`,
  external_id: `${id}abc`,
  owner_id: id,
  data: JSON.stringify({ a: id }),
  price: 1.5,
  bytes: Buffer.from('aGVsbG8='),
  flag: true,
  number: 1,
  text: '1',
  ...more,
});

/** Values by column. On PostgreSQL each column has a type for which several spellings are equal. */
const TYPED = {
  slug: 'aaaaaaaa-0000-4000-8000-000000000001',
  sku: '1000',
  handle: 'foo-bar',
  path: '10.0.0.1',
  permalink: '$5.00',
};

const fill = async (knex: Knex, dialect: Dialect): Promise<void> => {
  for (const table of ['items', 'versions', 'filled', 'named']) await knex(table).delete();
  await knex('items').insert([item(1), item(2), item(3, { data: '"5"', text: null, locale: 'é' })]);
  await knex('versions').insert([
    { id: 1, locale: 'en', title: 'one', owner_id: 1 },
    { id: 1, locale: 'fr', title: 'un', owner_id: 2 },
    { id: 2, locale: 'en', title: 'two', owner_id: 3 },
  ]);
  await knex('filled').insert([
    { id: 1, title: 'a', status_id: 1, owner_id: 1 },
    { id: 2, title: 'b', status_id: 2, owner_id: 2 },
  ]);
  await knex('named').insert([
    { id: 'a', owner_id: 1 },
    { id: '5abc', owner_id: 2 },
  ]);
  if (dialect === 'postgres') {
    await knex('typed').delete();
    await knex('typed').insert({ id: 1, owner_id: 1, ...TYPED });
  }
  if (dialect !== 'sqlite') return;
  await knex('lenient').delete();
  await knex('lenient').insert({ id: 1, code_id: 'x', owner_id: 1 });
};

const VALUES: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>> = {
  items: {
    id: [1, '2', '5abc', '2.0', ' 1'],
    document_id: ['doc1', 'DOC2', 'doc9'],
    locale: ['en', 'e', 'é', 'fr', 'EN '],
    slug: ['s1', 'S2', 'é', 'e', '5', 5, 's1 ', '5abc', 'new'],
    external_id: [1, '1abc', '1', 5, '5abc', '05'],
    owner_id: [1, '1', '5abc', 5, '5', '5.0', 6, true],
    price: [1.5, '1.50', 2],
    flag: [true, false],
    number: [1, 0, '1'],
    text: ['1', 'null', 1],
  },
  versions: { id: [1, 2], locale: ['en', 'fr', 'de'], title: ['one', 'un', 'new'], owner_id: [1, 2, 3, 7] },
  filled: { id: [1, 2], title: ['a', 'new'], status_id: [1, 2], owner_id: [1, 7], double_id: [2, 14] },
  named: { id: ['a', 'A', 5, '5abc', '6abc', 6], owner_id: [1, 2, 7] },
};

const OWN_VALUES: Readonly<Partial<Record<Dialect, typeof VALUES>>> = {
  sqlite: { lenient: { id: [1, 2], code_id: ['x'], owner_id: [1, 7] } },
  postgres: {
    typed: {
      slug: [TYPED.slug, `{${TYPED.slug.toUpperCase()}}`, TYPED.slug.replaceAll('-', '')],
      sku: ['1000', '1e3', '1000.0'],
      handle: ['foo-bar', 'foobar', 'foo bar'],
      path: ['10.0.0.1', '10.0.0.1/32'],
      permalink: ['$5.00', '5'],
    },
  },
};

/** Whether PostgreSQL and SQLite can compare the column with the value. */
const isComparable = (dialect: Dialect, column: string, value: unknown): boolean => {
  if (dialect === 'sqlite') return typeof value !== 'boolean';
  if (dialect === 'mysql') return true;
  if (column === 'flag') return typeof value === 'boolean';
  return /^id$|owner_id|status_id|double_id|price|number/.test(column)
    ? /^\s*-?[\d.]+$/.test(String(value)) && (/price|number/.test(column) || /^\s*\d+$/.test(String(value)))
    : typeof value === 'string';
};

const readsOn = (dialect: Dialect): ReadonlyMap<string, Read> => {
  const reads = new Map<string, Read>();
  const tables = { ...VALUES, ...OWN_VALUES[dialect] };
  for (const [table, columns] of Object.entries(tables)) {
    reads.set(`all ${table}`, (knex) => knex(table).select('*').orderBy('id'));
    reads.set(`count ${table}`, (knex) => knex(table).count({ n: '*' }));
    for (const [column, values] of Object.entries(columns as Record<string, readonly unknown[]>)) {
      reads.set(`${table} ${column} is null`, (knex) => knex(table).whereNull(column));
      for (const value of values.filter(
        (one) => isComparable(dialect, column, one) || (table === 'named' && dialect !== 'postgres'),
      )) {
        const name = `${table} ${column} = ${JSON.stringify(value)}`;
        reads.set(name, (knex) => knex(table).where(column, value as string));
        reads.set(`count ${name}`, (knex) =>
          knex(table)
            .where(column, value as string)
            .count({ n: '*' }),
        );
      }
    }
  }
  for (const text of dialect === 'postgres' ? ["data::text = '5'", 'data is null'] : ["data = '5'", 'data is null'])
    reads.set(text, (knex) =>
      knex('items')
        .select('title' === text ? '*' : 'id')
        .whereRaw(text),
    );
  return reads;
};

const update =
  (id: number, data: object): Write =>
  (knex) =>
    knex('items').where({ id }).update(data);

/** Writes by what they are. */
type Writes = Readonly<Record<string, Write>>;

const everywhere: Writes = {
  'a text that looks like a number': update(1, { slug: '5abc', external_id: '5abc' }),
  'a number into a text': update(1, { slug: 5, external_id: 5 }),
  'a number with a leading zero': update(1, { external_id: '05' }),
  'an accent': update(1, { slug: 'é' }),
  'other capitals': update(1, { slug: 'S1', document_id: 'DOC1' }),
  'a locale with an accent': update(1, { locale: 'é' }),
  'a locale by an expression': (knex) =>
    knex.raw("insert into items (document_id, locale) values ('doc9', lower('FR'))"),
  'a row of a locale with an accent': update(3, { slug: 'new' }),
  'JSON text into what holds a JSON string': update(3, { data: '5' }),
  'JSON null': update(1, { data: 'null' }),
  'JSON of another spelling': update(1, { data: '{"a": 1, "b": 12345678901234567890}' }),
  'the word null into what holds nothing': update(3, { text: 'null' }),
  'bytes that spell the same': update(1, { bytes: Buffer.from('hello') }),
  'a half cent': update(1, { price: 1.995 }),
  'one of two rows of an id': (knex) => knex('versions').where({ id: 1, locale: 'fr' }).update({ owner_id: 7 }),
  'both rows of an id in one transaction': (knex) =>
    knex.transaction(async (trx) => {
      await trx('versions').where({ id: 1, locale: 'en' }).update({ owner_id: 7, title: 'new' });
      await trx('versions').where({ id: 1, locale: 'fr' }).update({ title: 'new' });
    }),
  'one row of an id for another': (knex) =>
    knex.transaction(async (trx) => {
      await trx('versions').where({ id: 1, locale: 'en' }).delete();
      await trx('versions').insert({ id: 1, locale: 'de', title: 'un', owner_id: 2 });
    }),
  'a row that leaves a default to the database': (knex) => knex('filled').insert({ title: 'new' }),
  'a row of defaults': (knex) => knex('filled').insert({ title: knex.raw("'new'"), owner_id: 7 }),
  'an update that a generated column follows': (knex) => knex('filled').where({ id: 1 }).update({ owner_id: 7 }),
  'a key that is text': (knex) => knex('named').insert({ id: '6abc', owner_id: 7 }),
  'a key that is text, changed': (knex) => knex('named').where({ id: '5abc' }).update({ owner_id: 7 }),
  'a key that is text, in other capitals': (knex) => knex('named').where({ id: 'a' }).update({ id: 'A' }),
};

const only: Readonly<Record<Dialect, Writes>> = {
  sqlite: {
    'an insert that replaces without a word': (knex) => knex('lenient').insert({ id: 2, code_id: 'x', owner_id: 7 }),
    'a number that is stored as text': update(1, { text: 1 }),
  },
  postgres: {
    'a boolean into a text': update(1, { text: true }),
    ...Object.fromEntries(
      Object.entries(TYPED).map(([column, value]): readonly [string, Write] => [
        `a row by its ${column}, which is no text`,
        (knex) =>
          knex('typed')
            .where({ [column]: value })
            .update({ owner_id: 7 }),
      ]),
    ),
  },
  mysql: {
    'a fraction into whole numbers': update(1, { owner_id: 5.6 }),
    'a row with the key 0': (knex) => knex('items').insert(item(0, { slug: 'new' })),
    'what does not fit, ignored': (knex) =>
      knex.raw("insert ignore into items (document_id, owner_id, slug) values ('doc9', '5abc', 'new')"),
  },
};

describeOnEach<Dialect>(DATABASES, 'a write on %s meets readers who spell its values otherwise', (dialect) => {
  let database: ObservedDatabase;

  beforeAll(async () => {
    database = await ObservedDatabase.create(dialect, [], schema);
    await define(database.knex, dialect);
  }, 60_000);
  afterAll(() => database.drop());
  beforeEach(() => fill(database.knex, dialect));

  it.each(Object.entries({ ...everywhere, ...only[dialect] }))(
    '%s',
    async (_, write) => {
      const { changed, stale } = await writeAmong(database, readsOn(dialect), write);
      expect(stale).toEqual([]);
      expect(changed).not.toEqual([]);
    },
    60_000,
  );
});

describe('two values of one column', () => {
  it.each([
    [null, 'null'],
    [{ a: 1 }, '{"a":1}'],
    [new ParsedJson('5'), '5'],
    [new ParsedJson(null), null],
    [true, '1'],
    [1, true, 'same'],
    [Buffer.from('a'), Buffer.from('a').toString('base64')],
    [Buffer.from('a'), Buffer.from('a'), 'same'],
    ['5', 5],
    ['1.50', 1.5],
    [0, -0],
    [NaN, NaN, 'same'],
    [2 ** 53, 2 ** 53],
    [new Date(5), new Date(5), 'same'],
    [5, new Date(5), 'same'],
    [undefined, null, 'same'],
    [0, null],
    [false, null],
    ['', null],
  ])('%o and %o are surely the same only where %s', (one, other, expected = 'different') => {
    expect(isSameValue(one, other)).toBe(expected === 'same');
    expect(isSameValue(other, one)).toBe(expected === 'same');
  });

  it('are the same where nobody has touched them', () => {
    const parsed = { a: 1 };
    expect(isSameValue(parsed, parsed)).toBe(true);
  });
});
