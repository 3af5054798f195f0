import type { Knex } from 'knex';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Dialect } from '../../../server/src/sql/tokens';
import { DATABASES, describeOnEach, ObservedDatabase } from './observed-database';
import { writeAmong, type Read, type Write } from './stale-answers';

/*
 * What a column holds afterwards is not always what a statement writes: a text is cut off, a number is moved into the
 * range of its type or rounded, a number becomes a date or an item of a list. A look-up by the value that is stored, or
 * by another spelling of it, hears of the write all the same.
 */

interface Column {
  readonly name: string;
  readonly type: string;
  /** Each is written to the column, and looked up. */
  readonly values: readonly unknown[];
  /** Further spellings that are looked up. */
  readonly spellings?: readonly unknown[];
  /** SQL of values, which cannot be bound. */
  readonly literals?: readonly string[];
}

const LONG = 'abcdefghij'.repeat(6);
const NUMBERS = [1, '1', '1.0', '01', ' 1', '+1', -1, 127, 999, '999', 5.6];

const COLUMNS: Readonly<Record<Dialect, readonly Column[]>> = {
  mysql: [
    { name: 'slug', type: 'varchar(3)', values: ['abcdef', 'abc', 'ab', 'ABC'], literals: ['0x616263', '0b1'] },
    { name: 'handle', type: 'char(3)', values: ['abcdef', 'abc', 'ab ', 'ab', 12345], spellings: ['123'] },
    { name: 'path', type: 'varchar(20) collate utf8mb4_lithuanian_ci', values: ['via', 'vya'] },
    { name: 'permalink', type: 'varchar(20) collate utf8mb4_roman_ci', values: ['via', 'uia', 'vja', 'v a'] },
    { name: 'sku', type: `enum('abc', '3', 'x')`, values: ['abc', 1, 2, 3, '1', '3', 'abcdef'], spellings: [''] },
    { name: 'email', type: 'varchar(64)', values: [`${LONG}abcdef`, `${LONG}abcd`, 'a '], spellings: [`${LONG}abcd`] },
    { name: 'code_id', type: 'varchar(3)', values: [12345, '12345', '123', 123], literals: ['0x313233', '12345'] },
    { name: 'tiny_id', type: 'tinyint', values: [...NUMBERS, -999, '1e3'], spellings: [-128, 6], literals: ['1e3'] },
    { name: 'small_id', type: 'smallint unsigned', values: [...NUMBERS, 99999], spellings: [65535, 0] },
    { name: 'int_id', type: 'int', values: [...NUMBERS, 99999999999, '99999999999'], spellings: [2147483647] },
    {
      name: 'big_id',
      type: 'bigint',
      values: [...NUMBERS, '99999999999999999999'],
      spellings: ['9223372036854775807'],
    },
    { name: 'year_id', type: 'year', values: [24, 2024, '24', '2024', 99, 1999, 3000], spellings: [0] },
    { name: 'list_id', type: `enum('5', '1', '2')`, values: [1, 2, '1', '2', '5', 5] },
    { name: 'set_id', type: `set('5', '1', '2')`, values: [1, 2, '1', '2', '5', 5] },
    { name: 'float_id', type: 'float', values: [16777217, 16777216, 1.5] },
    { name: 'decimal_id', type: 'decimal(3, 0)', values: [...NUMBERS, 9999], spellings: [6] },
    { name: 'date_id', type: 'date', values: [20240101, 240101, '20240101', '2024-01-01', '240101'] },
    { name: 'bit_id', type: 'bit(2)', values: [1, 3, 9, '1'], spellings: [49] },
    { name: 'binary_id', type: 'varbinary(2)', values: ['12', '123', 12, 123] },
    { name: 'needed_id', type: 'int not null', values: [null, 1, ''], spellings: [0] },
    { name: 'needed_text_id', type: 'varchar(9) not null', values: [null, 1, '1'], spellings: [''] },
  ],
  postgres: [
    { name: 'slug', type: 'char(5)', values: ['abc', 'abc  ', 'ABC'], literals: [`'abcdef'::varchar(3)`] },
    { name: 'handle', type: 'varchar(3)', values: ['abc', 'abc  ', 'ab'], literals: [`'abcdef'::char(2)`] },
    { name: 'path', type: 'short', values: ['abc', 'abc  ', 'ab'], literals: [`'abcdef'::short`] },
    { name: 'sku', type: 'citext', values: ['abc', 'ABC', 'abc '] },
    { name: 'email', type: 'name', values: [`${LONG}abcdef`, `${LONG}abc`], spellings: [`${LONG}abc`] },
    { name: 'username', type: '"char"', values: ['abc', 'a'] },
    { name: 'code_id', type: 'char(4)', values: ['1', '1  ', 1, '01'], literals: [`'12345'::char(2)`, '1e2', '0x10'] },
    { name: 'lax_id', type: 'text collate lax', values: ['-5', '5', '1 2', '12'] },
    { name: 'int_id', type: 'int', values: [1, '1', '01', ' 1'], literals: ['1.4', `'5'::numeric`, '1e2', '0x10'] },
    { name: 'real_id', type: 'real', values: [16777217, 16777216, '16777217'] },
    { name: 'double_id', type: 'double precision', values: [16777217, '1e3', 1000, '1000'] },
    { name: 'numeric_id', type: 'numeric', values: ['1000', '1e3', '1000.0', 5.6] },
    { name: 'round_id', type: 'numeric(5, -2)', values: [1234, 1200, '1234'] },
    { name: 'money_id', type: 'money', values: ['5', '$5.00', '5.00'] },
    { name: 'date_id', type: 'date', values: ['20240101', '240101', '2024-01-01'] },
    { name: 'time_id', type: 'time', values: ['101500', '1015', '10:15'] },
    { name: 'flag_id', type: 'boolean', values: ['1', 'true', 't', true, '0', 'no'] },
    { name: 'short_id', type: 'shorter', values: ['1', '1   ', '12'], literals: [`'12345'::shorter`] },
    { name: 'bit_id', type: 'bit(3)', values: ['101', '100'], literals: ['5::bit(3)'] },
  ],
  sqlite: [
    { name: 'slug', type: 'text', values: ['abc', 'ABC', 1, 1.5, 1e15, '1.0', '1'], literals: ['1', '1.0', '0x10'] },
    { name: 'handle', type: 'text collate nocase', values: ['abc', 'ABC', 'abc '] },
    { name: 'path', type: 'text collate rtrim', values: ['abc', 'abc  ', 'ABC'] },
    { name: 'sku', type: 'integer', values: [...NUMBERS, 'abc', '1e3'], spellings: [1000] },
    {
      name: 'int_id',
      type: 'integer',
      values: [...NUMBERS, '1e3', 'abc'],
      spellings: [1000],
      literals: ['1e3', '0x10'],
    },
    {
      name: 'text_id',
      type: 'text',
      values: [...NUMBERS, 1e15, '1e3'],
      literals: ['1', '1.0', '1e3', '0x10', `x'31'`],
    },
    { name: 'real_id', type: 'real', values: [...NUMBERS, 1e15, '1e3', 16777217], spellings: [1000] },
    { name: 'number_id', type: 'numeric', values: [...NUMBERS, '1e3'], spellings: [1000] },
    { name: 'any_id', type: '', values: [...NUMBERS, '1e3'], literals: ['1', '1.0', `'1'`] },
    { name: 'rtrim_id', type: 'text collate rtrim', values: ['1', '1  ', 1] },
  ],
};

