import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TableFacts } from '../../../server/src/database/table-catalog';
import type { Dialect } from '../../../server/src/sql/tokens';
import { DATABASES, describeOnEach, ObservedDatabase } from './observed-database';

/* The description that each database gives of itself, for tables that an application's DDL creates. */

type Expected = Partial<Record<keyof TableFacts, unknown>>;

interface DescribedCase {
  readonly name: string;
  readonly only?: readonly Dialect[];
  readonly ddl: string | Readonly<Partial<Record<Dialect, string>>>;
  readonly expected: Expected;
  /** The columns by which texts are looked up. */
  readonly texts?: readonly string[];
}

const CASES: readonly DescribedCase[] = [
  {
    name: 'plain',
    ddl: 'create table plain (id int primary key, title varchar(20))',
    expected: {
      filledByDatabase: new Set(),
      filledOnUpdate: new Set(),
      primaryKey: ['id'],
      uniqueKeys: [['id']],
      hasOtherUniqueKeys: false,
      hasTriggers: false,
      referencedBy: [],
    },
  },
  {
    name: 'with_default',
    ddl: "create table with_default (id int primary key, status_id int default 1, label varchar(9) default 'x', later int default null)",
    expected: { filledByDatabase: new Set(['status_id', 'label']), filledOnUpdate: new Set() },
  },
  {
    name: 'with_generated',
    ddl: 'create table with_generated (id int primary key, price int, twice int generated always as (price * 2) stored)',
    expected: { filledByDatabase: new Set(['twice']), filledOnUpdate: new Set(['twice']) },
  },
  {
    name: 'with_virtual',
    only: ['sqlite', 'mysql'],
    ddl: 'create table with_virtual (id int primary key, price int, twice int generated always as (price * 2) virtual)',
    expected: { filledByDatabase: new Set(['twice']), filledOnUpdate: new Set(['twice']) },
  },
  {
    name: 'with_on_update',
    only: ['mysql'],
    ddl: 'create table with_on_update (id int primary key, seen datetime null on update current_timestamp)',
    expected: { filledByDatabase: new Set(['seen']), filledOnUpdate: new Set(['seen']) },
  },
  {
    name: 'with_not_null',
    only: ['mysql'],
    ddl: "create table with_not_null (id int primary key, kind enum('a', 'b') not null)",
    expected: { filledByDatabase: new Set(['kind']) },
  },
  {
    name: 'with_identity',
    only: ['postgres'],
    ddl: 'create table with_identity (id int primary key, place int generated always as identity, other serial)',
    expected: { filledByDatabase: new Set(['place', 'other']) },
  },
  {
    name: 'with_number',
    ddl: {
      sqlite: 'create table with_number (id integer primary key autoincrement, title text)',
      postgres: 'create table with_number (id serial primary key, title text)',
      mysql: 'create table with_number (id int auto_increment primary key, title text)',
    },
    expected: { filledByDatabase: new Set(), primaryKey: ['id'] },
  },
  {
    name: 'with_two_keys',
    ddl: 'create table with_two_keys (tenant int default 1, id int, mail varchar(20), primary key (tenant, id), unique (mail, tenant))',
    expected: {
      filledByDatabase: expect.toSatisfy((columns: Set<string>) => columns.has('tenant')) as unknown,
      primaryKey: ['tenant', 'id'],
      uniqueKeys: expect.arrayContaining([
        ['tenant', 'id'],
        ['mail', 'tenant'],
      ]) as unknown,
      hasOtherUniqueKeys: false,
    },
  },
  {
    name: 'without_key',
    ddl: 'create table without_key (id int, title varchar(20))',
    expected: { primaryKey: [], uniqueKeys: [] },
  },
  {
    name: 'with_expression',
    only: ['sqlite', 'postgres'],
    ddl: 'create table with_expression (id int primary key, mail text); create unique index with_expression_mail on with_expression (lower(mail))',
    expected: { uniqueKeys: [['id']], hasOtherUniqueKeys: true },
  },
  {
    name: 'with_partial',
    only: ['sqlite', 'postgres'],
    ddl: 'create table with_partial (id int primary key, mail text); create unique index with_partial_mail on with_partial (mail) where id > 5',
    expected: { uniqueKeys: [['id']], hasOtherUniqueKeys: true },
  },
  {
    name: 'with_collation',
    only: ['sqlite'],
    ddl: 'create table with_collation (id int primary key, mail text collate nocase unique)',
    expected: { uniqueKeys: [['id']], hasOtherUniqueKeys: true },
  },
  {
    name: 'with_prefix',
    only: ['mysql'],
    ddl: 'create table with_prefix (id int primary key, mail varchar(200)); create unique index with_prefix_mail on with_prefix (mail(10))',
    expected: { uniqueKeys: [['id']], hasOtherUniqueKeys: true },
  },
  {
    name: 'parent',
    ddl: `create table parent (id int primary key, code int unique);
      create table child_cascade (id int primary key, parent_id int, foreign key (parent_id) references parent (id) on delete cascade on update cascade);
      create table child_null (id int primary key, parent_code int, foreign key (parent_code) references parent (code) on delete set null)`,
    expected: {
      referencedBy: expect.toSatisfy((keys: unknown[]) => keys.length === 2) as unknown,
    },
  },
  {
    name: 'pair',
    ddl: `create table pair (a int, b int, back_a int, back_b int, primary key (a, b), foreign key (back_a, back_b) references pair (a, b) on delete cascade)`,
    expected: {
      referencedBy: [
        {
          table: 'pair',
          columns: ['back_a', 'back_b'],
          target: 'pair',
          targetColumns: ['a', 'b'],
          onDelete: 'cascade',
          onUpdate: 'none',
        },
      ],
    },
  },
  {
    name: 'with_trigger',
    ddl: {
      sqlite:
        'create table with_trigger (id int primary key); create trigger t after insert on with_trigger begin select 1; end',
      postgres: `create table with_trigger (id int primary key);
        create function nothing() returns trigger language plpgsql as 'begin return new; end';
        create trigger t after insert on with_trigger for each row execute function nothing()`,
      mysql:
        'create table with_trigger (id int primary key); create trigger t after insert on with_trigger for each row set @a = 1',
    },
    expected: { hasTriggers: true },
  },
  {
    name: 'with_default_function',
    only: ['postgres'],
    ddl: `create table numbers (n int); create function numbered() returns int language sql as 'update numbers set n = n + 1 returning n';
        create table with_default_function (id int primary key, number int default numbered())`,
    expected: { hasTriggers: true },
  },
  {
    name: 'with_check_function',
    only: ['postgres'],
    ddl: `create table checks (n int); create function checked(int) returns bool language sql as 'insert into checks values (1); select true';
        create table with_check_function (id int primary key, number int check (checked(number)))`,
    expected: { hasTriggers: true },
  },
  {
    name: 'with_domain',
    only: ['postgres'],
    ddl: `create function valid(int) returns bool language sql as 'delete from checks; select true';
        create domain amount as int check (valid(value));
        create domain numbered_amount as int default numbered();
        create table with_domain (id int primary key, number amount);
        create table with_domain_default (id int primary key, number numbered_amount)`,
    expected: { hasTriggers: true },
  },
  { name: 'with_domain_default', only: ['postgres'], ddl: '', expected: { hasTriggers: true } },
  {
    name: 'with_harmless_functions',
    only: ['postgres'],
    ddl: `create function pure(int) returns bool immutable language sql as 'select true';
        create function short_name() returns text language plpgsql as 'begin return left(md5(random()::text), 8); end';
        create table with_harmless_functions (id int primary key, at timestamptz default now(), code uuid default gen_random_uuid(), number int check (pure(number)), name text default short_name())`,
    expected: { hasTriggers: false },
  },
  {
    name: 'with_text_lookups',
    ddl: {
      sqlite:
        'create table with_text_lookups (id int primary key, slug varchar(9), email text, sku numeric, handle int, path blob, title text)',
      postgres:
        'create table with_text_lookups (id int primary key, slug varchar(9), email text, sku numeric, handle uuid, path inet, title text)',
      mysql:
        "create table with_text_lookups (id int primary key, slug varchar(9), email text, sku decimal(9), handle enum('a'), path varbinary(9), title text)",
    },
    expected: {},
    texts: ['slug', 'email'],
  },
  {
    name: 'with_short_columns',
    only: ['mysql'],
    ddl: `create table with_short_columns (id int unsigned primary key, slug varchar(9), tiny_id tinyint not null,
      year_id year, email varchar(20) collate utf8mb4_lithuanian_ci)`,
    expected: {
      lookUps: new Map([
        ['id', { isText: false, longest: Infinity, lowest: 0, highest: 4294967295, neverNull: true }],
        ['slug', { isText: true, longest: 9, lowest: -Infinity, highest: Infinity, neverNull: false }],
        ['tiny_id', { isText: false, longest: Infinity, lowest: -128, highest: 127, neverNull: true }],
      ]),
    },
  },
  {
    name: 'with_rule',
    only: ['postgres'],
    ddl: 'create table with_rule (id int primary key); create rule r as on insert to with_rule do also notify n',
    expected: { hasTriggers: true },
  },
];