const PREPARE: Readonly<Record<Dialect, readonly string[]>> = {
  mysql: [],
  postgres: [
    'create extension citext',
    'create domain short as varchar(3)',
    'create domain shorter as char(2)',
    "create collation lax (provider = icu, locale = 'und-u-ka-shifted', deterministic = false)",
  ],
  sqlite: [],
};

const identity: Readonly<Record<Dialect, string>> = {
  mysql: 'int auto_increment primary key',
  postgres: 'serial primary key',
  sqlite: 'integer primary key',
};

/** On MySQL and MariaDB, the rows that an INSERT or UPDATE has to change to fit. */
const MODES: Readonly<Record<Dialect, readonly string[]>> = {
  mysql: ["set session sql_mode = ''", "set session sql_mode = 'STRICT_ALL_TABLES'"],
  postgres: ['select 1'],
  sqlite: ['select 1'],
};

describeOnEach<Dialect>(DATABASES, 'what %s stores', (dialect) => {
  let database: ObservedDatabase;
  const tables = COLUMNS[dialect].map((column) => `of_${column.name}`);

  beforeAll(async () => {
    const ddl = COLUMNS[dialect].flatMap(({ name, type }) => [
      `create table of_${name} (id ${identity[dialect]}, ${name} ${type}, title varchar(20))`,
    ]);
    const schema = {
      tables: COLUMNS[dialect].map(({ name }) => ({
        name: `of_${name}`,
        columns: ['id', name, 'title'].map((column) => ({ name: column })),
        foreignKeys: [],
      })),
    };
    database = await ObservedDatabase.create(dialect, [...PREPARE[dialect], ...ddl], schema);
  }, 60_000);
  afterAll(() => database.drop());
  beforeEach(async () => {
    for (const table of tables) await database.knex(table).delete();
  });

  const writesOf = ({ name, values, literals = [] }: Column): ReadonlyArray<readonly [string, Write]> => {
    const table = `of_${name}`;
    const bound = values.map((value) => [JSON.stringify(value), (knex: Knex) => knex.raw('?', [value as string])]);
    const written = literals.map((literal) => [literal, (knex: Knex) => knex.raw(literal)]);
    return ([...bound, ...written] as Array<[string, (knex: Knex) => Knex.Raw]>).flatMap(([spelling, value]) => {
      const ways: ReadonlyArray<readonly [string, Write]> = [
        ['insert', (knex) => knex.raw(`insert into ${table} (${name}, title) values (?, ?)`, [value(knex), 'new'])],
        [
          'insert two',
          (knex) =>
            knex.raw(`insert into ${table} (${name}, title) values (?, ?), (?, ?)`, [
              value(knex),
              'new',
              value(knex),
              'newer',
            ]),
        ],
        ['update', (knex) => knex.raw(`update ${table} set ${name} = ? where title = 'other'`, [value(knex)])],
        [
          'upsert',
          (knex) =>
            knex(table)
              .insert({ id: 2, [name]: value(knex), title: 'new' })
              .onConflict('id')
              .merge(),
        ],
        [
          'insert or ignore',
          (knex) =>
            knex(table)
              .insert({ id: 9, [name]: value(knex), title: 'new' })
              .onConflict('id')
              .ignore(),
        ],
      ];
      return ways.map(([way, write]) => [`${way} ${spelling}`, write] as const);
    });
  };

  const readsOf = ({ name, values, spellings = [], literals = [] }: Column): ReadonlyMap<string, Read> => {
    const table = `of_${name}`;
    const conditions = new Map<string, Read>([['all', (knex) => knex(table)]]);
    for (const value of [...values, ...spellings].filter((one) => one !== null)) {
      conditions.set(`= ${JSON.stringify(value)}`, (knex) => knex(table).where(name, value as string));
      conditions.set(`in (${JSON.stringify(value)}, …)`, (knex) =>
        knex(table)
          .whereIn(name, [value, value] as string[])
          .count({ n: '*' }),
      );
    }
    for (const literal of literals)
      conditions.set(`= ${literal}`, (knex) => knex(table).whereRaw(`${name} = ${literal}`));
    return new Map(
      // A value that the column cannot be compared with.
      [...conditions].map(([spelling, read]) => [
        spelling,
        async (knex) => Promise.resolve(read(knex)).catch(() => undefined),
      ]),
    );
  };

  it.each(COLUMNS[dialect])(
    'in a column $name of the type $type',
    async (column) => {
      const { knex } = database;
      const found: string[] = [];
      let changes = 0;
      for (const mode of MODES[dialect]) {
        for (const [name, write] of writesOf(column)) {
          await knex.raw(mode);
          await knex(`of_${column.name}`).delete();
          const other = column.type.includes('not null') ? '7' : 'null';
          const filling = `insert into of_${column.name} (id, ${column.name}, title) values (2, ${other}, 'other')`;
          await knex.raw(filling);
          const attempt: Write = async () => Promise.resolve(write(knex)).catch(() => undefined);
          const { changed, stale } = await writeAmong(database, readsOf(column), attempt);
          changes += changed.length;
          found.push(...stale.map((read) => `${mode}: ${name} → ${read}`));
        }
      }
      expect(found).toEqual([]);
      expect(changes).toBeGreaterThan(0);
    },
    120_000,
  );
});