describeOnEach<Dialect>(DATABASES, '%s describes', (dialect) => {
  const cases = CASES.filter(({ only }) => only === undefined || only.includes(dialect));
  let database: ObservedDatabase;

  beforeAll(async () => {
    const ddl = cases
      .flatMap((one) => statements(typeof one.ddl === 'string' ? one.ddl : (one.ddl[dialect] ?? '')))
      .filter((statement) => statement !== '');
    database = await ObservedDatabase.create(dialect, ddl);
  }, 60_000);
  afterAll(() => database.drop());

  it.each(cases.map((one) => [one.name, one.expected] as const))('the table %s', (name, expected) => {
    expect(database.description.catalog.whyNotPlain(name)).toBeUndefined();
    expect(database.description.catalog.facts(name)).toMatchObject(expected);
  });

  it.each(cases.flatMap(({ name, texts }) => (texts === undefined ? [] : [[name, texts] as const])))(
    'the columns of %s by which texts are looked up',
    (name, texts) => {
      const { catalog } = database.description;
      const candidates = ['slug', 'email', 'sku', 'handle', 'path', 'title'];
      expect(candidates.filter((column) => catalog.isTextLookup(name, column))).toEqual(texts);
    },
  );
});

/** A definition with a body contains semicolons of its own, so only those before `create` separate statements. */
const statements = (ddl: string): string[] => ddl.split(/;\s*(?=create )/);
